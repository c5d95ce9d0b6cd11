import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createOutput, describeStreams } from "../../../src/cli/output.ts";
import { fakeIo } from "./fake-io.ts";

/** A stream whose every write fails, after a while as real ones do. */
function failing(code: string): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      setImmediate(done, Object.assign(new Error(code), { code }));
    },
  });
}

describe("createOutput", () => {
  it("writes results to stdout and talk to stderr", () => {
    const { io, stdout, stderr } = fakeIo();
    const output = createOutput(io);
    output.result("partners-1");
    output.jsonResult({ a: [1] });
    output.say("working");
    output.alert("warning", "careful");
    output.jsonLine({ type: "x" });
    expect(stdout()).toBe('partners-1\n{\n  "a": [\n    1\n  ]\n}\n');
    expect(stderr()).toBe('working\nwarning: careful\n{"type":"x"}\n');
  });

  it("lets nothing from outside move the cursor", () => {
    const { io, stdout, stderr } = fakeIo();
    const output = createOutput(io);
    output.result("a\u001b[2Jb");
    output.say("c\u001b[2Jd");
    expect(stdout() + stderr()).toBe("ab\ncd\n");
  });

  it.each([
    [{ terminal: true }, true, true],
    [{ terminal: true }, false, false],
    [{ terminal: false }, true, false],
    [{ terminal: true, env: { NO_COLOR: "1" } }, true, false],
    [{ terminal: true, env: { NO_COLOR: "" } }, true, true],
    [{ terminal: true, env: { TERM: "dumb" } }, true, false],
  ])("colours only where it may (%j, %s)", (options, mayColor, isColored) => {
    const { io, stderr } = fakeIo(options);
    createOutput(io, () => mayColor).alert("error", "no");
    expect(stderr()).toBe(isColored ? "\u001b[31merror:\u001b[0m no\n" : "error: no\n");
  });

  it("keeps the status line below whatever is said", () => {
    const { io, stderr } = fakeIo({ terminal: true });
    const output = createOutput(io);
    output.status("1/2");
    output.status("1/2");
    output.say("hello");
    output.status("2/2");
    output.status("");
    output.say("done");
    const clear = "\r\u001b[K";
    expect(stderr()).toBe(`${clear}1/2${clear}hello\n1/2${clear}2/2${clear}done\n`);
  });

  it("stays quiet when the reader has left", async () => {
    const { io } = fakeIo();
    const output = createOutput({ ...io, stdout: failing("EPIPE") });
    output.result("x");
    await expect(output.finish()).resolves.toBeUndefined();
    output.result("y");
    await expect(output.finish()).resolves.toBeUndefined();
  });

  it("does not write to a stream that is closed", () => {
    const { io, stdout } = fakeIo();
    io.stdout.end();
    createOutput(io).result("late");
    expect(stdout()).toBe("");
  });

  it("tells at the end when something could not be written", async () => {
    const { io } = fakeIo();
    const output = createOutput({ ...io, stdout: failing("ENOSPC") });
    output.result("x");
    await expect(output.finish()).rejects.toThrow(
      expect.objectContaining({ exitCode: 5, message: expect.stringContaining("ENOSPC") }),
    );
  });
});

describe("describeStreams", () => {
  it("takes the width from the terminal, else 100", () => {
    expect(describeStreams(fakeIo({ columns: 80, terminal: true }).io)).toEqual({
      stdoutColumns: 100,
      stderrColumns: 80,
      stderrIsTerminal: true,
    });
  });
});

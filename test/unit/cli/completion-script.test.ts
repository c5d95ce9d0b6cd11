import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandShape } from "../../../src/cli/completion-script.ts";
import { completionScript, SHELLS } from "../../../src/cli/completion-script.ts";
import { tempFolder } from "../csv/temp-folder.ts";

const COMMANDS: readonly CommandShape[] = [
  {
    name: "run",
    summary: "send partners; the user's own",
    argument: "file",
    flags: [
      { name: "--rate", value: "n", help: "per second [default: 5]" },
      { name: "--fresh", value: "", help: "begin anew" },
      { name: "--config", value: "file", help: "settings" },
    ],
  },
  { name: "report", summary: "make the files", argument: "run", flags: [] },
  { name: "help", summary: "explain", argument: "topic", flags: [] },
];
const WORDS = { topic: ["csv", "config"] };

/** What bash offers after these words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const folder = await tempFolder();
  await mkdir(path.join(folder, "onboard-out", "partners-1f3a"), { recursive: true });
  await mkdir(path.join(folder, "onboard-out", "$(touch hacked)"));
  const script = path.join(folder, "completion.bash");
  await writeFile(script, completionScript("bash", COMMANDS, WORDS));
  const ask = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _onboard_batch; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ["--norc", "-c", ask, script, "onboard-batch", ...words];
  const out = execFileSync("bash", args, { cwd: folder, encoding: "utf8" });
  return out.split("\n").filter((line) => line !== "");
}

describe("bash completion", () => {
  it("offers the commands that begin as typed", async () => {
    expect(await offered("")).toEqual(["run", "report", "help"]);
    expect(await offered("re")).toEqual(["report"]);
  });

  it("offers a command's flags, and files after one that takes a value", async () => {
    expect(await offered("run", "--")).toEqual(["--rate", "--fresh", "--config"]);
    expect(await offered("run", "--config", "")).toEqual([]);
    expect(await offered("run", "--fresh", "--r")).toEqual(["--rate"]);
  });

  it("offers the runs of the default folder, topics, or files", async () => {
    expect(await offered("report", "")).toEqual(["partners-1f3a"]);
    expect(await offered("help", "c")).toEqual(["csv", "config"]);
    expect(await offered("run", "")).toEqual([]);
  });
});

describe("the scripts", () => {
  it.for(SHELLS)("of %s are read by their shell, where it is installed", async (shell) => {
    const file = path.join(await tempFolder(), "completion");
    await writeFile(file, completionScript(shell, COMMANDS, WORDS));
    const read = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    // null where there is no such shell.
    expect(["", null]).toContain(read.stderr);
  });

  it.for(SHELLS)("of %s know every command", (shell) => {
    const script = completionScript(shell, COMMANDS, WORDS);
    for (const { name } of COMMANDS) expect(script).toContain(name);
  });
});

import { describe, expect, it } from "vitest";
import { OnboardError } from "../../../src/core/errors.ts";
import { createDecoder } from "../../../src/csv/decode.ts";

/** Decodes bytes that come in chunks of a size. */
function decode(bytes: Uint8Array, label = "utf-8", chunkBytes = bytes.length): string {
  const decoder = createDecoder(label, "in.csv");
  let text = "";
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    text += decoder.decode(bytes.subarray(at, at + chunkBytes));
  }
  return text + decoder.end();
}

function failure(work: () => unknown): OnboardError {
  try {
    work();
  } catch (error) {
    if (error instanceof OnboardError) return error;
  }
  throw new Error("it did not fail as expected");
}

describe("the decoder", () => {
  it("reads UTF-8 whatever chunks it comes in, without its byte order mark", () => {
    const bytes = Buffer.from("\uFEFFMünchen, Płock, 東京, 😀\n\uFEFF");
    for (const chunkBytes of [1, 2, 3, 5, 7, 100]) {
      expect(decode(bytes, "utf-8", chunkBytes)).toBe("München, Płock, 東京, 😀\n\uFEFF");
    }
  });

  it("reads other encodings by their usual labels", () => {
    expect(decode(Buffer.from([0x4d, 0xfc, 0x80]), "latin1")).toBe("Mü€");
    expect(decode(Buffer.from("\uFEFFA;ü", "utf16le"), "utf-16le", 1)).toBe("A;ü");
    expect(createDecoder("Latin1", "x").encoding).toBe("windows-1252");
  });

  it("names the line of bytes that are not UTF-8, whatever chunks they come in", () => {
    const bytes = Buffer.concat([
      Buffer.from("näme\nrow\n東京 ok\n"),
      Buffer.from([0x4d, 0xfc, 0x6c, 0x0a]),
      Buffer.from("more\n"),
    ]);
    for (const chunkBytes of [1, 2, 3, 4, 5, 6, 7, 11, 100]) {
      const error = failure(() => decode(bytes, "utf-8", chunkBytes));
      expect(error.message).toBe("in.csv:4: these bytes are not UTF-8.");
      expect(error.exitCode).toBe(2);
      expect(error.hint).toContain("--encoding");
    }
  });

  it("names the last line when the file ends in the middle of a character", () => {
    const bytes = Buffer.from("a\nb\nü").subarray(0, 5);
    expect(failure(() => decode(bytes)).message).toContain("in.csv:3:");
  });

  it("says of other encodings about where they break", () => {
    const error = failure(() => decode(Buffer.from([0x41, 0x0a, 0xff, 0xff]), "shift_jis"));
    expect(error.message).toBe("in.csv:1: these bytes are not shift_jis.");
  });

  it("refuses a label that nobody knows", () => {
    expect(failure(() => createDecoder("utf8000", "in.csv")).message).toBe(
      "--encoding utf8000: this encoding is not known.",
    );
  });
});

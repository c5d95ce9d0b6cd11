import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
/** Of V8's heap; a reader that keeps what it has read dies of it. */
const HEAP_MIB = 96;
/** Of the whole process. Node alone takes some 60. */
const RESIDENT_MIB = 300;
const TIMEOUT_MS = 180_000;

/** Tells the largest resident size, in MiB, when the command ends. */
const TELL_SIZE = `data:text/javascript,
  import { writeSync } from "node:fs";
  const mib = () => Math.round(process.resourceUsage().maxRSS / 1024);
  process.on("exit", () => writeSync(2, "resident " + mib() + " MiB\\n"));`;

interface LargeFile {
  readonly head: string | Uint8Array;
  /** What comes again and again behind it. */
  readonly unit: string;
  readonly mib: number;
  readonly isPacked?: boolean;
}

async function write(dir: string, { head, unit, mib, isPacked = false }: LargeFile) {
  const file = path.join(dir, "partners.csv");
  const block = Buffer.from(unit.repeat(Math.ceil(1_048_576 / unit.length)));
  function* blocks(): Generator<Uint8Array> {
    yield Buffer.from(head);
    for (let bytes = 0; bytes < mib * 1_048_576; bytes += block.length) yield block;
  }
  const target = createWriteStream(file);
  if (isPacked) await pipeline(Readable.from(blocks()), createGzip(), target);
  else await pipeline(Readable.from(blocks()), target);
  return file;
}

/** How `check` ends in little memory: by its exit code, or killed. */
function check(file: string): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const words = [`--max-old-space-size=${HEAP_MIB}`, "--import", TELL_SIZE, MAIN, "check", file];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { maxBuffer: 1_048_576 }, (error, _stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.signal ?? error.code), stderr });
    });
  });
}

const HEADER = "name,city\n";

test.each<[string, 0 | 2, LargeFile]>([
  ["one line without end", 0, { head: HEADER, unit: "x", mib: 100 }],
  [
    "one line without end that is not UTF-8",
    0,
    { head: Buffer.from("name\n\u00e4", "latin1"), unit: "x", mib: 100 },
  ],
  ["one quoted cell without end", 0, { head: `${HEADER}"`, unit: "x", mib: 100 }],
  ["doubled quotes without end", 0, { head: `${HEADER}"`, unit: '""', mib: 50 }],
  [
    "one quoted cell of many lines",
    0,
    { head: `${HEADER}"`, unit: `${"x".repeat(99)}\n`, mib: 100 },
  ],
  ["a wrong quote in every line", 0, { head: HEADER, unit: 'a","b\n', mib: 10 }],
  ["a lone quote in every line", 0, { head: HEADER, unit: '"a\n', mib: 10 }],
  ["records of delimiters alone", 0, { head: HEADER, unit: `${",".repeat(999_999)}\n`, mib: 100 }],
  [
    "records of half a million cells",
    0,
    { head: HEADER, unit: `${"x,".repeat(499_999)}\n`, mib: 50 },
  ],
  ["records as long as allowed", 0, { head: HEADER, unit: `${"x".repeat(999_999)}\n`, mib: 200 }],
  ["rulings as long as allowed", 0, { head: HEADER, unit: `${"-".repeat(999_999)}\n`, mib: 200 }],
  ["line ends alone", 0, { head: HEADER, unit: "\r", mib: 50 }],
  ["a header without end", 2, { head: "", unit: "x,", mib: 100 }],
  [
    "a gzip archive of a gigabyte in a megabyte",
    2,
    { head: HEADER, unit: "ACME,Ulm\n", mib: 1_024, isPacked: true },
  ],
])("a file of %s is read in little memory", { timeout: TIMEOUT_MS }, async (_what, code, large) => {
  const dir = await mkdtemp(path.join(tmpdir(), "onboard-batch-fuzz-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const end = await check(await write(dir, large));
  expect(end.code, end.stderr).toBe(code);
  expect(end.stderr.includes("partners.csv:")).toBe(code === 2);
  const resident = Number(/resident (?<mib>\d+) MiB/.exec(end.stderr)?.groups?.["mib"]);
  expect(resident, end.stderr).toBeLessThan(RESIDENT_MIB);
});

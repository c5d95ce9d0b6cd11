// Measures the built command on this machine: `npm run bench`, or `npm run bench -- check` for one.
// Each figure is of whole processes, as a user would see it. Nothing else should run meanwhile.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import "./prepare.mjs";

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const RSS_EVERY_MS = 20;

/** Name -> what is measured; each gives one line. */
const benchmarks = {
  async check(folder) {
    const file = await writePartners(folder, 100_000);
    return describe("check of 100,000 rows", await repeat(5, ["check", file]));
  },
  async read(folder) {
    const file = await writePartners(folder, 1_000_000);
    return describe("check of 1,000,000 rows", await repeat(1, ["check", file]));
  },
  async run(folder) {
    const file = await writePartners(folder, 10_000);
    const agent = ["--agent-url", "sandbox", "--rate", "5000", "--poll-rate", "5000"];
    const words = ["run", file, "--fresh", "--quiet", "--out", join(folder, "out"), ...agent];
    return describe("run of 10,000 rows, agent inside the process", await repeat(3, words));
  },
};

const names = Object.keys(benchmarks);
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`bench: there is no "${unknown}"; there are ${names.join(", ")}\n`);
  process.exit(2);
}
for (const name of asked.length === 0 ? names : asked) {
  const folder = await mkdtemp(join(tmpdir(), "onboard-bench-"));
  try {
    process.stdout.write(`${await benchmarks[name](folder)}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** All rows different, with the columns that partner files usually have: some 140 bytes each. */
async function writePartners(folder, rows) {
  const path = join(folder, `partners-${rows}.csv`);
  const file = createWriteStream(path);
  file.write("name,street,postal_code,city,country,vat_id,email,internal_id\n");
  for (let row = 1; row <= rows; row += 1) {
    const cells = [
      `Müller & Söhne Maschinenbau ${row} GmbH`,
      `Industriestraße ${row % 200}`,
      10_000 + (row % 80_000),
      "Schwäbisch Gmünd",
      "DE",
      `DE${100_000_000 + row}`,
      `einkauf${row}@mueller-${row}.example`,
      1_000_000 + row,
    ];
    if (!file.write(`${cells.join(",")}\n`)) await once(file, "drain");
  }
  file.end();
  await finished(file);
  return path;
}

/** Runs the command so many times, one after the other. */
async function repeat(times, words) {
  const runs = [];
  for (let index = 0; index < times; index += 1) runs.push(await measure(words));
  return runs;
}

async function measure(words) {
  const env = { ...process.env, ONBOARD_BATCH_CONFIG: "" };
  const beganAtMs = performance.now();
  const child = spawn(process.execPath, [main, ...words], { env, stdio: ["ignore", "ignore", 2] });
  let peakMiB = 0;
  const watch = setInterval(() => {
    peakMiB = Math.max(peakMiB, readPeakMiB(child.pid));
  }, RSS_EVERY_MS);
  const [code] = await once(child, "exit");
  clearInterval(watch);
  if (code !== 0) throw new Error(`onboard-batch ${words.join(" ")} ended with ${code}`);
  return { seconds: (performance.now() - beganAtMs) / 1000, peakMiB };
}

/** Highest resident memory of the process so far, in MiB; 0 where the system does not tell. */
function readPeakMiB(pid) {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function describe(what, runs) {
  const seconds = runs.map((run) => run.seconds).sort((left, right) => left - right);
  const median = seconds[Math.floor(seconds.length / 2)];
  const peakMiB = Math.max(...runs.map((run) => run.peakMiB));
  const all = seconds.map((value) => value.toFixed(2)).join(", ");
  return `${what}: ${median.toFixed(2)} s (${all}), peak ${peakMiB.toFixed(0)} MiB`;
}

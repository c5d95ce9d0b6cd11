// Sends the sample partners to a simulated agent and shows what comes back. Needs no key, no
// network and no Redis that runs: `run` starts a private one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import "./prepare.mjs";

const SHOWN_LINES = 4;
const SHOWN_COLUMNS = 160;
/** All succeeded; or settled, with rows that failed or wait for a person. */
const SETTLED = [0, 3];

const root = fileURLToPath(new URL("..", import.meta.url));
const args = ["run", "samples/partners.csv", "--agent-url", "sandbox", "--out", "onboard-out"];

say(`$ npx onboard-batch ${args.join(" ")}`);
const { exitCode, stdout } = await run();
if (SETTLED.includes(exitCode)) show(JSON.parse(stdout));
else process.exitCode = exitCode;

async function run() {
  // Ctrl-C reaches the child too, which then finishes what is in flight: wait for it.
  process.on("SIGINT", () => {});
  // A new run each time, so that there is something to see the second time too.
  const command = [join(root, "dist", "main.js"), ...args, "--fresh", "--json"];
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ["inherit", "pipe", "inherit"],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { stdout, exitCode: code ?? 1 };
}

function show({ runId }) {
  const folder = join(root, "onboard-out", runId);
  const lines = readFileSync(join(folder, "results.csv"), "utf8").split("\n");
  say("", `The files are in ${folder}. results.csv begins:`, "");
  say(...lines.slice(0, SHOWN_LINES).map(shorten));
}

function shorten(line) {
  return line.length <= SHOWN_COLUMNS ? line : `${line.slice(0, SHOWN_COLUMNS - 1)}…`;
}

function say(...lines) {
  process.stdout.write(`${lines.join("\n")}\n`);
}

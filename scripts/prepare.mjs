// Makes a fresh clone ready for `npm test` and `npm run demo`, and says nothing when it is ready:
// packages as locked, a current dist, a redis-server. Runs before the packages are there, so it
// uses nothing but Node.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const APT_GET = "/usr/bin/apt-get";
const built = join(root, "dist", "main.js");

prepare();

function prepare() {
  const missing = findMissingPackage();
  if (missing !== undefined) {
    say(`installing the locked packages (${missing})`);
    runOrExit("npm", ["ci", "--no-audit", "--no-fund"]);
  }
  const stale = findStaleBuild();
  if (stale !== undefined) {
    say(`building dist (${stale})`);
    // The compiler writes files in spite of errors: half a build must not pass for one next time.
    runOrExit("npm", ["run", "-s", "build"], { onFailure: () => rmSync(built, { force: true }) });
  }
  if (!hasRedisServer()) installRedisServer();
}

/** Why `npm ci` is needed; undefined when the packages are those of the lock file. */
function findMissingPackage() {
  const installedFile = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedFile)) return "there are none";
  const locked = readJson(join(root, "package-lock.json")).packages;
  const installed = readJson(installedFile).packages;
  for (const [path, wanted] of Object.entries(locked)) {
    // npm leaves out optional ones of other systems.
    if (path === "" || wanted.optional || wanted.devOptional || wanted.peer) continue;
    if (installed[path]?.version !== wanted.version) return `${path} is not ${wanted.version}`;
    if (!existsSync(join(root, path, "package.json"))) return `${path} is missing`;
  }
  return undefined;
}

/** Why a build is needed; undefined when dist is newer than everything it is made of. */
function findStaleBuild() {
  if (!existsSync(built)) return "there is none";
  const builtAtMs = statSync(built).mtimeMs;
  const sources = ["package.json", "tsconfig.json", "tsconfig.build.json", ...listTree("src")];
  const newer = sources.find((path) => statSync(join(root, path)).mtimeMs > builtAtMs);
  return newer === undefined ? undefined : `${newer} is newer`;
}

/** The folder and all that is in it; a folder is newer when something in it was removed. */
function listTree(folder) {
  const inside = readdirSync(join(root, folder), { recursive: true });
  return [folder, ...inside.map((path) => join(folder, path))];
}

/** The same places as in src/redis/managed-binary.ts. */
function hasRedisServer() {
  const named = process.env.ONBOARD_BATCH_REDIS_SERVER;
  if (named) return isExecutable(named);
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const homebrew = ["/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"];
  return [...folders, ...homebrew].some((folder) =>
    ["redis-server", "valkey-server"].some((name) => isExecutable(join(folder, name))),
  );
}

function installRedisServer() {
  if (!isDebianRoot()) {
    say("a redis-server or valkey-server (6.2 or later) is needed and was not found. Install one:");
    say(`  ${installLine()}`);
    process.exit(1);
  }
  say("no redis-server was found: installing Debian's package redis-server with apt-get");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "-q", "--no-install-recommends", "redis-server"];
  // A fresh image has no package lists, so the first try may fail for that alone.
  if (spawnSync(APT_GET, install, { env, stdio: "ignore" }).status === 0) return;
  runOrExit(APT_GET, ["update", "-q"], { env });
  runOrExit(APT_GET, install, { env });
}

function isDebianRoot() {
  return process.getuid?.() === 0 && /debian|ubuntu/.test(osFamily()) && existsSync(APT_GET);
}

function installLine() {
  if (process.platform === "darwin") return "brew install redis";
  if (/debian|ubuntu/.test(osFamily())) return "sudo apt-get install -y redis-server";
  if (/fedora|rhel|centos/.test(osFamily())) return "sudo dnf install -y valkey";
  return "your system's package redis or valkey";
}

function osFamily() {
  if (!existsSync("/etc/os-release")) return "";
  const lines = readFileSync("/etc/os-release", "utf8").split("\n");
  return lines.filter((line) => /^ID(_LIKE)?=/.test(line)).join(" ");
}

/** npm's and apt-get's output is for the eye: everything goes to stderr. */
function runOrExit(command, args, { env = process.env, onFailure = () => {} } = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  onFailure();
  say(`${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ""}`);
  process.exit(1);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function say(line) {
  process.stderr.write(`prepare: ${line}\n`);
}

import { execFile } from "node:child_process";
import { access, constants, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import {
  isNewEnough,
  OLDEST_SERVER,
  parseVersionLine,
  type ServerVersion,
} from "./server-version.ts";

/** Where to look for a server's binary. */
export interface BinarySearch {
  /** The one to use and no other, from ONBOARD_BATCH_REDIS_SERVER. */
  readonly binary: string | undefined;
  /** The folders of PATH, in its own notation. */
  readonly searchPath: string;
}

/** Homebrew's, which the PATH of a scheduler lacks. */
const USUAL_FOLDERS = ["/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"];
const NAMES = ["redis-server", "valkey-server"];

/**
 * The path of the first redis-server or valkey-server that is new enough.
 * @throws OnboardError exit 2 when the one that was named cannot be used; exit 5, with the line
 * that installs one here, when there is none.
 */
export async function findServerBinary(search: BinarySearch): Promise<string> {
  if (search.binary !== undefined && search.binary !== "") return checkNamed(search.binary);
  const tooOld: string[] = [];
  for (const path of candidates(search.searchPath)) {
    const version = await readVersion(path);
    if (version === undefined) continue;
    if (isNewEnough(version)) return path;
    tooOld.push(`${path} is ${version.text}`);
  }
  throw await noBinary(tooOld);
}

/** The command that installs a server on this system; `osRelease` is the text of /etc/os-release. */
export function computeInstallLine(platform: NodeJS.Platform, osRelease: string): string {
  if (platform === "darwin") return "brew install redis";
  const family = osRelease
    .split("\n")
    .filter((line) => /^ID(_LIKE)?=/.test(line))
    .join(" ");
  if (/debian|ubuntu/.test(family)) return "sudo apt-get install -y redis-server";
  if (/fedora|rhel|centos/.test(family)) return "sudo dnf install -y valkey";
  if (/alpine/.test(family)) return "sudo apk add redis";
  return "docker run -d -p 127.0.0.1:6379:6379 redis:7 (and --redis redis://127.0.0.1:6379)";
}

async function checkNamed(binary: string): Promise<string> {
  const version = await readVersion(binary);
  if (version !== undefined && isNewEnough(version)) return binary;
  const fault = version === undefined ? "is no redis-server that can be run" : `is ${version.text}`;
  throw new OnboardError(EXIT.usage, `ONBOARD_BATCH_REDIS_SERVER: ${binary} ${fault}`, {
    hint: `name a redis-server or valkey-server, ${OLDEST_SERVER} or later, or unset it`,
  });
}

function candidates(searchPath: string): string[] {
  // A relative folder in PATH would make the server depend on where the command is typed.
  const folders = searchPath.split(delimiter).filter((folder) => folder.startsWith("/"));
  return [...new Set([...folders, ...USUAL_FOLDERS])].flatMap((folder) =>
    NAMES.map((name) => join(folder, name)),
  );
}

async function readVersion(path: string): Promise<ServerVersion | undefined> {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: 5_000, env: {} });
    return parseVersionLine(stdout);
  } catch {
    return undefined;
  }
}

async function noBinary(tooOld: readonly string[]): Promise<OnboardError> {
  const osRelease = await readFile("/etc/os-release", "utf8").catch(() => "");
  const found =
    tooOld.length === 0 ? "" : ` (${tooOld.join(", ")}; at least ${OLDEST_SERVER} is needed)`;
  return new OnboardError(
    EXIT.unavailable,
    `no Redis was named, and no redis-server or valkey-server was found on this machine${found}`,
    {
      hint: `install one: ${computeInstallLine(process.platform, osRelease)}; or name a Redis with --redis redis://host:6379`,
    },
  );
}

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../core/errors.ts";
import type { Fault } from "./faults.ts";

const KEY = "ONBOARD_BATCH_API_KEY";
const KEY_FILE = "ONBOARD_BATCH_API_KEY_FILE";

/** The key, or nothing, with what is wrong or unwise about it. No text holds the key. */
export interface ApiKey {
  readonly apiKey?: string;
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

/** Reads the API key from the environment or the file that the environment names (relative to `cwd`). */
export async function readApiKey(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<ApiKey> {
  const key = env[KEY] || undefined;
  const file = env[KEY_FILE] || undefined;
  if (key !== undefined && file !== undefined) {
    return refused(KEY_FILE, `contradicts ${KEY}; set one of them`);
  }
  if (file !== undefined) return readKeyFile(path.resolve(cwd, file));
  return key === undefined ? { faults: [], warnings: [] } : checkKey(key.trim(), KEY);
}

async function readKeyFile(file: string): Promise<ApiKey> {
  try {
    const [content, { mode }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
    const checked = checkKey(content.trim(), `${KEY_FILE} (${file})`);
    const isOpen = (mode & 0o077) !== 0 && process.platform !== "win32";
    const warning = `${file} holds the API key and others may read it; chmod 600 ${file}`;
    return isOpen ? { ...checked, warnings: [warning] } : checked;
  } catch (error) {
    return refused(KEY_FILE, `cannot be read (${errorText(error)})`);
  }
}

function checkKey(key: string, place: string): ApiKey {
  if (key === "") return refused(place, "is empty");
  // What an HTTP header can carry without being changed on the way.
  if (!/^[\x21-\x7e]+$/.test(key)) return refused(place, "must be one word of printable ASCII");
  return { apiKey: key, faults: [], warnings: [] };
}

function refused(place: string, message: string): ApiKey {
  return { faults: [{ place, message }], warnings: [] };
}

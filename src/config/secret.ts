import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../core/errors.ts";
import type { Fault } from "./faults.ts";

/** A secret, or nothing, with what is wrong or unwise about it. No text holds the secret. */
export interface Secret {
  readonly value?: string;
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

/** Name -> value, as process.env. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Which secret, and what it must be. */
export interface SecretKind {
  /** Environment name that holds it; with `_FILE` at its end, the one that names a file with it. */
  readonly name: string;
  /** For people: `the API key`. */
  readonly what: string;
  /** What is wrong with a value, which is not empty; must not repeat it. */
  readonly problemOf: (value: string) => string | undefined;
}

/** Reads a secret from the environment or the file that the environment names (relative to `cwd`). */
export async function readSecret(kind: SecretKind, env: Environment, cwd: string): Promise<Secret> {
  const fileName = `${kind.name}_FILE`;
  const value = env[kind.name] || undefined;
  const file = env[fileName] || undefined;
  if (value !== undefined && file !== undefined) {
    return refused(fileName, `contradicts ${kind.name}; set one of them`);
  }
  if (file !== undefined) return readSecretFile(kind, path.resolve(cwd, file));
  return value === undefined ? { faults: [], warnings: [] } : check(kind, value, kind.name);
}

async function readSecretFile(kind: SecretKind, file: string): Promise<Secret> {
  const fileName = `${kind.name}_FILE`;
  try {
    const [content, { mode }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
    const checked = check(kind, content, `${fileName} (${file})`);
    const isOpen = (mode & 0o077) !== 0 && process.platform !== "win32";
    const warning = `${file} holds ${kind.what} and others may read it; chmod 600 ${file}`;
    return isOpen ? { ...checked, warnings: [warning] } : checked;
  } catch (error) {
    return refused(fileName, `cannot be read (${errorText(error)})`);
  }
}

function check({ problemOf }: SecretKind, raw: string, place: string): Secret {
  const value = raw.trim();
  const problem = value === "" ? "is empty" : problemOf(value);
  return problem === undefined ? { value, faults: [], warnings: [] } : refused(place, problem);
}

function refused(place: string, message: string): Secret {
  return { faults: [{ place, message }], warnings: [] };
}

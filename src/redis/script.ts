import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RedisClient } from "./connect.ts";

/**
 * One atomic transition in Redis: a Lua file of `lua/`, called with its keys and arguments. Gives
 * what the script returns as texts; a single value as a list of one.
 */
export type Script = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<readonly string[]>;

/** Functions that several transitions share: how they are called, and the file that defines them. */
const PRELUDES = [
  ["iso_now(", "iso-time"],
  ["goes_on(", "goes-on"],
] as const;

/**
 * Loads a transition. It is sent by its hash, and whole when this Redis does not know it yet.
 *
 * @param name file name in `lua/` without its ending
 */
export function loadScript(client: RedisClient, name: string): Script {
  const { source, sha } = readScript(name);
  return async (keys, args) => toTexts(await evaluate(keys, args));

  async function evaluate(
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await client.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes("NOSCRIPT")) throw error;
      return client.eval(source, keys.length, ...keys, ...args);
    }
  }
}

/** What Redis gets of a transition: its text with its preludes, and the hash by which it is called. */
export function readScript(name: string): { readonly source: string; readonly sha: string } {
  const body = readLua(name);
  const preludes = PRELUDES.filter(([call]) => body.includes(call)).map(([, file]) =>
    readLua(file),
  );
  const source = [...preludes, body].join("\n");
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}

function toTexts(reply: unknown): readonly string[] {
  return (Array.isArray(reply) ? reply : [reply]).map(String);
}

function readLua(name: string): string {
  return readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), "utf8");
}

import { readFile } from "node:fs/promises";
import { Redis } from "ioredis";

/** The accounts that docs/redis.md recommends. */
export type AccountName = "onboard-batch" | "onboard-batch-sentinel";

/** Has what a URL or a shell would take amiss. */
export const ACCOUNT_PASSWORD = "pass/w:ord";

/** The words of the documented `ACL SETUSER`, with the password put in. */
export async function documentedAccount(name: AccountName): Promise<readonly string[]> {
  const text = await readFile("docs/redis.md", "utf8");
  const [, line] = new RegExp(`^ACL (SETUSER ${name} .* >PASSWORD .*)$`, "m").exec(text) ?? [];
  if (line === undefined) throw new Error(`docs/redis.md has no account ${name}`);
  return line.replace(">PASSWORD", `>${ACCOUNT_PASSWORD}`).split(" ");
}

/**
 * Makes the documented account on a server that lets everybody in.
 *
 * @param more what it is to be permitted besides
 */
export async function makeAccount(
  port: number,
  name: AccountName,
  more: readonly string[] = [],
): Promise<void> {
  const words = [...(await documentedAccount(name)), ...more];
  await withServer(port, (client) => client.call("ACL", ...words));
}

/** What docs/redis.md adds for a Cluster. */
export async function documentedForCluster(): Promise<readonly string[]> {
  const text = await readFile("docs/redis.md", "utf8");
  const [, line] = /^- on a Cluster `(.*)`/m.exec(text) ?? [];
  if (line === undefined) throw new Error("docs/redis.md adds nothing for a Cluster");
  return line.split(" ");
}

/** What a server has refused since it runs, one text each. */
export async function readRefusals(port: number): Promise<readonly string[]> {
  return withServer(port, refusalsOf);
}

/** As readRefusals, by a client that may ask. */
export async function refusalsOf(client: Redis): Promise<readonly string[]> {
  const log: unknown = await client.call("ACL", "LOG");
  return Array.isArray(log) ? log.map((entry) => JSON.stringify(entry)) : ["no list"];
}

async function withServer<T>(port: number, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ host: "127.0.0.1", port, enableReadyCheck: false });
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

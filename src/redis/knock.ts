import { Redis } from "ioredis";
import type { RedisLogin, RedisNode, RedisTls, RedisTopology } from "./topology.ts";

interface Door {
  readonly isCluster: boolean;
  readonly nodes: readonly RedisNode[];
  readonly login: RedisLogin | undefined;
  readonly tls: RedisTls | undefined;
}

const KNOCK_LIMIT_MS = 2_000;

/**
 * What stands between us and the Sentinels or nodes that were named: a refused connection, a
 * certificate, a password. ioredis itself only tells that none of them could be used.
 *
 * @returns the first error; undefined when there is none, or for a single server, which tells itself
 */
export async function findTrouble(topology: RedisTopology): Promise<unknown> {
  const door = doorOf(topology);
  if (door === undefined) return undefined;
  for (const node of door.nodes) {
    const error = await knockAt(node, door);
    if (error !== undefined) return error;
  }
  return undefined;
}

function doorOf(topology: RedisTopology): Door | undefined {
  const { tls } = topology;
  switch (topology.kind) {
    case "single":
      return undefined;
    case "sentinels":
      return { isCluster: false, nodes: topology.sentinels, login: topology.sentinelLogin, tls };
    case "cluster":
      return { isCluster: true, nodes: topology.nodes, login: topology.login, tls };
  }
}

async function knockAt(
  { host, port }: RedisNode,
  { isCluster, login, tls }: Door,
): Promise<unknown> {
  const client = new Redis({
    host,
    port,
    lazyConnect: true,
    connectTimeout: KNOCK_LIMIT_MS,
    retryStrategy: () => null,
    enableReadyCheck: false,
    ...(login?.password === undefined ? {} : { password: login.password }),
    ...(login?.password === undefined || login.user === undefined ? {} : { username: login.user }),
    ...(tls === undefined ? {} : { tls }),
  });
  let first: unknown;
  client.on("error", (error: unknown) => {
    first ??= error;
  });
  try {
    await client.connect();
    if (isCluster) assertUp(await client.cluster("INFO"));
    else await client.ping();
  } catch (error) {
    first ??= error;
  } finally {
    client.disconnect();
  }
  return first;
}

function assertUp(clusterInfo: string): void {
  if (!clusterInfo.includes("cluster_state:ok")) throw new Error("not every slot has a node");
}

import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import { clientName } from "./process-identity.ts";
import { parseRedisUrl } from "./redis-url.ts";

/** A port on a host. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** What proves who we are; without a password nothing is proven. */
export interface RedisLogin {
  /** Redis' default user unless given. */
  readonly user?: string;
  readonly password?: string;
}

/** PEM texts; what is not given is the system's, or not sent. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Where Redis is and how it stands up to the loss of a server. */
export type RedisTopology =
  | {
      readonly kind: "single";
      /** `redis://`, `rediss://` or `unix:///path`. A login in it wins over the one beside it. */
      readonly url: string;
      readonly login?: RedisLogin;
      /** For `rediss://`. */
      readonly tls?: RedisTls;
    }
  | {
      readonly kind: "sentinels";
      readonly sentinels: readonly RedisNode[];
      /** What the Sentinels call the group. */
      readonly name: string;
      readonly login?: RedisLogin;
      readonly sentinelLogin?: RedisLogin;
      /** Undefined: none, with Sentinels and servers alike. */
      readonly tls?: RedisTls;
    }
  | {
      readonly kind: "cluster";
      /** Some of them; the others are learnt. */
      readonly nodes: readonly RedisNode[];
      readonly login?: RedisLogin;
      /** Undefined: none. */
      readonly tls?: RedisTls;
    };

/** Replies keep the shapes of RESP2, which BullMQ reads. */
type ServerOptions = Omit<RedisOptions, "replyMapping">;

type Of<Kind extends RedisTopology["kind"]> = Extract<RedisTopology, { kind: Kind }>;

// The default backs off to 20 s in BullMQ and 5 s here: deaf for as long after an outage.
const retryDelayMs = (attemptCount: number): number => Math.min(100 * attemptCount, 1_000);

const CONNECTION_OPTIONS = {
  // BullMQ demands it: commands wait for Redis to come back instead of failing.
  maxRetriesPerRequest: null,
  connectTimeout: 5_000,
  disconnectTimeout: 500,
} as const;

const CLUSTER_OPTIONS = {
  clusterRetryStrategy: retryDelayMs,
  // As with one server: a command waits until the node of its slot is back or has a successor.
  maxRedirections: Number.MAX_SAFE_INTEGER,
  retryDelayOnFailover: 100,
  retryDelayOnClusterDown: 100,
  retryDelayOnTryAgain: 100,
  // Nodes that disagree about a slot for a moment must not be asked in a tight circle.
  retryDelayOnMoved: 10,
  slotsRefreshTimeout: 5_000,
} as const;

/** The name of a Redis for messages, without credentials. */
export function nameOf(topology: RedisTopology): string {
  switch (topology.kind) {
    case "single":
      return parseRedisUrl(topology.url).name;
    case "sentinels":
      return `${topology.name} (Sentinels ${listNodes(topology.sentinels)})`;
    case "cluster":
      return `${listNodes(topology.nodes)} (Cluster)`;
  }
}

/**
 * Begins to connect.
 * @throws OnboardError (exit 2) when a URL cannot be read
 */
export function createClient(topology: RedisTopology): Redis | Cluster {
  switch (topology.kind) {
    case "single":
      return new Redis(singleTarget(topology), {
        ...commonOptions(topology),
        retryStrategy: retryDelayMs,
        ...(topology.tls === undefined ? {} : { tls: topology.tls }),
      });
    case "sentinels":
      return new Redis(sentinelOptions(topology));
    case "cluster":
      return settlingConnect(new Cluster([...topology.nodes], clusterOptions(topology)));
  }
}

/**
 * Makes connect() of a Cluster client, and of its duplicates, always settle. ioredis leaves it pending
 * for ever once the first check finds the Cluster down, although it goes on trying and becomes ready:
 * BullMQ, which connects anew after an outage, would wait for it and never take a job again.
 */
function settlingConnect(cluster: Cluster): Cluster {
  const connect = cluster.connect.bind(cluster);
  const duplicate = cluster.duplicate.bind(cluster);
  return Object.assign(cluster, {
    connect: async () => {
      const listening = new AbortController();
      const { signal } = listening;
      try {
        await Promise.race([connect(), untilReady(cluster, signal)]);
      } finally {
        listening.abort();
      }
    },
    duplicate: (...from: Parameters<typeof duplicate>) => settlingConnect(duplicate(...from)),
  });
}

/** @param listening ends the listening, and leaves the promise pending */
function untilReady(cluster: Cluster, listening: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onReady = (): void => resolve();
    const onEnd = (): void => reject(new Error("Connection is closed."));
    cluster.on("ready", onReady).on("end", onEnd);
    const stop = (): void => void cluster.off("ready", onReady).off("end", onEnd);
    listening.addEventListener("abort", stop, { once: true });
  });
}

/** A further connection of the same kind to the same Redis; connects at once. */
export function duplicateOf(client: Redis | Cluster): Redis | Cluster {
  return client instanceof Cluster ? client.duplicate() : client.duplicate();
}

/** The servers that hold keys: each must be asked for what is not about a key. */
export function mastersOf(client: Redis | Cluster): readonly Redis[] {
  return client instanceof Cluster ? client.nodes("master") : [client];
}

/** Whether there is a connection, be it a broken one, to the server of every key. */
export function hasAllMasters(client: Redis | Cluster): boolean {
  if (!(client instanceof Cluster)) return true;
  const connected = new Set(
    client.nodes("master").map(({ options }) => `${options.host}:${options.port}`),
  );
  // A node that cannot be reached leaves the connections at once, and the slots when it has a successor.
  return client.slots.every(([master]) => master !== undefined && connected.has(master));
}

function commonOptions({ login }: Pick<RedisTopology, "login">): ServerOptions {
  return {
    ...CONNECTION_OPTIONS,
    connectionName: clientName(),
    ...(login?.password === undefined ? {} : { password: login.password }),
    ...(login?.password === undefined || login.user === undefined ? {} : { username: login.user }),
  };
}

/** ioredis takes an empty login of a URL for one: then the one beside it goes into the URL. */
function singleTarget({ url, login }: Of<"single">): string {
  const { target } = parseRedisUrl(url);
  if (login?.password === undefined || url !== target) return target;
  const withLogin = new URL(url);
  if (withLogin.password !== "") return target;
  if (withLogin.username === "") withLogin.username = encodeURIComponent(login.user ?? "");
  withLogin.password = encodeURIComponent(login.password);
  return withLogin.href;
}

function sentinelOptions(topology: Of<"sentinels">): ServerOptions {
  const { sentinels, name, sentinelLogin, tls } = topology;
  const { user, password } = sentinelLogin ?? {};
  return {
    ...commonOptions(topology),
    retryStrategy: retryDelayMs,
    sentinels: [...sentinels],
    name,
    // Without a number ioredis gives up for good once no Sentinel answers.
    sentinelRetryStrategy: retryDelayMs,
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(password === undefined || user === undefined ? {} : { sentinelUsername: user }),
    ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    // A master that became a replica keeps our connection: ask the Sentinels anew, and send again.
    reconnectOnError: (error) => (error.message.startsWith("READONLY") ? 2 : false),
  };
}

function clusterOptions(
  topology: Of<"cluster">,
): Omit<ClusterOptions, "redisOptions"> & { redisOptions: ServerOptions } {
  const { tls } = topology;
  const redisOptions = { ...commonOptions(topology), ...(tls === undefined ? {} : { tls }) };
  return {
    ...CLUSTER_OPTIONS,
    redisOptions,
    // A certificate names hosts: under TLS they must not become addresses before they are checked.
    ...(tls === undefined ? {} : { dnsLookup: (host, done) => done(null, host) }),
  };
}

function listNodes(nodes: readonly RedisNode[]): string {
  return nodes
    .map(({ host, port }) => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`))
    .join(", ");
}

import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  ask,
  findFreePorts,
  plainLines,
  prepareGround,
  type ServerProcess,
  until,
} from "./redis-processes.ts";
import { makeAuthority, makeCertificate } from "./tls-authority.ts";

/** Real redis-servers on loopback, put together as in production. Whoever starts them stops them. */

interface Stoppable {
  /** Ends every process by its id and removes the folder. */
  stop(): Promise<void>;
}

export interface TestCluster extends Stoppable {
  readonly nodes: readonly ServerProcess[];
  /** `host:port` of each. */
  readonly addresses: readonly string[];
  /** Resolves when every node can be asked for its keys again. */
  untilUp(): Promise<void>;
  /** The node that holds a key. */
  ownerOf(key: string): Promise<ServerProcess>;
}

export interface TestSentinels extends Stoppable {
  readonly name: string;
  /** `host:port` of each Sentinel. */
  readonly addresses: readonly string[];
  readonly master: ServerProcess;
  readonly replica: ServerProcess;
  /** Port of the master as the Sentinels see it now. */
  masterPort(): Promise<number>;
}

export interface TestTlsRedis extends Stoppable {
  /** `rediss://`. */
  readonly url: string;
  /** The authority that signed the server's certificate. */
  readonly caFile: string;
  /** An authority that signed nothing here. */
  readonly otherCaFile: string;
  /** A certificate for clients, signed by the same authority as the server's. */
  readonly clientCertFile: string;
  readonly clientKeyFile: string;
}

/** Starts a Cluster of masters that share the slots evenly. */
export async function startCluster(size = 3): Promise<TestCluster> {
  const ground = await prepareGround();
  const ports = await findFreePorts(size * 2);
  const nodePorts = ports.slice(0, size);
  const nodes = await Promise.all(
    nodePorts.map((port, index) =>
      ground.start({
        port,
        lines: [
          ...plainLines(port),
          "appendonly yes",
          "cluster-enabled yes",
          `cluster-config-file nodes-${port}.conf`,
          "cluster-node-timeout 2000",
          // The usual one, 10000 above, may not exist.
          `cluster-port ${ports[size + index]}`,
        ],
      }),
    ),
  );
  await join(nodePorts, ports.slice(size));
  return {
    nodes,
    addresses: nodePorts.map((port) => `127.0.0.1:${port}`),
    untilUp: () => untilUp(nodePorts),
    ownerOf: async (key) => {
      const slot = await ask(nodePorts[0] ?? 0, (client) => client.cluster("KEYSLOT", key));
      const index = Math.floor((slot * size) / SLOTS);
      const owner = nodes[index];
      if (owner === undefined) throw new Error(`no node holds slot ${slot}`);
      return owner;
    },
    stop: () => ground.clear(),
  };
}

const SLOTS = 16_384;

async function join(ports: readonly number[], busPorts: readonly number[]): Promise<void> {
  const size = ports.length;
  for (const [index, port] of ports.entries()) {
    // The last slot that `ownerOf` gives to this node; both round the same way.
    const from = Math.ceil((index * SLOTS) / size);
    const to = Math.ceil(((index + 1) * SLOTS) / size) - 1;
    await ask(port, async (client) => {
      await client.cluster("ADDSLOTSRANGE", from, to);
      await client.call("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
      await client.call("CLUSTER", "MEET", "127.0.0.1", String(ports[0]), String(busPorts[0]));
    });
  }
  await untilUp(ports);
}

async function untilUp(ports: readonly number[]): Promise<void> {
  const { length } = ports;
  const signs = ["cluster_state:ok", `cluster_known_nodes:${length}`, `cluster_size:${length}`];
  for (const port of ports) {
    await until(`node ${port} sees the whole Cluster`, () =>
      ask(port, async (client) => {
        const info = await client.cluster("INFO");
        return signs.every((sign) => info.includes(sign));
      }),
    );
  }
}

/** Starts a master, a replica and Sentinels that put the replica in its place after about 1.5 s. */
export async function startSentinels(count = 3): Promise<TestSentinels> {
  const ground = await prepareGround();
  const name = "onboarding";
  const ports = await findFreePorts(count + 2);
  const [masterPort = 0, replicaPort = 0, ...sentinelPorts] = ports;
  const master = await ground.start({
    port: masterPort,
    lines: [...plainLines(masterPort), "appendonly yes"],
  });
  const replica = await ground.start({
    port: replicaPort,
    lines: [...plainLines(replicaPort), `replicaof 127.0.0.1 ${masterPort}`],
  });
  await until("the replica follows", () =>
    ask(replicaPort, async (client) => {
      return (await client.info("replication")).includes("master_link_status:up");
    }),
  );
  const quorum = Math.floor(count / 2) + 1;
  for (const port of sentinelPorts) {
    await ground.start({
      port,
      lines: [
        "bind 127.0.0.1",
        `port ${port}`,
        `sentinel monitor ${name} 127.0.0.1 ${masterPort} ${quorum}`,
        `sentinel down-after-milliseconds ${name} 1000`,
        `sentinel failover-timeout ${name} 4000`,
      ],
      args: ["--sentinel"],
    });
  }
  for (const port of sentinelPorts) {
    await until(`Sentinel ${port} knows the others`, () =>
      ask(port, async (client) => {
        const info = await client.info("sentinel");
        return info.includes(`slaves=1,sentinels=${count}`);
      }),
    );
  }
  return {
    name,
    addresses: sentinelPorts.map((port) => `127.0.0.1:${port}`),
    master,
    replica,
    masterPort: () =>
      ask(sentinelPorts[0] ?? 0, async (client) => {
        const address = await client.call("SENTINEL", "get-master-addr-by-name", name);
        return Array.isArray(address) ? Number(address[1]) : 0;
      }),
    stop: () => ground.clear(),
  };
}

/** Starts a Redis that speaks nothing but TLS, with a certificate of a private authority. */
export async function startTlsRedis(
  clients: "anybody" | "with-certificate" = "anybody",
): Promise<TestTlsRedis> {
  const ground = await prepareGround();
  const { dir } = ground;
  const caFile = await makeAuthority(dir, "ca");
  const otherCaFile = await makeAuthority(dir, "other");
  await makeCertificate(dir, "server");
  await makeCertificate(dir, "client");
  const [port = 0] = await findFreePorts(1);
  await ground.start({
    port,
    lines: [
      "bind 127.0.0.1",
      "port 0",
      `tls-port ${port}`,
      `dir "${dir}"`,
      'save ""',
      `tls-cert-file "${dir}/server.pem"`,
      `tls-key-file "${dir}/server.key"`,
      `tls-ca-cert-file "${caFile}"`,
      `tls-auth-clients ${clients === "anybody" ? "no" : "yes"}`,
    ],
    client: {
      tls: {
        ca: await readFile(caFile, "utf8"),
        cert: await readFile(path.join(dir, "client.pem"), "utf8"),
        key: await readFile(path.join(dir, "client.key"), "utf8"),
      },
    },
  });
  return {
    url: `rediss://127.0.0.1:${port}`,
    caFile,
    otherCaFile,
    clientCertFile: path.join(dir, "client.pem"),
    clientKeyFile: path.join(dir, "client.key"),
    stop: () => ground.clear(),
  };
}

import { describe, expect, it, onTestFinished } from "vitest";
import { createClient, nameOf, type RedisTopology } from "../../../src/redis/topology.ts";

const NODES = [
  { host: "127.0.0.1", port: 1 },
  { host: "::1", port: 2 },
];

describe("the name of a Redis", () => {
  it.each<[RedisTopology, string]>([
    [{ kind: "single", url: "redis://me:pw@h:1/2" }, "redis://***@h:1/2"],
    [
      { kind: "sentinels", sentinels: NODES, name: "mymaster", login: { password: "pw" } },
      "mymaster (Sentinels 127.0.0.1:1, [::1]:2)",
    ],
    [
      { kind: "cluster", nodes: NODES, login: { password: "pw" } },
      "127.0.0.1:1, [::1]:2 (Cluster)",
    ],
  ])("of %j is %s", (topology, name) => {
    expect(nameOf(topology)).toBe(name);
  });
});

/** The account with which a client of a URL introduces itself. */
function loginOf(url: string, login: NonNullable<RedisTopology["login"]>): unknown {
  const client = createClient({ kind: "single", url, login });
  client.on("error", () => {
    // Nobody listens there.
  });
  onTestFinished(() => client.disconnect());
  if (!("username" in client.options)) throw new Error("no single server");
  const { username, password, host, db } = client.options;
  return { username: username ?? "", password: password ?? "", host, db };
}

describe("the account at a single server", () => {
  it.each([
    ["redis://127.0.0.1:1/3", { user: "me", password: "p/@:%" }, ["me", "p/@:%"]],
    ["redis://127.0.0.1:1/3", { password: "pw" }, ["", "pw"]],
    ["redis://127.0.0.1:1/3", { user: "me" }, ["", ""]],
    ["redis://url%20user@127.0.0.1:1/3", { user: "me", password: "pw" }, ["url user", "pw"]],
    ["redis://:url%2Fpw@127.0.0.1:1/3", { user: "me", password: "pw" }, ["", "url/pw"]],
    ["redis://u:url@127.0.0.1:1/3", { user: "me", password: "pw" }, ["u", "url"]],
  ])("%s beside %j", (url, login, [username, password]) => {
    expect(loginOf(url, login)).toMatchObject({ username, password, host: "127.0.0.1" });
  });
});

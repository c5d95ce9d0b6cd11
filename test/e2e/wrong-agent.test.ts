import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { doneRows } from "../helpers/progress-watch.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage, type Stage } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

const AT_ONCE = { duration: { kind: "fixed", ms: 0 } } as const;

const STRANGERS: readonly (readonly [string, SandboxOptions])[] = [
  ["answers 404 to messages", onSend({ kind: "http", status: 404 })],
  ["knows another version of the protocol", onSend({ kind: "rpc-error", code: -32009 })],
  ["does not know the method", onSend({ kind: "rpc-error", code: -32601 })],
  ["demands an extension by its answer", onSend({ kind: "rpc-error", code: -32008 })],
  ["demands an extension by its card", { requiredExtension: "https://example.com/ext" }],
  ["claims another version in its card", { protocolVersion: "0.3.0" }],
  [
    "redirects",
    onSend({ kind: "http", status: 307, headers: { location: "http://127.0.0.1:1/" } }),
  ],
];

describe.concurrent("an agent that is not the one that was configured", PATIENCE, () => {
  test.for(STRANGERS)("ends the run with exit 2 when it %s", async ([, options], context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ ...AT_ONCE, ...options });
    const file = await stage.partners(5);
    const end = await stage.run("run", file);
    expect(end.exitCode, end.stderr).toBe(2);
    expect(end.stderr).toContain("--agent-url");
    expect(await progressOf(stage)).toMatchObject({ total: "5", pending: "5", failed: "0" });
    expect(agent.stats().tasks).toBe(0);
  });

  test("keeps the rows for the right one under the same address", async (context) => {
    const stage = await openStage(context);
    const stranger = await stage.agent(onSend({ kind: "http", status: 404 }));
    const gateway = await stage.gateway(stranger);
    const file = await stage.partners(5);
    expect((await stage.run("run", file)).exitCode).toBe(2);
    const agent = await stage.agent(AT_ONCE);
    gateway.lead(agent.url);
    stage.setEnv({ ONBOARD_BATCH_AGENT_URL: gateway.url });
    const again = await stage.run("run", file);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(5));
    expect(agent.stats().tasks).toBe(5);
  });

  test("gets no key when its card redirects", async (context) => {
    const stage = await openStage(context);
    const seen: string[] = [];
    const elsewhere = createServer((incoming, outgoing) => {
      seen.push(incoming.url ?? "");
      outgoing.end("{}");
    }).listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    const address = elsewhere.address();
    const port = typeof address === "object" ? address?.port : 0;
    const redirecting = createServer((_incoming, outgoing) => {
      outgoing.writeHead(302, { location: `http://127.0.0.1:${port}/card` });
      outgoing.end();
    }).listen(0, "127.0.0.1");
    await once(redirecting, "listening");
    context.onTestFinished(() => {
      elsewhere.close();
      redirecting.close();
    });
    const own = redirecting.address();
    const ownPort = typeof own === "object" ? own?.port : 0;
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "key-1" });
    const end = await stage.run(
      "run",
      await stage.partners(1),
      "--agent-url",
      `http://127.0.0.1:${ownPort}/`,
    );
    expect(end.exitCode, end.stderr).toBe(2);
    expect(seen).toEqual([]);
  });
});

describe.concurrent("exit code 4", PATIENCE, () => {
  test("means that the agent refuses the key on its card: nothing is sent", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ ...AT_ONCE, apiKey: "right-key" });
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "wrong-key" });
    const file = await stage.partners(3);
    const end = await stage.run("run", file);
    expect(end.exitCode, end.stderr).toBe(4);
    expect(end.stderr).toContain("ONBOARD_BATCH_API_KEY");
    expect(end.stderr).not.toContain("wrong-key");
    expect(agent.stats()).toMatchObject({ calls: { SendMessage: 0, GetTask: 0 } });
    expect(await progressOf(stage)).toMatchObject({ pending: "3", failed: "0" });

    stage.setEnv({ ONBOARD_BATCH_API_KEY: "right-key" });
    const again = await stage.run("run", file);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(agent.stats().tasks).toBe(3);
  });

  test("means a key that is refused in mid-run: rows stay, and a new key goes on", async (context) => {
    const stage = await openStage(context);
    const rows = 60;
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 100 } });
    const gateway = await stage.gateway(agent);
    gateway.allowKey("old-key");
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "old-key" });
    const file = await stage.partners(rows);
    const watch = stage.watch();
    const running = stage.run("run", file, "--rate", "20");
    await watch.until((reading) => doneRows(reading) >= 10);
    gateway.allowKey("new-key");
    const end = await running;
    expect(end.exitCode, end.stderr).toBe(4);
    expect(end.stderr).toContain("same command");
    expect(end.stderr).toContain(`onboard-batch report ${stage.runId}`);
    const stopped = await progressOf(stage);
    expect(stopped).toMatchObject({ status: "running", failed: "0" });
    expect(Number(stopped["pending"])).toBeGreaterThan(0);

    stage.setEnv({ ONBOARD_BATCH_API_KEY: "new-key" });
    const again = await stage.run("run", file, "--rate", "20");
    expect(again.exitCode, again.stderr).toBe(0);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(rows));
    expect(agent.stats().tasks).toBe(rows);
  });
});

function onSend(effect: NonNullable<SandboxOptions["faults"]>[number]["effect"]): SandboxOptions {
  return { faults: [{ match: { method: "SendMessage" }, effect }] };
}

function progressOf({ redis, runId }: Stage): Promise<Record<string, string>> {
  return redis.hgetall(`onboard-batch:{${runId}}:progress`);
}

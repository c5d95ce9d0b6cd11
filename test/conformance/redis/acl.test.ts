import { Redis } from "ioredis";
import { expect, test } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { doneRows, watchProgress } from "../../helpers/progress-watch.ts";
import { ACCOUNT_PASSWORD, documentedAccount, refusalsOf } from "../../helpers/redis-account.ts";
import { openTopologyStage, type TopologyStage } from "../../helpers/topology-stage.ts";

const ROWS = 60;

interface Restricted {
  readonly stage: TopologyStage;
  readonly admin: Redis;
  readonly adminUrl: string;
}

const BAD_GATEWAY = { kind: "http", status: 502 } as const;
const LATE_ROW = { method: "SendMessage", textIncludes: "Partner 30 GmbH" } as const;

// Calls are on the wire when a process is killed, and one row has to be sent four times.
const AGENT: SandboxOptions = {
  duration: { kind: "uniform", minMs: 50, maxMs: 400 },
  faults: [
    { match: { method: "SendMessage" }, effect: { kind: "slow", ms: 200 } },
    ...[1, 2, 3].map((nth) => ({ match: { ...LATE_ROW, nth }, effect: BAD_GATEWAY })),
  ],
};

/** A Redis that lets in the documented user and an administrator, and a stage that uses it as that user. */
async function setUp(context: Parameters<typeof openTopologyStage>[0]): Promise<Restricted> {
  const stage = await openTopologyStage(context, [], AGENT);
  const { url } = await stage.privateRedis({ config: ["user admin on >admin ~* &* +@all"] });
  stage.setEnv({ ONBOARD_BATCH_REDIS: undefined, ONBOARD_BATCH_REDIS_PASSWORD: ACCOUNT_PASSWORD });
  await stage.write("onboard-batch.yaml", `redis: {url: "${url}", user: onboard-batch}\n`);
  const adminUrl = url.replace("//", "//admin:admin@");
  const admin = new Redis(adminUrl);
  context.onTestFinished(() => admin.disconnect());
  await admin.call("ACL", ...(await documentedAccount("onboard-batch")));
  await admin.call("ACL", "SETUSER", "default", "off");
  return { stage, admin, adminUrl };
}

test("the documented account is enough for a run through a kill and an outage of its agent", async (context) => {
  const { stage, admin, adminUrl } = await setUp(context);
  const gateway = await stage.gateway(stage.quickAgent);
  const watch = watchProgress(adminUrl, stage.runId);
  context.onTestFinished(() => watch.stop());
  const words = [...(await stage.runWords(ROWS)), "--max-open-tasks", "20"];
  const first = stage.start(...words);
  await watch.until((reading) => doneRows(reading) >= 5);
  await first.kill();
  const going = stage.start(...words);
  await watch.until((reading) => doneRows(reading) >= 40);
  await gateway.cut();
  await watch.until((reading) => reading["statusReason"] === "agent-down");
  await gateway.mend();
  const second = await going.ended;
  expect(second.exitCode, second.stderr).toBe(0);
  await stage.expectAllOnce(ROWS);
  await giveOrders(stage);
  expect(await refusalsOf(admin)).toEqual([]);
  // Nothing is permitted in vain. PING is asked only when Redis is silent after a stop.
  const used = await admin.info("commandstats");
  const permitted = (await documentedAccount("onboard-batch")).filter((word) =>
    word.startsWith("+"),
  );
  const vain = permitted.filter((word) => !used.includes(`cmdstat_${word.slice(1)}:`));
  expect(vain).toEqual(["+ping"]);
}, 60_000);

/** Every order of an operator, to a small run of its own. */
async function giveOrders(stage: TopologyStage): Promise<void> {
  stage.setEnv({ ONBOARD_BATCH_RUN_ID: `${stage.runId}-orders` });
  const file = await stage.partners(3, "orders.csv");
  const steps = [
    [["ingest", file, "--rate", "30"], 0],
    [["pause", "--last"], 0],
    [["resume", "--last"], 0],
    [["cancel", "--last", "--yes"], 0],
    [["run", file, "--rate", "30"], 7],
    [["retry", "--last"], 0],
  ] as const;
  for (const [words, exitCode] of steps) {
    const end = await stage.run(...words);
    expect(end.exitCode, end.stderr).toBe(exitCode);
  }
}

test("the documented account is enough for ingest, worker, collect and status", async (context) => {
  const { stage, admin } = await setUp(context);
  const [, file = ""] = await stage.runWords(ROWS);
  const ingested = await stage.run("ingest", file, "--rate", "30", "--poll-rate", "200");
  expect(ingested.exitCode, ingested.stderr).toBe(0);
  const worker = stage.start("worker");
  const collected = await stage.run("collect", stage.runId);
  expect(collected.exitCode, collected.stderr).toBe(0);
  await stage.expectAllOnce(ROWS);
  const status = await stage.run("status");
  expect(status.exitCode, status.stderr).toBe(0);
  worker.signal("SIGTERM");
  expect((await worker.ended).exitCode).toBe(0);
  expect(await refusalsOf(admin)).toEqual([]);
}, 60_000);

test("an account that may do less is exit 2 and sent to the documentation", async (context) => {
  const { stage, admin } = await setUp(context);
  await admin.call("ACL", "SETUSER", "onboard-batch", "-@all", "+info");
  const end = await stage.run(...(await stage.runWords(1)));
  expect(end.exitCode, end.stderr).toBe(2);
  expect(end.stderr).toContain("docs/redis.md");
});

test("a wrong password is exit 2, and no output holds it", async (context) => {
  const { stage } = await setUp(context);
  stage.setEnv({ ONBOARD_BATCH_REDIS_PASSWORD: "wrong-password" });
  const end = await stage.run(...(await stage.runWords(1)), "--verbose");
  expect(end.exitCode, end.stderr).toBe(2);
  expect(end.stderr).toContain("refuses the user or password");
  expect(end.stdout + end.stderr).not.toContain("wrong-password");
});

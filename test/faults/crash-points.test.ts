import { existsSync, watch as watchFolder } from "node:fs";
import { readFile, truncate } from "node:fs/promises";
import path from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import type { AgentGateway, GatewayCall, Treatment } from "../helpers/agent-gateway.ts";
import type { CliProcess } from "../helpers/cli-process.ts";
import { createLatch } from "../helpers/latch.ts";
import type { ProgressWatch } from "../helpers/progress-watch.ts";
import type { CutPoint } from "../helpers/redis-tap.ts";
import { isQueueScript, isScript, scriptParts, startRedisTap } from "../helpers/redis-tap.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { expectIdentity, expectSettledOnce, sendsByMessage } from "../helpers/settled-once.ts";
import { openStage, type Stage, type StageAgent } from "../helpers/stage.ts";

/** What a killed process held is taken up within 15 s; the rest is for a busy host. */
const PATIENCE = { timeout: 120_000 };

const ROWS = 12;
/** So that the killed moment is one in the middle: others are done, in hand, and still to come. */
const NTH = 4;
const IN_FLIGHT = 3;

interface Scene {
  readonly stage: Stage;
  readonly agent: StageAgent;
  readonly gateway: AgentGateway;
  readonly watch: ProgressWatch;
  readonly key: (name: string) => string;
  /** Starts the command, over this Redis when one is named. */
  readonly start: (redisUrl?: string) => CliProcess;
  /** What the ledger has of a row. */
  readonly ledger: (row: string) => Promise<string | null>;
  readonly onEnd: (end: () => Promise<void>) => void;
}

describe.concurrent("a process that is killed", PATIENCE, () => {
  test("when its intent to send is written sends that row in the next start", async (context) => {
    const scene = await setUp(context);
    const { args } = await killAtRedis(scene, { matches: isScript("begin-send"), when: "reply" });
    const row = args[1] ?? "";
    expect(await scene.ledger(row)).toBe("s0");
    expect(sendsOf(scene, row)).toBe(0);
    await expectNextStartSettles(scene, { repeats: [0, IN_FLIGHT - 1], countedAtLeast: 1 });
    expect(sendsOf(scene, row)).toBe(1);
  });

  test("when its message has been written, and never got to the agent, sends it once more", async (context) => {
    const scene = await setUp(context);
    const killed = await killAtAgent(scene, "keep");
    const row = rowOf(killed);
    expect(await scene.ledger(row)).toBe("s0");
    await expectNextStartSettles(scene, { repeats: [1, IN_FLIGHT], countedAtLeast: 1 });
    expect(sendsByMessage(scene.gateway.calls).get(killed.messageId)).toBe(2);
  });

  test("when the agent has answered, and the answer has not arrived, sends the same message once more", async (context) => {
    const scene = await setUp(context);
    const killed = await killAtAgent(scene, "keep-answer");
    const row = rowOf(killed);
    const tasksAtKill = scene.agent.stats().tasks;
    expect(tasksAtKill).toBeGreaterThanOrEqual(NTH);
    expect(await scene.ledger(row)).toBe("s0");
    await expectNextStartSettles(scene, { repeats: [1, IN_FLIGHT], countedAtLeast: 1 });
    expect(sendsByMessage(scene.gateway.calls).get(killed.messageId)).toBe(2);
  });

  test("with the answer in hand, before the task is in the ledger, sends the same message once more", async (context) => {
    const scene = await setUp(context);
    const { args } = await killAtRedis(scene, { matches: isScript("record-task"), when: "call" });
    const row = args[0] ?? "";
    expect(await scene.ledger(row)).toBe("s0");
    expect(sendsOf(scene, row)).toBe(1);
    await expectNextStartSettles(scene, { repeats: [1, IN_FLIGHT], countedAtLeast: 1 });
    expect(sendsOf(scene, row)).toBe(2);
  });

  test("between the ledger's task and the job that follows it sends nothing again", async (context) => {
    const scene = await setUp(context);
    const addTrack = isQueueScript(":track:id", ":track:delayed");
    const { keys } = await killAtRedis(scene, { matches: addTrack, when: "call" });
    expect(keys[0]).toMatch(/:track:/);
    const open = (await ledgerOf(scene)).filter(([, state]) => state.startsWith("t"));
    const orphans: string[] = [];
    for (const [row] of open) {
      if (!(await scene.stage.redis.exists(scene.key(`track:r-${row}`)))) orphans.push(row);
    }
    expect(orphans.length).toBeGreaterThanOrEqual(1);
    const [orphan = ""] = orphans;
    await expectNextStartSettles(scene, { repeats: [0, IN_FLIGHT - 1], countedAtLeast: 0 });
    expect(sendsOf(scene, orphan)).toBe(1);
  });

  test("between a recorded outcome and the end of its job counts it once", async (context) => {
    const scene = await setUp(context);
    const endJob = isQueueScript(":track:completed", ":track:metrics:completed");
    const { keys } = await killAtRedis(scene, { matches: endJob, when: "call" });
    const jobKey = keys.find((key) => /:track:r-\d+$/.test(key)) ?? "";
    const row = /r-(\d+)$/.exec(jobKey)?.[1] ?? "";
    expect(await scene.ledger(row)).toBe("d");
    expect(await scene.stage.redis.exists(jobKey)).toBe(1);
    await expectNextStartSettles(scene, { repeats: [0, IN_FLIGHT], countedAtLeast: 0 });
    expect(sendsOf(scene, row)).toBe(1);
  });

  test("between the journal's sync and the trim of the stream has no outcome twice", async (context) => {
    const scene = await setUp(context);
    const trim = isScript("trim-results");
    await killAtRedis(scene, { matches: trim, when: "call", nth: 2 });
    const journaled = rowsOfJournal(await journalOf(scene));
    const entries = await scene.stage.redis.xrange(scene.key("results"), "-", "+");
    const streamed = entries.map(([, fields]) => (JSON.parse(fields[1] ?? "") as RowOnly).row);
    expect(streamed.length).toBeGreaterThanOrEqual(1);
    expect(streamed.filter((row) => journaled.includes(row)).length).toBeGreaterThanOrEqual(1);
    await expectNextStartSettles(scene, { repeats: [0, IN_FLIGHT], countedAtLeast: 0 });
  });

  test("in the middle of a line of the journal has that outcome all the same", async (context) => {
    const scene = await setUp(context);
    await killAtRedis(scene, { matches: isScript("trim-results"), when: "call", nth: 2 });
    const journal = await journalOf(scene);
    // What a power cut leaves of the last append.
    await truncate(journalFile(scene), journal.length - 40);
    await expectNextStartSettles(scene, { repeats: [0, IN_FLIGHT], countedAtLeast: 0 });
    const lines = (await journalOf(scene)).trimEnd().split("\n");
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
});

test(
  "a process that is killed between the renames of two outputs leaves files that the next one makes whole",
  PATIENCE,
  async (context) => {
    const scene = await setUp(context);
    const { stage } = scene;
    const GOOD = 5;
    const BAD = 3_000;
    const rest = "x".repeat(8_000);
    const bad = Array.from({ length: BAD }, (_, row) => `${row},${rest},DE,Bonn,too,wide`);
    const good = Array.from({ length: GOOD }, (_, row) => `${row},Partner ${row} GmbH,DE,Bonn`);
    const text = `id,name,country,city\n${[...good, ...bad].join("\n")}\n`;
    const file = await stage.write("wide.csv", text);
    let isHit = false;
    for (let attempt = 1; attempt <= 10 && !isHit; attempt += 1) {
      const runId = `${stage.runId}-r${attempt}`;
      const words = ["run", file, "--run-id", runId, "--rate", "100"] as const;
      const dir = path.join(stage.outDir, runId);
      const first = stage.start(...words);
      await killAtRename(first, dir);
      isHit = has(dir, "results.csv") && !has(dir, "failures.csv") && !has(dir, "summary.json");
      const second = await stage.run(...words);
      expect(second.exitCode, second.stderr).toBe(3);
      const outputs = await readOutputs(stage.outDir, runId);
      expect(allRows(outputs)).toEqual(rowsUpTo(GOOD + BAD));
      expect(outputs.results.rows).toHaveLength(GOOD);
      expect(outputs.names.filter((name) => name.endsWith(".partial"))).toEqual([]);
      expect(outputs.summary.rows).toMatchObject({ succeeded: GOOD, failed: BAD });
    }
    expect(isHit).toBe(true);
  },
);

test(
  "a process that is killed when it has settled its run leaves nothing in Redis for ever, even if a report writes the files",
  PATIENCE,
  async (context) => {
    const scene = await setUp(context);
    const { stage } = scene;
    // The first of what is removed.
    const obliterate = isQueueScript(":submit:meta", ":submit:");
    await killAtRedis(scene, { matches: obliterate, when: "call", nth: 1 });
    expect(await stage.redis.hget(scene.key("progress"), "status")).toBe("completed");
    expect(await stage.redis.pttl(scene.key("progress"))).toBe(-1);
    stage.setEnv({ ONBOARD_BATCH_REDIS: stage.redisUrl });
    const reported = await stage.run("report", stage.runId);
    expect(reported.exitCode, reported.stderr).toBe(0);
    await expectSettledOnce({ ...scene, rows: ROWS });
    const keys = await stage.redis.keys(scene.key("*"));
    for (const key of keys) expect(await stage.redis.pttl(key), key).toBeGreaterThan(0);
    const again = await scene.start().ended;
    expect(again.exitCode, again.stderr).toBe(0);
  },
);

async function setUp(context: TestContext): Promise<Scene> {
  const stage = await openStage(context);
  const agent = await stage.agent({
    duration: { kind: "uniform", minMs: 100, maxMs: 400 },
    // So that calls are on the wire at any moment.
    faults: [{ match: { method: "SendMessage" }, effect: { kind: "slow", ms: 100 } }],
  });
  const gateway = await stage.gateway(agent);
  const file = await stage.partners(ROWS);
  const key = (name: string): string => `onboard-batch:{${stage.runId}}:${name}`;
  const words = ["run", file, "--rate", "50", "--poll-rate", "100", "--concurrency"] as const;
  return {
    stage,
    agent,
    gateway,
    watch: stage.watch(),
    key,
    start: (redisUrl = stage.redisUrl) => {
      stage.setEnv({ ONBOARD_BATCH_REDIS: redisUrl });
      return stage.start(...words, String(IN_FLIGHT));
    },
    ledger: (row) => stage.redis.hget(key("ledger"), row),
    onEnd: (end) => context.onTestFinished(end),
  };
}

/** Runs the command into a moment of its talk with Redis. @returns what was being said */
async function killAtRedis(
  scene: Scene,
  point: Omit<CutPoint, "kill">,
): Promise<ReturnType<typeof scriptParts>> {
  const tap = await startRedisTap(scene.stage.redisUrl);
  scene.onEnd(() => tap.stop());
  const child = scene.start(tap.url);
  const cut = tap.cutAt({ nth: NTH, ...point, kill: () => child.signal("SIGKILL") });
  return scriptParts(await firstOf(cut, child));
}

/** Runs the command until its send arrives, or the answer comes back. @returns the call */
async function killAtAgent(
  scene: Scene,
  kind: Extract<Treatment["kind"], "keep" | "keep-answer">,
): Promise<GatewayCall> {
  const child = scene.start();
  const killed = createLatch<GatewayCall>();
  let sends = 0;
  scene.gateway.treat((call) => {
    if (call.method !== "SendMessage") return undefined;
    sends += 1;
    if (sends !== NTH) return undefined;
    const act = (): void => {
      child.signal("SIGKILL");
      killed.open(call);
    };
    return { kind, act };
  });
  const call = await firstOf(killed.opened, child);
  scene.gateway.treat();
  return call;
}

/** The process has to die of the moment and of nothing else. */
async function firstOf<T>(moment: Promise<T>, child: CliProcess): Promise<T> {
  const first = await Promise.race([moment.then((value) => ({ value })), child.ended]);
  if (!("value" in first)) throw new Error(`the command ended before its moment:\n${first.stderr}`);
  const end = await child.ended;
  expect(end.exitCode).toBeNull();
  return first.value;
}

async function expectNextStartSettles(
  scene: Scene,
  bounds: {
    /** Messages that were sent twice. */
    readonly repeats: readonly [number, number];
    /** Of them and of those that died before they were written. */
    readonly countedAtLeast: number;
  },
): Promise<void> {
  const end = await scene.start().ended;
  expect(end.exitCode, end.stderr).toBe(0);
  const { summary } = await expectSettledOnce({ ...scene, rows: ROWS });
  expectIdentity(scene.watch, ROWS);
  const sends = [...sendsByMessage(scene.gateway.calls).values()];
  expect(sends).toHaveLength(ROWS);
  expect(Math.max(...sends)).toBeLessThanOrEqual(2);
  const repeats = sends.filter((count) => count > 1).length;
  expect(repeats).toBeGreaterThanOrEqual(bounds.repeats[0]);
  expect(repeats).toBeLessThanOrEqual(bounds.repeats[1]);
  const { retries, sendMessage } = summary.calls;
  expect(retries).toBeGreaterThanOrEqual(Math.max(repeats, bounds.countedAtLeast));
  expect(retries).toBeLessThanOrEqual(IN_FLIGHT);
  expect(sendMessage).toBe(ROWS + retries);
}

/** Kills when the first output has got its name. */
async function killAtRename(child: CliProcess, dir: string): Promise<void> {
  const renamed = createLatch();
  const look = (): void => {
    if (!has(dir, "results.csv")) return;
    child.signal("SIGKILL");
    renamed.open();
  };
  while (!existsSync(dir)) await new Promise((resolve) => setTimeout(resolve, 5));
  const watcher = watchFolder(dir, look);
  look();
  await Promise.race([renamed.opened, child.ended]);
  await child.ended;
  watcher.close();
}

function has(dir: string, name: string): boolean {
  return existsSync(path.join(dir, name));
}

interface RowOnly {
  readonly row: number;
}

function journalFile({ stage }: Scene): string {
  return path.join(stage.outDir, stage.runId, "journal.ndjson");
}

function journalOf(scene: Scene): Promise<string> {
  return readFile(journalFile(scene), "utf8");
}

function rowsOfJournal(text: string): number[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { outcome?: RowOnly })
    .flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome.row]));
}

async function ledgerOf(scene: Scene): Promise<[string, string][]> {
  return Object.entries(await scene.stage.redis.hgetall(scene.key("ledger")));
}

/** SendMessage calls of a row that have arrived. */
function sendsOf({ gateway }: Scene, row: string): number {
  return gateway.calls.filter((call) => call.method === "SendMessage" && rowOf(call) === row)
    .length;
}

function rowOf({ text }: GatewayCall): string {
  return /Partner (\d+) GmbH/.exec(text)?.[1] ?? "";
}

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/schema.ts";
import type { Progress } from "../../../src/core/progress.ts";
import { hashIdentity } from "../../../src/core/run-id.ts";
import { buildSummary } from "../../../src/core/summary.ts";
import { RUNS_KEY } from "../../../src/redis/keys.ts";
import type { KnownRun } from "../../../src/runs/choose-run.ts";
import {
  knownEverywhere,
  knownFromDisk,
  refuseOtherPlace,
  settingsOf,
  wishOf,
} from "../../../src/runs/prepare-run.ts";
import { type PrivateRedis, startPrivateRedis } from "../../helpers/redis-for-tests.ts";
import { createTestRun, openTestRedis } from "../../helpers/run-for-tests.ts";
import { setup as setupConfig } from "../config/setup.ts";
import { HEADER, refusalOf, SETTINGS } from "./run-fixture.ts";

const SHA256 = "a".repeat(64);

async function configOf(flags: Readonly<Record<string, unknown>> = {}): Promise<Config> {
  const { load } = await setupConfig();
  return (await load({ flags })).config;
}

describe("what a command asks for", () => {
  it("is the file by its name alone, with its bytes and all that changes answers", async () => {
    const config = await configOf({ runId: "monthly", fresh: true, limit: "10" });
    expect(wishOf(config, "/data/in/partners.csv", SHA256)).toEqual({
      file: "partners.csv",
      sha256: SHA256,
      identity: hashIdentity({
        sha256: SHA256,
        agentUrl: config.agent.url,
        template: config.message.template,
        reading: config.reading,
        dedupe: true,
        rowLimit: 10,
      }),
      runId: "monthly",
      fresh: true,
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["the rate", { rate: "7" }],
    ["the output folder", { out: "elsewhere" }],
    ["the attempts", { attempts: "2" }],
  ])("is the same run under another %s", async (_what, flags) => {
    const [one, other] = await Promise.all([configOf(), configOf(flags)]);
    expect(wishOf(other, "p.csv", SHA256)).toEqual(wishOf(one, "p.csv", SHA256));
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["another agent", { agentUrl: "https://agent.example/" }],
    ["another mapping", { map: ["name=Firma"] }],
    ["another delimiter", { delimiter: ";" }],
    ["--no-dedupe", { dedupe: false }],
    ["--limit", { limit: "10" }],
  ])("is another run with %s", async (_what, flags) => {
    const [one, other] = await Promise.all([configOf(), configOf(flags)]);
    const { identity } = wishOf(one, "p.csv", SHA256);
    expect(wishOf(other, "p.csv", SHA256).identity).not.toBe(identity);
  });
});

describe("the settings that a run keeps", () => {
  const RUN = { runId: "partners-1", startedAtMs: 1_700_000_000_000 };

  it("are all that decides about its rows, with the documented defaults", async () => {
    const config = await configOf();
    const wish = wishOf(config, "partners.csv", SHA256);
    expect(settingsOf(config, { ...RUN, wish })).toEqual({
      schemaVersion: 1,
      ...RUN,
      file: "partners.csv",
      sha256: SHA256,
      identity: wish.identity,
      agentUrl: "https://api.cdq.com/a2a/cdq-genius/",
      template: config.message.template,
      reading: config.reading,
      dedupe: true,
      sendPerSecond: 5,
      pollPerSecond: 20,
      attempts: 6,
      requestTimeoutMs: 90_000,
      taskTimeoutMs: 900_000,
      giveUpAfterMs: config.agent.giveUpAfterMs,
      maxResponseBytes: 8_388_608,
      acceptedOutputModes: [],
      backlogBytes: 67_108_864,
      retentionMs: 14 * 86_400_000,
    });
  });

  it("have the bounds that were given", async () => {
    const config = await configOf({ limit: "10", maxOpenTasks: "3", totalRate: "4.5" });
    const wish = wishOf(config, "partners.csv", SHA256);
    expect(settingsOf(config, { ...RUN, wish })).toMatchObject({
      rowLimit: 10,
      maxOpenTasks: 3,
      totalPerSecond: 4.5,
    });
  });

  it("survive being stored", async () => {
    const config = await configOf();
    const settings = settingsOf(config, { ...RUN, wish: wishOf(config, "p.csv", SHA256) });
    expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
  });
});

const COUNTS = { total: 0, pending: 0, open: 0, succeeded: 0, failed: 0, needsInput: 0 };
const CALLS = { sendMessageCalls: 0, getTaskCalls: 0, cancelTaskCalls: 0, retries: 0 };

const PROGRESS: Progress = {
  ...COUNTS,
  ...CALLS,
  schemaVersion: 1,
  status: "completed",
  statusReason: "",
  file: "partners.csv",
  unprocessed: 0,
  reused: 0,
  rateLimited: 0,
  startedAt: "",
  updatedAt: "",
  finishedAt: "",
  heartbeatAt: "",
};

const INPUT = {
  file: "partners.csv",
  sha256: "e".repeat(64),
  rows: 0,
  encoding: "utf-8",
  delimiter: ",",
  skipped: [],
  warnings: [],
};

const SUMMARY = buildSummary({
  runId: "r",
  progress: PROGRESS,
  input: INPUT,
  failuresByReason: {},
  files: [],
});

describe("the runs of an output folder", () => {
  it.each([
    [
      "goes on when only its journal is there",
      { header: HEADER, summary: undefined },
      { sha256: SETTINGS.sha256, identity: SETTINGS.identity, status: "running" },
    ],
    [
      "stands as its summary says",
      { header: HEADER, summary: SUMMARY },
      { sha256: SETTINGS.sha256, identity: SETTINGS.identity, status: "completed" },
    ],
    [
      "is known by its bytes when only its summary is left",
      { header: undefined, summary: SUMMARY },
      { sha256: INPUT.sha256, identity: "", status: "completed" },
    ],
    [
      "is nobody's when nothing is left",
      { header: undefined, summary: undefined },
      { sha256: "", identity: "", status: "running" },
    ],
  ])("one %s", (_what, found, known) => {
    expect(knownFromDisk([{ runId: "r", ...found }])).toEqual([{ runId: "r", ...known }]);
  });
});

function onDisk(runId: string, over: Partial<KnownRun> = {}): KnownRun {
  const { sha256, identity } = SETTINGS;
  return { runId, sha256, identity, status: "running", ...over };
}

describe("with Redis", () => {
  let redis: PrivateRedis;

  beforeAll(async () => {
    redis = await startPrivateRedis();
  });

  afterAll(() => redis.stop());

  async function choose(disk: readonly KnownRun[], runId: string): Promise<KnownRun[]> {
    const { client } = await openTestRedis(redis.url);
    return (await knownEverywhere(client, disk)).filter((run) => run.runId === runId);
  }

  async function runInRedis() {
    const { client } = await openTestRedis(redis.url);
    return createTestRun(client, { total: 3 });
  }

  it("a run is known that was begun on another host", async () => {
    const { settings } = await runInRedis();
    const { runId, sha256, identity } = settings;
    expect(await choose([], runId)).toEqual([{ runId, sha256, identity, status: "running" }]);
  });

  it("a run is known that Redis has forgotten", async () => {
    expect(await choose([onDisk("forgotten")], "forgotten")).toEqual([onDisk("forgotten")]);
  });

  it("Redis knows better than the journal how a run stands", async () => {
    const { settings, record } = await runInRedis();
    await record.stop("operator");
    const known = await choose([onDisk(settings.runId)], settings.runId);
    expect(known).toMatchObject([{ sha256: settings.sha256, status: "stopping" }]);
  });

  it("a settled summary counts more than Redis", async () => {
    const { settings } = await runInRedis();
    const settled = onDisk(settings.runId, { status: "completed" });
    expect(await choose([settled], settings.runId)).toEqual([settled]);
  });

  it("a run whose settings Redis has lost is not known by its name alone", async () => {
    const { settings, keys, client } = await runInRedis();
    await client.del(keys.settings);
    expect(await choose([], settings.runId)).toEqual([]);
    expect(await client.zscore(RUNS_KEY, settings.runId)).not.toBeNull();
  });

  const HERE = { host: "host-1", dir: "/data/out/partners-1" };

  it("a run may write where nobody has written yet", async () => {
    const { record } = await runInRedis();
    for (const hasJournal of [false, true]) {
      await expect(refuseOtherPlace(record, { ...HERE, hasJournal })).resolves.toBeUndefined();
    }
  });

  it("a run goes on where its journal is", async () => {
    const { record } = await runInRedis();
    await record.claimOutput(HERE);
    const going = refuseOtherPlace(record, { ...HERE, hasJournal: true });
    await expect(going).resolves.toBeUndefined();
  });

  it.each([
    ["another --out", { ...HERE, dir: "/elsewhere/partners-1" }],
    ["another host", { ...HERE, host: "host-2" }],
  ])("%s is exit 2, naming both places", async (_what, other) => {
    const { record } = await runInRedis();
    await record.claimOutput(HERE);
    const error = await refusalOf(refuseOtherPlace(record, { ...other, hasJournal: true }), 2);
    expect(error.message).toContain(`${HERE.dir} on ${HERE.host}`);
    expect(error.message).toContain(`${other.dir} on ${other.host}`);
    expect(error.hint).toContain("on host-1 with --out /data/out,");
  });

  it("a journal that is gone is exit 2, for it held what was paid for", async () => {
    const { record } = await runInRedis();
    await record.claimOutput(HERE);
    const error = await refusalOf(refuseOtherPlace(record, { ...HERE, hasJournal: false }), 2);
    expect(error.message).toContain(`gone from ${HERE.dir}`);
    expect(error.hint).toContain("--fresh");
  });
});

import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openStage } from "../helpers/stage.ts";

describe.concurrent("check", () => {
  test("tells what a run would make of a file, calls nothing and writes nothing", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent();
    const file = await stage.write(
      "vendors.csv",
      "Lieferanten\nFirma;Ort;Notiz\nMuster GmbH;Köln;x\n;Bonn;y\nMuster GmbH;Köln;z\n",
    );
    const before = await readdir(stage.dir);
    const end = await stage.run("check", file, "--rate", "1", "--json");
    expect(end.exitCode, end.stderr).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({
      encoding: "utf-8",
      delimiter: ";",
      headerLine: 2,
      mapping: [
        { field: "name", headers: ["Firma"] },
        { field: "city", headers: ["Ort"] },
      ],
      ignoredColumns: ["Notiz"],
      rows: { total: 3, bad: 1, duplicates: 1, messages: 1 },
      badRows: [{ reason: "NAME_MISSING", count: 1, lines: [4] }],
      skipped: [{ line: 1, text: "Lieferanten" }],
      firstMessage: expect.stringContaining("Name: Muster GmbH, City: Köln"),
      forecast: { sendMessage: 1, getTask: 1, durationMs: 1_000 },
    });
    const text = await stage.run("check", file);
    expect(text.stdout).toContain("vendors.csv can be read");
    expect(agent.stats().calls).toMatchObject({ card: 0, SendMessage: 0 });
    expect(await readdir(stage.dir)).toEqual(before);
    expect(await stage.redis.keys(`*${stage.runId}*`)).toEqual([]);
  });

  test("needs neither key nor Redis", async (context) => {
    const stage = await openStage(context);
    stage.setEnv({ ONBOARD_BATCH_REDIS: "redis://127.0.0.1:1" });
    const end = await stage.run("check", await stage.partners(2), "--json");
    expect(end.exitCode, end.stderr).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({ rows: { total: 2, messages: 2 } });
  });

  test("refuses with exit 2 what a run would refuse", async (context) => {
    const stage = await openStage(context);
    const end = await stage.run("check", await stage.write("no-name.csv", "a,b\n1,2\n"));
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain("--map name=");
    expect(end.stdout).toBe("");
  });
});

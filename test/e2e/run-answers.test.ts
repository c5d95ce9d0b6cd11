import { readFile } from "node:fs/promises";
import path from "node:path";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { readOutputs, rowNumbers } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";

describe.concurrent("a run whose rows all succeed", () => {
  test("exits 0, with an empty failures file and no other", async (context) => {
    const stage = await openStage(context);
    await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    const end = await stage.run("run", await stage.partners(3));
    expect(end.exitCode, end.stderr).toBe(0);
    const { names, failures, results } = await readOutputs(stage.outDir);
    expect(rowNumbers(results.rows)).toEqual([1, 2, 3]);
    expect(failures.rows).toEqual([]);
    expect(names).toEqual([
      "failures.csv",
      "input",
      "journal.ndjson",
      "report.html",
      "results.csv",
      "summary.json",
    ]);
  });

  test("is named after its file and its content", async (context) => {
    const stage = await openStage(context);
    await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    stage.setEnv({ ONBOARD_BATCH_RUN_ID: undefined });
    await stage.run("run", await stage.partners(1, "Müller & Söhne (2026).csv"));
    const { runId } = await readOutputs(stage.outDir);
    expect(runId).toMatch(/^[A-Za-z0-9_-]+-[0-9a-f]{12}$/);
    expect(runId).toMatch(/^Mu-?ller-So-?hne-2026-/);
  });

  test("puts the agent's files below its folder, and data into their column", async (context) => {
    const stage = await openStage(context);
    await stage.agent({
      duration: { kind: "fixed", ms: 0 },
      structured: true,
      faults: [
        {
          match: { textIncludes: "Partner 1 " },
          effect: { kind: "file", name: "../ex tract.pdf", mediaType: "application/pdf", bytes: 7 },
        },
        {
          match: { textIncludes: "Partner 2 " },
          effect: { kind: "url-part", url: "https://example.com/extract.pdf" },
        },
      ],
    });
    const end = await stage.run("run", await stage.partners(2));
    expect(end.exitCode, end.stderr).toBe(0);
    const { dir, results } = await readOutputs(stage.outDir);
    const [withFile, withUrl] = results.rows;
    expect(JSON.parse(withFile?.["onboard_data"] ?? "")).toMatchObject({
      name: "Partner 1 GmbH",
      city: "Bonn",
    });
    const [file] = JSON.parse(withFile?.["onboard_files"] ?? "") as { path: string }[];
    expect(file).toMatchObject({ mediaType: "application/pdf" });
    expect(file?.path).toMatch(/^files\/[^/\\]+$/);
    expect(await readFile(path.join(dir, file?.path ?? ""), "utf8")).toBe("onboard");
    expect(JSON.parse(withUrl?.["onboard_files"] ?? "")).toMatchObject([
      { mediaType: "application/pdf", url: "https://example.com/extract.pdf" },
    ]);
  });
});

describe.concurrent("partner data", () => {
  test("of columns that nobody mapped goes into neither Redis nor the agent nor the log", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 2_000 } });
    // Uncompressed, so that a dump shows what is in it.
    const redis = await stage.privateRedis({ config: ["rdbcompression no"] });
    const client = new Redis(redis.url);
    const watch = stage.watch();
    const file = await stage.write("partners.csv", "id,name,remark\n1,Known GmbH,Private words\n");
    const running = stage.run("run", file, "--verbose");
    await watch.until(({ open }) => open === "1");
    const keys = await client.keys("*");
    const dumps = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
    client.disconnect();
    const inRedis = Buffer.concat(dumps).toString("latin1");
    expect(inRedis).toContain("Known GmbH");
    expect(inRedis).not.toContain("Private words");
    const end = await running;
    expect(end.exitCode, end.stderr).toBe(0);
    expect(end.stderr).not.toMatch(/Private words|Known GmbH/);
    const { results } = await readOutputs(stage.outDir);
    expect(results.rows).toMatchObject([{ remark: "Private words", onboard_source: "artifact" }]);
    expect(results.rows[0]?.["onboard_text"]).not.toContain("Private words");
    expect(agent.stats().tasks).toBe(1);
  });
});

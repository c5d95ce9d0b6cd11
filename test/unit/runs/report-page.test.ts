import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createStoryTeller } from "../../../src/core/run-story.ts";
import type { RunSummaryFile } from "../../../src/core/summary.ts";
import { finishRun } from "../../../src/runs/finish-run.ts";
import type { ReportPage } from "../../../src/runs/report-page.ts";
import { renderReport } from "../../../src/runs/report-page.ts";
import { inputFactsOf } from "../../../src/runs/scan-input.ts";
import { FORM, failed, ignore, makeRun, needsInput, SETTINGS, succeeded } from "./run-fixture.ts";

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

const SUMMARY: RunSummaryFile = {
  schemaVersion: 1,
  runId: "partners-1",
  status: "completed",
  statusReason: "",
  input: {
    file: "partners.csv",
    sha256: "a".repeat(64),
    rows: 12_345,
    encoding: "utf-8",
    delimiter: "\t",
    skipped: [],
    warnings: [],
  },
  rows: {
    total: 12_345,
    pending: 0,
    open: 0,
    succeeded: 12_344,
    failed: 1,
    needsInput: 0,
    unprocessed: 0,
  },
  reused: 0,
  failuresByReason: { TASK_FAILED: 1 },
  calls: { sendMessage: 12_350, getTask: 1, cancelTask: 0, retries: 5, rateLimited: 0 },
  startedAt: "2026-11-30T20:00:00.000Z",
  updatedAt: "2026-11-30T20:02:32.000Z",
  finishedAt: "2026-11-30T20:02:33.000Z",
  files: ["report.html", "results.csv"],
};

function page(over: Partial<ReportPage> = {}): string {
  const story = createStoryTeller().story();
  return renderReport({
    summary: SUMMARY,
    settings: SETTINGS,
    form: FORM,
    story,
    warnings: [],
    ...over,
  });
}

/** What a reader sees, near enough. */
function textOf(markup: string): string {
  return markup
    .replace(/<style>.*?<\/style>/s, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
}

describe("the report of a run", () => {
  it("tells totals, state and time", () => {
    const text = textOf(page());
    expect(text).toContain("Run partners-1 is completed .");
    expect(text).toContain("2026-11-30T20:00:00.000Z to 2026-11-30T20:02:33.000Z, 2 min 33 s");
    expect(text).toMatch(/rows 12.345 succeeded 12.344 failed 1/);
    expect(text).toContain(
      "5 of them again; asked about tasks once; slowed down by the agent 0 times.",
    );
    expect(text).not.toContain("Failures by reason");
    expect(text).not.toContain("Questions of the agent");
    expect(text).not.toContain("Repaired rows");
    expect(text).not.toContain("Warnings");
    expect(text).not.toContain("Skipped lines");
  });

  it("tells how many rows earlier runs have answered", () => {
    expect(textOf(page())).not.toContain("earlier runs");
    const summary = { ...SUMMARY, reused: 12_000 };
    expect(textOf(page({ summary }))).toContain(
      "12,000 rows with answers of earlier runs, no call made for them.",
    );
  });

  it("of a run that goes on says so", () => {
    const rows = { ...SUMMARY.rows, succeeded: 12_000, pending: 300, open: 44, unprocessed: 0 };
    const text = textOf(
      page({
        summary: {
          ...SUMMARY,
          rows: { ...rows, needsInput: 0 },
          status: "running",
          statusReason: "agent-down",
          finishedAt: "",
        },
      }),
    );
    expect(text).toContain("is running (agent-down).");
    expect(text).toContain("as of 2026-11-30T20:02:32.000Z");
    expect(text).toContain("not settled yet 344");
  });

  it("tells each reason with its rows and what to do, questions and repaired rows", () => {
    const teller = createStoryTeller();
    const endings = [
      failed(1, { reason: "TASK_TIMEOUT", message: "too slow" }),
      needsInput(2, "Which Globex?"),
      succeeded(3, { attempts: 2 }),
    ];
    for (const outcome of endings) {
      const { row } = outcome;
      teller.add({ row, line: row + 1, ending: { kind: "outcome", outcome, isDuplicate: false } });
    }
    const text = textOf(page({ story: teller.story() }));
    expect(text).toContain("onboard-batch retry partners-1 sends those again");
    expect(text).toMatch(/TASK_TIMEOUT: 1 .*--task-timeout.* 1 2 too slow/);
    expect(text).toMatch(/Questions of the agent: 1 .*onboard-batch answer.* 2 3 Which Globex\?/);
    expect(text).toMatch(/Repaired rows: 1 .* 3 4 answered at try 2/);
    expect(text).toContain("Outcomes per minute");
  });

  it("offers no retry when every failure would end the same", () => {
    const teller = createStoryTeller();
    const outcome = failed(1, { reason: "TASK_REJECTED" });
    teller.add({ row: 1, line: 2, ending: { kind: "outcome", outcome, isDuplicate: false } });
    const text = textOf(page({ story: teller.story() }));
    expect(text).toContain("TASK_REJECTED: 1");
    expect(text).not.toContain("onboard-batch retry");
  });

  it("tells skipped lines and warnings, and not endlessly many", () => {
    const skipped = Array.from({ length: 250 }, (_, index) => ({
      line: index + 1,
      why: "trailer",
      text: `Total ${index + 1}`,
    }));
    const input = { ...SUMMARY.input, skipped, warnings: ["guessed the encoding"] };
    const text = textOf(
      page({ summary: { ...SUMMARY, input }, warnings: ["columns stayed empty"] }),
    );
    expect(text).toContain("guessed the encoding");
    expect(text).toContain("columns stayed empty");
    expect(text).toContain("Skipped lines: 250");
    expect(text).toContain("200 trailer Total 200");
    expect(text).not.toContain("Total 201");
    expect(text).toContain("and 50 more, in summary.json");
  });

  it("tells the configuration", () => {
    const settings = {
      ...SETTINGS,
      reading: {
        map: { name: "Firma" },
        delimiter: ";",
        encoding: "utf-8",
        headerRow: 3,
        columns: ["a"],
      },
      rowLimit: 7,
      totalPerSecond: 9,
      maxOpenTasks: 3,
      dedupe: false,
      acceptedOutputModes: ["text/plain"],
    };
    const columns = [
      { name: "vat", source: { kind: "pointer", tokens: ["a/b"] } },
      { name: "city", source: { kind: "group", pattern: "(?<c>x)", group: "c" } },
    ] as const;
    const text = textOf(page({ settings, form: { ...FORM, columns } }));
    expect(text).toContain("agent https://agent.example/");
    expect(text).toContain(
      "delimiter &quot;;&quot;; encoding utf-8; header in line 3; columns a; name is Firma",
    );
    expect(text).toContain("5 messages and 20 questions about tasks a second, 9 calls in all");
    expect(text).toContain("vat: /a~1b city: group c of (?&lt;c&gt;x)");
    expect(textOf(page())).toContain("reading as found in the file");
  });

  it("needs nothing from elsewhere, has no script, and allows none", () => {
    const markup = page();
    expect(markup).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\sstyle="|\son\w+=/i);
    const hrefs = [...markup.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target);
    expect(hrefs).toEqual(["./report.html", "./results.csv"]);
    const style = /<style>(.*?)<\/style>/s.exec(markup)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(markup).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`);
    expect(markup).toContain("prefers-color-scheme: dark");
    expect(markup).toContain("@media print");
    expect(markup).toContain('name="viewport"');
  });

  it("shows hostile text of file and agent as text, wherever it stands", () => {
    const teller = createStoryTeller();
    const outcomes = [failed(1, { message: HOSTILE }), needsInput(2, HOSTILE)];
    for (const outcome of outcomes) {
      teller.add({
        row: outcome.row,
        line: 1,
        ending: { kind: "outcome", outcome, isDuplicate: false },
      });
    }
    const input = {
      ...SUMMARY.input,
      file: HOSTILE,
      encoding: HOSTILE,
      delimiter: HOSTILE,
      skipped: [{ line: 1, why: HOSTILE, text: HOSTILE }],
      warnings: [HOSTILE],
    };
    const markup = page({
      summary: { ...SUMMARY, runId: HOSTILE, input, files: [HOSTILE] },
      settings: {
        ...SETTINGS,
        template: HOSTILE,
        reading: { map: { name: HOSTILE } },
        acceptedOutputModes: [HOSTILE],
      },
      form: { ...FORM, columns: [{ name: HOSTILE, source: { kind: "pointer", tokens: [] } }] },
      story: teller.story(),
      warnings: [HOSTILE],
    });
    expect(markup.match(/&lt;script&gt;/g)?.length).toBeGreaterThanOrEqual(14);
    const tags = new Set([...markup.matchAll(/<([a-z0-9]+)/g)].map(([, tag]) => tag));
    expect(tags).not.toContain("script");
    expect(tags).not.toContain("img");
    expect([...markup.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)).toEqual([
      `./${encodeURIComponent(HOSTILE).replaceAll("'", "&#39;")}`,
    ]);
  });

  it("lies in the run's folder when the run has ended", async () => {
    const run = await makeRun("name,city\nACME,Bonn\n,Ulm\n");
    await run.journal(succeeded(1, { attempts: 2 }));
    const { rows, calls, status, statusReason, ...times } = SUMMARY;
    const summary = await finishRun({
      settings: SETTINGS,
      folder: run.folder,
      plan: run.plan,
      form: FORM,
      answers: { stateDir: run.outDir, keptMs: 0 },
      warn: ignore,
      progress: {
        ...times,
        status,
        statusReason,
        file: "partners.csv",
        ...rows,
        sendMessageCalls: calls.sendMessage,
        getTaskCalls: 0,
        cancelTaskCalls: 0,
        retries: 0,
        rateLimited: 0,
        heartbeatAt: "",
        reused: 0,
      },
      input: inputFactsOf(
        run.plan,
        { file: "partners.csv", sha256: "", rows: 2 },
        { warnings: [], skipped: [] },
      ),
      failuresByReason: { NAME_MISSING: 1 },
    });
    expect(summary.files).toContain("report.html");
    const text = textOf(await readFile(run.folder.report, "utf8"));
    expect(text).toContain("NAME_MISSING: 1");
    expect(text).toContain("Repaired rows: 1");
  });
});

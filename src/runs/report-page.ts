import { createHash } from "node:crypto";
import { describeDuration } from "../core/duration.ts";
import { isRetryableReason, nextStepFor } from "../core/failure.ts";
import type { Html } from "../core/html.ts";
import { html } from "../core/html.ts";
import type { OutputForm } from "../core/output-form.ts";
import { describeReused } from "../core/progress-line.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { ExampleRow, ReasonStory, RunStory } from "../core/run-story.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import { REPORT_STYLE } from "./report-style.ts";
import { renderTimeline } from "./report-timeline.ts";
import { describeSettings } from "./settings-view.ts";

/** What report.html is made of. */
export interface ReportPage {
  readonly summary: RunSummaryFile;
  readonly settings: RunSettings;
  readonly form: OutputForm;
  readonly story: RunStory;
  /** Lines for people about the writing itself. */
  readonly warnings: readonly string[];
}

const STYLE_HASH = createHash("sha256").update(REPORT_STYLE).digest("base64");

/** Nothing but the page's own style counts: what slipped through all escaping could still do nothing. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

const ANSWER_THEM = html`They are in needs-input.csv. Fill in <code>onboard_answer</code>; <code>onboard-batch answer needs-input.csv</code> sends the answers.`;

/** The whole page: one file without scripts, which needs nothing from elsewhere. */
export function renderReport(page: ReportPage): string {
  const { summary, settings, form, story, warnings } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${summary.runId}: ${summary.status}</title>
<style>${{ markup: REPORT_STYLE }}</style>
</head>
<body>
${renderHead(summary)}
${renderTotals(summary)}
${renderReasons(story, summary.runId)}
${renderExamples("Questions of the agent", story.questions, ANSWER_THEM)}
${renderTimeline(story.timeline)}
${renderExamples("Repaired rows", story.repaired, "Their first try came to nothing, a later one was answered.")}
${renderInput(summary, warnings)}
${renderTable("Configuration", describeSettings(settings, form))}
${renderFiles(summary)}
</body>
</html>
`.markup;
}

function renderHead({ runId, status, statusReason, input, ...times }: RunSummaryFile): Html {
  const { startedAt, updatedAt, finishedAt } = times;
  const reason = statusReason === "" ? "" : ` (${statusReason})`;
  const end = finishedAt === "" ? `as of ${updatedAt}` : `to ${finishedAt}`;
  return html`<h1>${input.file}</h1>
<p>Run <strong>${runId}</strong> is <strong>${status}</strong>${reason}.</p>
<p class="soft">${startedAt} ${end}${tookOf(startedAt, finishedAt)}</p>`;
}

function tookOf(startedAt: string, finishedAt: string): string {
  const tookMs = Date.parse(finishedAt) - Date.parse(startedAt);
  return Number.isFinite(tookMs) ? `, ${describeDuration(Math.max(0, tookMs))}` : "";
}

function renderTotals({ rows, calls, reused }: RunSummaryFile): Html {
  const totals: readonly (readonly [string, number, string])[] = [
    ["rows", rows.total, ""],
    ["succeeded", rows.succeeded, "good"],
    ["failed", rows.failed, rows.failed > 0 ? "bad" : ""],
    ["need input", rows.needsInput, rows.needsInput > 0 ? "ask" : ""],
    ["unprocessed", rows.unprocessed, ""],
    ["not settled yet", rows.pending + rows.open, ""],
  ];
  const shown = totals.filter(([, count], index) => index < 3 || count > 0);
  return html`<dl class="totals">${shown.map(
    ([label, count, look]) =>
      html`<div><dt>${label}</dt><dd class="${look}">${grouped(count)}</dd></div>`,
  )}</dl>
<p class="soft">${grouped(calls.sendMessage)} messages sent, ${grouped(calls.retries)} of them again; asked about tasks ${howOften(calls.getTask)}; slowed down by the agent ${howOften(calls.rateLimited)}.</p>
${reused === 0 ? undefined : html`<p class="soft">${describeReused(reused)}.</p>`}`;
}

function howOften(count: number): string {
  return count === 1 ? "once" : `${grouped(count)} times`;
}

function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, "\u202F");
}

function renderReasons({ reasons }: RunStory, runId: string): Html | undefined {
  if (reasons.length === 0) return undefined;
  return html`<h2>Failures by reason</h2>
<p>All of them are in failures.csv, which can be run as it is. ${
    reasons.some(({ reason }) => isRetryableReason(reason))
      ? html`<code>onboard-batch retry ${runId}</code> sends those again that can end differently.`
      : undefined
  }</p>
${reasons.map(renderReason)}`;
}

function renderReason({ reason, count, examples }: ReasonStory): Html {
  return html`<h3>${reason}: ${grouped(count)}</h3>
<p>${nextStepFor(reason)}</p>
${renderRows(examples)}`;
}

function renderExamples(
  title: string,
  { count, examples }: RunStory["questions"],
  words: string | Html,
): Html | undefined {
  if (count === 0) return undefined;
  return html`<h2>${title}: ${grouped(count)}</h2>
<p>${words}</p>
${renderRows(examples)}`;
}

function renderRows(examples: readonly ExampleRow[]): Html {
  return html`<div class="wide"><table>
<tr><th class="number">Row</th><th class="number">Line</th><th>Message</th></tr>
${examples.map(
  ({ row, line, message }) =>
    html`<tr><td class="number">${row}</td><td class="number">${line}</td><td class="message"><bdi>${message}</bdi></td></tr>
`,
)}</table></div>`;
}

const MAX_SKIPPED = 200;

function renderInput({ input }: RunSummaryFile, warnings: readonly string[]): Html {
  const facts: readonly (readonly [string, string])[] = [
    ["file", input.file],
    ["data records", grouped(input.rows)],
    ["encoding", input.encoding],
    ["delimiter", input.delimiter === "\t" ? "tab" : input.delimiter],
    ["sha256", input.sha256],
  ];
  const lines = [...input.warnings, ...warnings];
  return html`${renderTable("Input", facts)}
${lines.length === 0 ? undefined : html`<h3>Warnings</h3><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
${renderSkipped(input.skipped)}`;
}

function renderSkipped(skipped: RunSummaryFile["input"]["skipped"]): Html | undefined {
  if (skipped.length === 0) return undefined;
  const rest = skipped.length - MAX_SKIPPED;
  return html`<h3>Skipped lines: ${grouped(skipped.length)}</h3>
<div class="wide"><table>
<tr><th class="number">Line</th><th>Why</th><th>Text</th></tr>
${skipped.slice(0, MAX_SKIPPED).map(
  ({ line, why, text }) =>
    html`<tr><td class="number">${line}</td><td>${why}</td><td class="message"><bdi>${text}</bdi></td></tr>
`,
)}</table></div>
${rest > 0 ? html`<p>and ${grouped(rest)} more, in summary.json</p>` : undefined}`;
}

function renderTable(title: string, rows: readonly (readonly [string, string])[]): Html {
  return html`<h2>${title}</h2>
<div class="wide"><table>
${rows.map(
  ([label, value]) => html`<tr><th>${label}</th><td class="message">${value}</td></tr>
`,
)}</table></div>`;
}

function renderFiles({ files }: RunSummaryFile): Html {
  return html`<h2>Files</h2>
<ul>${files.map((name) => html`<li><a href="./${encodeURIComponent(name)}">${name}</a></li>`)}</ul>`;
}

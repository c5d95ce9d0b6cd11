import { describeDuration } from "../core/duration.ts";
import { describeReused, describeStatus, settledCount } from "../core/progress-line.ts";
import type { RunActivity, RunStanding } from "../runs/status.ts";
import { shownFiles, snapshotOfSummary, tookMsOf } from "./summary-view.ts";

const NOBODY = "no process works on it";

interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  readonly cell: (standing: RunStanding) => string;
}

const COLUMNS: readonly Column[] = [
  { title: "RUN", align: "left", cell: ({ summary }) => summary.runId },
  { title: "STATUS", align: "left", cell: statusCell },
  { title: "REASON", align: "left", cell: ({ summary }) => summary.statusReason || "-" },
  { title: "DONE", align: "right", cell: doneCell },
  { title: "SUCCEEDED", align: "right", cell: ({ summary }) => count(summary.rows.succeeded) },
  { title: "FAILED", align: "right", cell: ({ summary }) => count(summary.rows.failed) },
  { title: "NEEDS INPUT", align: "right", cell: ({ summary }) => count(summary.rows.needsInput) },
  { title: "STARTED", align: "left", cell: ({ summary }) => shortTime(summary.startedAt) },
  { title: "HEARTBEAT", align: "left", cell: heartbeatCell },
];

/** All runs as a table, one line each under a line of titles. */
export function renderRunTable(standings: readonly RunStanding[]): string {
  const rows = [
    COLUMNS.map(({ title }) => title),
    ...standings.map((standing) => COLUMNS.map(({ cell }) => cell(standing))),
  ];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  return rows
    .map((cells) =>
      cells
        .map((cell, at) => {
          const width = widths[at] ?? 0;
          return COLUMNS[at]?.align === "right" ? cell.padStart(width) : cell.padEnd(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One run as a block. */
export function renderRun(standing: RunStanding): string {
  const { summary, place } = standing;
  const lines: readonly (readonly [string, string])[] = [
    ["file", `${summary.input.file}, ${count(summary.rows.total)} rows`],
    ["rows", rowsText(standing)],
    ["reused", summary.reused === 0 ? "" : describeReused(summary.reused)],
    ["failures", failuresText(summary.failuresByReason)],
    ["calls", callsText(standing)],
    ["rate", rateText(standing)],
    ["agent", agentText(standing)],
    ["started", shortTime(summary.startedAt)],
    summary.finishedAt === ""
      ? ["last change", shortTime(summary.updatedAt)]
      : ["finished", shortTime(summary.finishedAt)],
    ["folder", place === undefined ? "" : `${place.dir} on ${place.host}`],
  ];
  const files = place === undefined ? [] : shownFiles(place.dir, summary);
  return [
    `Run ${summary.runId} ${describeStatus(summary)}${activityText(standing.activity)}`,
    ...section(lines),
    ...(files.length === 0 ? [] : ["", "Files:"]),
    ...section(files.map(({ name, path }) => [name, path])),
  ].join("\n");
}

/** Labels in one width; those without text are left out. */
function section(lines: readonly (readonly [string, string])[]): readonly string[] {
  const shown = lines.filter(([, text]) => text !== "");
  const width = Math.max(0, ...shown.map(([label]) => label.length));
  return shown.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`);
}

/** A run in which work should go on and nobody does it is what an operator has to see. */
function statusCell({ summary: { status }, activity }: RunStanding): string {
  return activity.kind === "left" && status !== "paused" ? NOBODY : status;
}

function doneCell({ summary }: RunStanding): string {
  return `${count(settledCount(snapshotOfSummary(summary)))}/${count(summary.rows.total)}`;
}

function heartbeatCell({ activity }: RunStanding): string {
  switch (activity.kind) {
    case "settled":
      return "-";
    case "unknown":
      return "unknown";
    case "worked-on":
    case "left":
      return `${describeDuration(activity.heartbeatAgeMs)} ago`;
  }
}

function activityText(activity: RunActivity): string {
  switch (activity.kind) {
    case "settled":
      return "";
    case "unknown":
      return "; Redis knows nothing of it";
    case "worked-on":
      return `; last sign of life ${describeDuration(activity.heartbeatAgeMs)} ago`;
    case "left":
      return `; ${NOBODY}, last sign of life ${describeDuration(activity.heartbeatAgeMs)} ago`;
  }
}

function rowsText({ summary: { rows } }: RunStanding): string {
  const parts: readonly (readonly [number, string])[] = [
    [rows.needsInput, "need input"],
    [rows.unprocessed, "unprocessed"],
    [rows.open, "at the agent"],
    [rows.pending, "pending"],
  ];
  return [
    `${count(rows.succeeded)} succeeded`,
    `${count(rows.failed)} failed`,
    ...parts.filter(([number]) => number > 0).map(([number, what]) => `${count(number)} ${what}`),
  ].join(", ");
}

function failuresText(failuresByReason: Readonly<Record<string, number>>): string {
  return Object.entries(failuresByReason)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, rows]) => `${reason} ${count(rows)}`)
    .join(", ");
}

function callsText({ summary: { calls } }: RunStanding): string {
  return [
    `${count(calls.sendMessage)} SendMessage (${count(calls.retries)} repeated)`,
    `${count(calls.getTask)} GetTask`,
    `${count(calls.cancelTask)} CancelTask`,
    `${count(calls.rateLimited)} refused for their rate`,
  ].join(", ");
}

function rateText({ summary, settings }: RunStanding): string {
  const tookMs = tookMsOf(summary) ?? 0;
  const average = tookMs <= 0 ? 0 : (summary.calls.sendMessage * 1000) / tookMs;
  const measured = `${Math.round(average * 10) / 10} SendMessage/s on average`;
  if (settings === undefined) return measured;
  const { sendPerSecond, pollPerSecond } = settings;
  return `${measured}; allowed are ${sendPerSecond} SendMessage/s and ${pollPerSecond} GetTask/s`;
}

function agentText({ agent, settings, activity }: RunStanding): string {
  const url = settings?.agentUrl ?? "";
  if (agent.kind === "there") return url;
  const { since } = agent;
  if (since === undefined) return `${url} is down`.trimStart();
  const next = activity.kind === "worked-on" ? `, next try ${timeOf(since.nextTryAtMs)}` : "";
  return `${url} is down since ${timeOf(since.sinceMs)}${next}`.trimStart();
}

function timeOf(atMs: number): string {
  return shortTime(new Date(atMs).toISOString());
}

/** `2026-11-30 22:48:25Z` from ISO 8601 UTC; `-` for a time that is not known. */
function shortTime(iso: string): string {
  return iso === "" ? "-" : `${iso.slice(0, 19).replace("T", " ")}Z`;
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}

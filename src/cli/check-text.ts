import { describeDuration } from "../core/duration.ts";
import type { CallForecast } from "../core/forecast.ts";
import type { InputInspection } from "../runs/inspect-input.ts";
import { sanitizeForTerminal } from "./sanitize.ts";

/** What `check` tells of a file. */
export interface CheckedFile {
  /** As typed. */
  readonly file: string;
  readonly inspection: InputInspection;
  readonly forecast: CallForecast;
}

/** The dry run of a file as a block for people, lines without a last newline. */
export function renderCheck({ file, inspection, forecast }: CheckedFile): string {
  const { rows, badRows, warnings, skipped, firstMessage } = inspection;
  return [
    `${clean(file)} can be read`,
    ...section("", formLines(inspection)),
    ...section("Columns", columnLines(inspection)),
    ...section("Rows", [
      ["total", count(rows.total)],
      ["messages", `${count(rows.messages)}, one for each partner that is not a duplicate`],
      ...(rows.reused === 0
        ? []
        : [["reused", `${count(rows.reused)} of them, with answers of earlier runs`] as const]),
      ["duplicates", `${count(rows.duplicates)}, answered with the row before them`],
      ["bad", `${count(rows.bad)}, not sent and told in failures.csv`],
      ...badRows.map(({ reason, count: bad, lines }): Line => {
        const more = bad > lines.length ? ", …" : "";
        return [`  ${reason}`, `${count(bad)}: line ${lines.join(", ")}${more}`];
      }),
    ]),
    ...list("Warnings", warnings),
    ...list(
      "Lines that are no rows",
      skipped.map(({ line, why, text }) => `${line}: ${why}: ${text}`),
    ),
    ...section("A run", [
      [
        "calls",
        `${count(forecast.sendMessage)} SendMessage, ${count(forecast.getTask)} GetTask or more`,
      ],
      ["takes", `${describeDuration(forecast.durationMs)} or more at the configured rates`],
    ]),
    "",
    "The first message:",
    firstMessage === undefined ? "  none: no row can be sent" : `  ${clean(firstMessage)}`,
  ].join("\n");
}

type Line = readonly [label: string, text: string];

function formLines({ encoding, delimiter, headerLine, reasons }: InputInspection): readonly Line[] {
  const shown = delimiter === "\t" ? "tab" : delimiter;
  const header = headerLine === 0 ? "none" : `line ${headerLine}`;
  return [
    ["encoding", `${encoding} (${reasons.encoding})`],
    ["delimiter", `${shown} (${reasons.delimiter})`],
    ["header", `${header} (${reasons.header})`],
  ];
}

function columnLines({ mapping, ignoredColumns }: InputInspection): readonly Line[] {
  const mapped = mapping.map(({ field, headers }): Line => [field, headers.join(" + ")]);
  if (ignoredColumns.length === 0) return mapped;
  return [...mapped, ["never sent", ignoredColumns.join(", ")]];
}

const SHOWN_ITEMS = 20;

function list(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length - SHOWN_ITEMS;
  return [
    "",
    `${title}:`,
    ...items.slice(0, SHOWN_ITEMS).map((item) => `  ${clean(item)}`),
    ...(more > 0 ? [`  and ${count(more)} more, all of them with --json`] : []),
  ];
}

function section(title: string, lines: readonly Line[]): readonly string[] {
  const width = Math.max(0, ...lines.map(([label]) => label.length));
  const head = title === "" ? [] : ["", `${title}:`];
  return [...head, ...lines.map(([label, text]) => `  ${label.padEnd(width)}  ${clean(text)}`)];
}

/** One line, whatever the file holds. */
function clean(text: string): string {
  return sanitizeForTerminal(text.replaceAll(/[\r\n]+/g, " "));
}

function count(rows: number): string {
  return rows.toLocaleString("en-US");
}

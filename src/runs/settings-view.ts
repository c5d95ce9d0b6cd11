import { formatDuration } from "../core/duration.ts";
import { formatPointer } from "../core/json-pointer.ts";
import type { OutputForm } from "../core/output-form.ts";
import type { ResultColumn } from "../core/result-columns.ts";
import type { RunSettings } from "../core/run-settings.ts";
import { formatSize } from "../core/size.ts";

/** A run's configuration for people: label and value. Keys and passwords are in neither of the two. */
export function describeSettings(
  settings: RunSettings,
  { columns }: OutputForm,
): readonly (readonly [string, string])[] {
  return [
    ["agent", settings.agentUrl],
    ["accepted output", settings.acceptedOutputModes.join(", ") || "left to the agent"],
    ["message", settings.template],
    ["reading", describeReading(settings)],
    ["duplicates", settings.dedupe ? "answered together" : "each sent"],
    ["first rows only", String(settings.rowLimit ?? "all")],
    ["rate", describeRates(settings)],
    ["tasks at one time", String(settings.maxOpenTasks ?? "no limit")],
    ["tries per row", String(settings.attempts)],
    ["time for one call", formatDuration(settings.requestTimeoutMs)],
    ["time for a task", formatDuration(settings.taskTimeoutMs)],
    ["agent waited for", formatDuration(settings.giveUpAfterMs)],
    ["largest answer", formatSize(settings.maxResponseBytes)],
    ["result columns", columns.map(describeColumn).join("\n") || "none"],
  ];
}

function describeReading({ reading }: RunSettings): string {
  const { delimiter, encoding, headerRow, columns, map } = reading;
  const parts = [
    delimiter === undefined ? [] : [`delimiter ${JSON.stringify(delimiter)}`],
    encoding === undefined ? [] : [`encoding ${encoding}`],
    headerRow === undefined ? [] : [`header in line ${headerRow}`],
    columns === undefined ? [] : [`columns ${columns.join(", ")}`],
    Object.entries(map).map(([field, header]) => `${field} is ${header}`),
  ];
  return parts.flat().join("; ") || "as found in the file";
}

function describeRates({ sendPerSecond, pollPerSecond, totalPerSecond }: RunSettings): string {
  const total = totalPerSecond === undefined ? "" : `, ${totalPerSecond} calls in all`;
  return `${sendPerSecond} messages and ${pollPerSecond} questions about tasks a second${total}`;
}

function describeColumn({ name, source }: ResultColumn): string {
  return source.kind === "pointer"
    ? `${name}: ${formatPointer(source.tokens)}`
    : `${name}: group ${source.group} of ${source.pattern}`;
}

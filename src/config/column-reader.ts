import type { z } from "zod";
import { parsePointer } from "../core/json-pointer.ts";
import type { ColumnSource, ResultColumn } from "../core/result-columns.ts";
import { groupsOf } from "../core/result-columns.ts";
import { quoteValue, unknownWord } from "./faults.ts";
import { reader } from "./readers.ts";

type Checked<T> = { readonly value: T } | { readonly problem: string; readonly at?: string };

/** Column name -> JSON pointer, or pattern and group, in the order of the file. */
export function resultColumns(): z.ZodType<readonly ResultColumn[]> {
  return reader(readColumns);
}

function readColumns(raw: unknown): Checked<readonly ResultColumn[]> {
  if (!isRecord(raw)) {
    return { problem: `must hold column: source lines, not ${quoteValue(raw)}` };
  }
  const columns: ResultColumn[] = [];
  for (const [name, value] of Object.entries(raw)) {
    const others = columns.map((column) => column.name);
    const problem = nameProblem(name, others);
    if (problem !== undefined) return { problem, at: name };
    const source = readSource(value);
    if ("problem" in source) return { problem: `${name}: ${source.problem}`, at: name };
    columns.push({ name, source: source.value });
  }
  return { value: columns };
}

function nameProblem(name: string, others: readonly string[]): string | undefined {
  if (name.trim() === "" || name !== name.trim()) {
    return `the column name ${quoteValue(name)} must not be empty or begin or end with a blank`;
  }
  // Such columns are left out when a file is fed back, and belong to this program.
  if (/^onboard_/i.test(name)) return `${name}: column names that begin with onboard_ are taken`;
  const same = others.find((other) => other.toLowerCase() === name.toLowerCase());
  return same === undefined ? undefined : `${name}: names the same column as ${same}`;
}

function readSource(raw: unknown): Checked<ColumnSource> {
  if (typeof raw === "string") return readPointer(raw);
  if (!isRecord(raw)) {
    return { problem: "must be a JSON pointer such as /address/city, or {pattern, group}" };
  }
  const unknown = Object.keys(raw).find((key) => key !== "pattern" && key !== "group");
  if (unknown !== undefined) return { problem: unknownWord(unknown, ["pattern", "group"]) };
  const { pattern, group } = raw;
  if (typeof pattern !== "string" || typeof group !== "string") {
    return { problem: "needs both a pattern and a group, each a text" };
  }
  const groups = groupsOf(pattern);
  if ("problem" in groups) return { problem: groups.problem };
  if (groups.includes(group)) return { value: { kind: "group", pattern, group } };
  const known = groups.length === 0 ? "none, write (?<city>…)" : groups.join(", ");
  return { problem: `the pattern has no group ${quoteValue(group)}; it has ${known}` };
}

function readPointer(text: string): Checked<ColumnSource> {
  const parsed = parsePointer(text);
  return parsed.kind === "problem"
    ? { problem: parsed.message }
    : { value: { kind: "pointer", tokens: parsed.tokens } };
}

function isRecord(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

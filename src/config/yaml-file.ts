import { readFile } from "node:fs/promises";
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
} from "yaml";
import { errorText } from "../core/errors.ts";
import type { Fault } from "./faults.ts";

/** Far more than any configuration; guards against being pointed at a data file. */
const MAX_SIZE_BYTES = 1_048_576;

/** One key of a YAML file with what it holds. */
export interface YamlEntry {
  readonly key: string;
  /** Plain value; undefined when nothing stands there. */
  readonly value: unknown;
  /** `file:line:column` of the key. */
  readonly place: string;
  /** `file:line:column` of the value. */
  readonly valuePlace: string;
  /** What stands below; undefined when the value is no mapping. */
  readonly entries: readonly YamlEntry[] | undefined;
  /** The items of a sequence, with their index as key; undefined when the value is none. */
  readonly items: readonly YamlEntry[] | undefined;
}

/** A YAML file as read: its entries and the faults of its syntax, duplicate keys included. */
export interface YamlFile {
  readonly entries: readonly YamlEntry[];
  readonly faults: readonly Fault[];
}

interface Source {
  readonly path: string;
  readonly lines: LineCounter;
  readonly toPlain: (node: Node) => unknown;
  /** What only shows when values are made plain: aliases that lead nowhere or blow up. */
  readonly faults: Fault[];
}

/** Reads a YAML file (YAML 1.2, one document, a mapping at the top). Whatever is wrong comes back as a fault. */
export async function readYamlFile(path: string): Promise<YamlFile> {
  try {
    const bytes = await readFile(path);
    if (bytes.byteLength > MAX_SIZE_BYTES)
      return failed(path, "is over 1 MiB, which no settings file is");
    return parseYaml(path, bytes.toString("utf8"));
  } catch (error) {
    return failed(path, `cannot be read (${errorText(error)})`);
  }
}

/** The same for text that was read from `path`. */
function parseYaml(path: string, text: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const faults = document.errors.map((error) => ({
    place: placeAt({ path, lines }, error.pos[0]),
    message: error.code === "DUPLICATE_KEY" ? "this key stands twice" : error.message,
  }));
  if (faults.length > 0) return { entries: [], faults };
  const top = document.contents;
  if (top === null || (isScalar(top) && top.value === null)) return { entries: [], faults: [] };
  if (!isMap(top)) return failed(path, "must hold `key: value` lines");
  const toPlain = (node: Node): unknown => node.toJS(document);
  const source: Source = { path, lines, toPlain, faults: [] };
  return { entries: top.items.map((pair) => toEntry(pair, source)), faults: source.faults };
}

function failed(path: string, message: string): YamlFile {
  return { entries: [], faults: [{ place: path, message }] };
}

function toEntry(pair: Pair, source: Source): YamlEntry {
  const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
  return describeNode(key, pair.value, { source, place: placeOf(pair.key, source) ?? source.path });
}

interface Standing {
  readonly source: Source;
  /** Place of the key. */
  readonly place: string;
}

function describeNode(key: string, node: unknown, { source, place }: Standing): YamlEntry {
  const valuePlace = placeOf(node, source) ?? place;
  return {
    key,
    value: plainValue(node, valuePlace, source),
    place,
    valuePlace,
    entries: isMap(node) ? node.items.map((pair) => toEntry(pair, source)) : undefined,
    items: isSeq(node)
      ? node.items.map((item, index) =>
          describeNode(String(index), item, { source, place: placeOf(item, source) ?? valuePlace }),
        )
      : undefined,
  };
}

function plainValue(node: unknown, place: string, source: Source): unknown {
  if (!isNode(node)) return undefined;
  try {
    return source.toPlain(node) ?? undefined;
  } catch (error) {
    source.faults.push({ place, message: errorText(error) });
    return undefined;
  }
}

function placeOf(node: unknown, source: Source): string | undefined {
  return isNode(node) && node.range ? placeAt(source, node.range[0]) : undefined;
}

function placeAt({ path, lines }: Pick<Source, "path" | "lines">, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${path}:${line}:${col}`;
}

import { z } from "zod";
import { codePageOf } from "../core/code-pages.ts";
import { formatDuration, parseDuration } from "../core/duration.ts";
import { type FailureLimit, parseFailureLimit } from "../core/failure-limit.ts";
import { PARTNER_FIELDS, type PartnerField } from "../core/partner.ts";
import { formatSize, parseSize } from "../core/size.ts";
import { quoteValue, unknownWord } from "./faults.ts";

/**
 * How a value is read that may come as text (flag, environment) or as a YAML value (file).
 * Each reader is a zod type; what it says about a bad value names the bounds.
 */

/** `at` names the entry of a mapping that is wrong, so that its own place can be told. */
type Read<T> = { readonly value: T } | { readonly problem: string; readonly at?: string };

/** A zod type from a function that gives the value or says what is wrong with it. */
export function reader<T>(read: (raw: unknown) => Read<T>): z.ZodType<T> {
  return z.unknown().transform((raw, context) => {
    const result = read(raw);
    if ("value" in result) return result.value;
    const { problem: message, at } = result;
    context.addIssue({ code: "custom", message, path: at === undefined ? [] : [at] });
    return z.NEVER;
  });
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A number with decimals. */
export function decimal(bounds: Bounds): z.ZodType<number> {
  return reader((raw) => within(toNumber(raw), raw, { ...bounds, what: "a number", show: String }));
}

/** A whole number. */
export function whole(bounds: Bounds): z.ZodType<number> {
  return reader((raw) => {
    const number = toNumber(raw);
    const value = Number.isInteger(number) ? number : undefined;
    return within(value, raw, { ...bounds, what: "a whole number", show: String });
  });
}

/** A humane duration, in ms. */
export function duration(bounds: Bounds): z.ZodType<number> {
  return reader((raw) => {
    // Nothing is nothing in every unit.
    const isZero = raw === 0 || raw === "0";
    const value = isZero ? 0 : typeof raw === "string" ? parseDuration(raw) : undefined;
    const what = "a duration such as 500ms, 30s, 15m, 2h or 14d";
    return within(value, raw, { ...bounds, what, show: formatDuration });
  });
}

/** A humane size, in bytes. */
export function size(bounds: Bounds): z.ZodType<number> {
  return reader((raw) => {
    const value =
      typeof raw === "string" || typeof raw === "number" ? parseSize(String(raw)) : undefined;
    return within(value, raw, {
      ...bounds,
      what: "a size such as 64KiB or 8MiB",
      show: formatSize,
    });
  });
}

/** Failed rows, as a number or as a part of the settled ones. */
export function failureLimit(): z.ZodType<FailureLimit> {
  return reader((raw) => {
    const value = parseFailureLimit(String(raw));
    return value === undefined
      ? mustBe("a number of rows or a percentage such as 5%", raw)
      : { value };
  });
}

/** True or false. */
export function yesNo(): z.ZodType<boolean> {
  const words = new Map([
    ["true", true],
    ["yes", true],
    ["on", true],
    ["1", true],
    ["false", false],
    ["no", false],
    ["off", false],
    ["0", false],
  ]);
  return reader((raw) => {
    const value = words.get(String(raw).trim().toLowerCase());
    return value === undefined ? mustBe("true or false", raw) : { value };
  });
}

/** One of several words. */
export function choice<const T extends string>(words: readonly T[]): z.ZodType<T> {
  return reader((raw) => {
    const value = words.find((word) => word === raw);
    return value === undefined ? mustBe(`one of ${words.join(", ")}`, raw) : { value };
  });
}

/** Text that is not empty and passes `problemOf` (undefined: nothing is wrong). */
export function text(
  problemOf: (value: string) => string | undefined = () => undefined,
): z.ZodType<string> {
  return reader((raw) => {
    const value = typeof raw === "number" ? String(raw) : raw;
    if (typeof value !== "string" || value === "") return mustBe("a text", raw);
    const problem = problemOf(value);
    return problem === undefined ? { value } : { problem };
  });
}

/** A list of texts; as text with commas between them. */
export function list(): z.ZodType<readonly string[]> {
  return reader((raw) => {
    const items: readonly unknown[] = Array.isArray(raw) ? raw : toWords(raw);
    const value = items.map((item) => (isWord(item) ? String(item).trim() : ""));
    return value.includes("") ? mustBe("a list of texts", raw) : { value };
  });
}

/** `a,b` -> `a` and `b`; what is no word at all comes back to be refused. */
function toWords(raw: unknown): readonly unknown[] {
  return isWord(raw) ? String(raw).split(",") : [raw];
}

function isWord(item: unknown): item is string | number {
  return typeof item === "string" || typeof item === "number";
}

const DELIMITER_NAMES: ReadonlyMap<string, string> = new Map([
  ["comma", ","],
  ["semicolon", ";"],
  ["tab", "\t"],
  ["\\t", "\t"],
  ["pipe", "|"],
]);

/** The character between cells, also by name. */
export function delimiter(): z.ZodType<string> {
  return reader((raw) => {
    const value = typeof raw === "string" ? (DELIMITER_NAMES.get(raw.toLowerCase()) ?? raw) : "";
    const isGood = value.length === 1 && !/["\r\n]/.test(value);
    return isGood ? { value } : mustBe("comma, semicolon, tab, pipe or one character", raw);
  });
}

/** A name of an encoding that the platform can decode, or of a code page that this program knows. */
export function encoding(): z.ZodType<string> {
  const advice = "is not an encoding this program can read; try utf-8 or windows-1252";
  return text((value) => (canDecode(value) ? undefined : `${quoteValue(value)} ${advice}`));
}

function canDecode(label: string): boolean {
  if (codePageOf(label) !== undefined) return true;
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

type FieldMap = Readonly<Partial<Record<PartnerField, string>>>;

/** Where one `field=` begins and the one before it ends; headers may hold commas of their own. */
const NEXT_FIELD = new RegExp(`[,\\n](?=\\s*(?:${PARTNER_FIELDS.join("|")})\\s*=)`);

/** Field -> header; as text `name=Firma,city=Ort`. */
export function fieldMap(): z.ZodType<FieldMap> {
  return reader((raw) => {
    const pairs = toPairs(raw);
    if (pairs === undefined) return mustBe("field=Header, for example name=Firma", raw);
    const map: Partial<Record<PartnerField, string>> = {};
    for (const [word, header] of pairs) {
      const field = PARTNER_FIELDS.find((known) => known === word);
      if (field === undefined) return { problem: unknownWord(word, PARTNER_FIELDS) };
      if (header === "") return { problem: `names no header for ${field}` };
      if (map[field] !== undefined) return { problem: `maps ${field} twice` };
      map[field] = header;
    }
    return { value: map };
  });
}

function toPairs(raw: unknown): readonly (readonly [string, string])[] | undefined {
  if (typeof raw === "string") return toPairs(raw.split(NEXT_FIELD));
  if (Array.isArray(raw)) {
    const pairs = raw.map((item) => /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(String(item)));
    return pairs.includes(null)
      ? undefined
      : pairs.map((match) => [match?.[1] ?? "", match?.[2] ?? ""]);
  }
  if (typeof raw !== "object" || raw === null) return undefined;
  return Object.entries(raw).map(([word, header]) => [word, String(header ?? "").trim()]);
}

interface Kind extends Bounds {
  readonly what: string;
  readonly show: (value: number) => string;
}

function within(value: number | undefined, raw: unknown, kind: Kind): Read<number> {
  const isGood = value !== undefined && value >= kind.min && value <= kind.max;
  return isGood
    ? { value }
    : mustBe(`${kind.what} from ${kind.show(kind.min)} to ${kind.show(kind.max)}`, raw);
}

function mustBe(what: string, raw: unknown): { readonly problem: string } {
  return { problem: `must be ${what}, not ${quoteValue(raw)}` };
}

function toNumber(raw: unknown): number | undefined {
  if (typeof raw === "number") return raw;
  return typeof raw === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(raw) ? Number(raw) : undefined;
}

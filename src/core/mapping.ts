import { type LookAtCells, lookAtCells, sayTheSame } from "./column-evidence.ts";
import { foldHeader } from "./header-aliases-match.ts";
import type { InputShape, ReadOptions } from "./input.ts";
import {
  type AliasClaims,
  type Claim,
  claimByAlias,
  type HeaderColumn,
  quoteForShell,
} from "./mapping-claims.ts";
import { nearestWord } from "./nearest.ts";
import { PARTNER_FIELDS, type PartnerField } from "./partner.ts";

/** Which columns hold which field, or why that cannot be told without the user. */
export type ColumnMapping =
  | ({ readonly kind: "mapped" } & Pick<InputShape, "mapping" | "ignoredColumns" | "warnings">)
  /** `message` says what was found and which flag to use. */
  | { readonly kind: "problem"; readonly message: string };

type Explicit =
  | {
      readonly kind: "placed";
      readonly columns: ReadonlyMap<PartnerField, HeaderColumn>;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "problem"; readonly message: string };

interface FieldColumns {
  readonly field: PartnerField;
  readonly columns: readonly number[];
  readonly warnings: readonly string[];
}

const OWN_PREFIX = "onboard_";
const SHOWN_NAME_COUNT = 20;
const SHOWN_SURPLUS_COUNT = 3;
const SHOWN_NAME_LENGTH = 40;

/** Whether a column was written by this program: such columns of a file that is fed back are left out. */
export function isOwnColumn(name: string): boolean {
  return name.trim().toLowerCase().startsWith(OWN_PREFIX);
}

/**
 * Finds the columns of each partner field: first as `--map` says, then by exact alias, then by an alias that is a
 * whole word of the header. A name that may mean two fields is settled by the other headers, else by the cells.
 * @param rows cells of the first records
 */
export function mapColumns(
  header: readonly string[],
  map: ReadOptions["map"],
  rows: readonly (readonly string[])[] = [],
): ColumnMapping {
  const all = header.map((name, index) => ({ index, name: name.replaceAll(/\s+/gu, " ").trim() }));
  const columns = all.filter(({ name }) => !isOwnColumn(name));
  const explicit = placeExplicit(columns, map);
  if (explicit.kind === "problem") return explicit;
  const mappedByUser = new Set(explicit.columns.values());
  const open = columns.filter((column) => !mappedByUser.has(column));
  const look = lookAtCells(rows);
  const found = withoutNumbersForNames(
    claimByAlias(open, new Set(explicit.columns.keys()), look),
    look,
  );
  const doubt = doubtfulName(found.claims, rows);
  if (doubt !== undefined && !explicit.columns.has("name")) {
    return { kind: "problem", message: doubt };
  }
  const fields = PARTNER_FIELDS.map((field) => {
    const column = explicit.columns.get(field);
    return column === undefined
      ? chooseColumns(field, found.claims)
      : { field, columns: [column.index], warnings: [] };
  }).filter((one) => one.columns.length > 0);
  if (!fields.some(({ field }) => field === "name")) {
    return { kind: "problem", message: noName(columns, found.unsettled) };
  }
  const used = new Set(fields.flatMap((one) => one.columns));
  const usedNames = new Set(
    columns.filter(({ index, name }) => used.has(index) && name !== "").map(({ name }) => name),
  );
  return {
    kind: "mapped",
    mapping: Object.fromEntries(fields.map((one) => [one.field, one.columns])),
    ignoredColumns: columns
      .filter(({ index, name }) => !used.has(index) && !usedNames.has(name))
      .map(columnLabel),
    warnings: [
      ...headerWarnings(columns),
      ...explicit.warnings,
      ...found.warnings,
      ...fields.flatMap(({ warnings }) => warnings),
    ],
  };
}

function placeExplicit(columns: readonly HeaderColumn[], map: ReadOptions["map"]): Explicit {
  const placed = new Map<PartnerField, HeaderColumn>();
  const warnings: string[] = [];
  for (const field of PARTNER_FIELDS) {
    const wanted = map[field];
    if (wanted === undefined) continue;
    const [column, ...others] = findColumns(columns, wanted);
    if (column === undefined) {
      return { kind: "problem", message: unknownColumn(columns, field, wanted) };
    }
    placed.set(field, column);
    if (others.length > 0) {
      warnings.push(
        `${mapFlag(field, wanted)}: ${others.length + 1} columns have that name; of their cells the first that is filled counts.`,
      );
    }
  }
  return { kind: "placed", columns: placed, warnings };
}

/** Columns with exactly that name, else with that name but for case, blanks and accents. */
function findColumns(columns: readonly HeaderColumn[], wanted: string): readonly HeaderColumn[] {
  const exact = columns.filter(({ name }) => name === wanted.replaceAll(/\s+/gu, " ").trim());
  const folded = foldHeader(wanted);
  if (exact.length > 0 || folded === "") return exact;
  return columns.filter(({ name }) => foldHeader(name) === folded);
}

/** The columns of a field that was found by alias, in joining order. */
function chooseColumns(field: PartnerField, claims: readonly Claim[]): FieldColumns {
  const own = claims
    .filter(({ match }) => match.field === field)
    .toSorted((left, right) => left.column.index - right.column.index);
  const withRole = (role: string) => own.filter(({ match }) => match.role === role);
  const mains = withRole("main");
  const [primary, ...surplus] = mains.length > 0 ? mains : withRole("fallback");
  if (primary === undefined) return { field, columns: [], warnings: [] };
  const before = firstOfEachRank(withRole("before"));
  const after = firstOfEachRank(withRole("after"));
  const kept = new Set([primary, ...before.kept, ...after.kept].map(({ column }) => column.name));
  // Columns of the same name step in for one another.
  const unused = [...surplus, ...before.surplus, ...after.surplus].filter(
    ({ column }) => !kept.has(column.name),
  );
  return {
    field,
    columns: [...before.kept, primary, ...after.kept].map(({ column }) => column.index),
    warnings: unused.length > 0 ? [surplusWarning(field, primary, unused)] : [],
  };
}

function isMainName({ match }: Claim): boolean {
  return match.field === "name" && match.role === "main";
}

/** A column "Company" of company codes beside one of names is not the name. */
function withoutNumbersForNames(found: AliasClaims, look: LookAtCells): AliasClaims {
  const names = found.claims.filter(isMainName);
  const numbers = new Set(names.filter(({ column }) => look(column.index) === "numbers"));
  if (numbers.size === names.length) return found;
  return { ...found, claims: found.claims.filter((claim) => !numbers.has(claim)) };
}

/** Two columns that both hold names: which one is the partner's must not be guessed. */
function doubtfulName(
  claims: readonly Claim[],
  rows: readonly (readonly string[])[],
): string | undefined {
  const names = claims.filter(isMainName);
  const [first] = names;
  const other = names.find(
    ({ column }) =>
      first !== undefined &&
      foldHeader(column.name) !== foldHeader(first.column.name) &&
      !sayTheSame(rows, first.column.index, column.index),
  );
  if (first === undefined || other === undefined || rows.length === 0) return undefined;
  const [one, two] = [first.column.name, other.column.name];
  return `Columns "${one}" and "${two}" may both hold the partner's name. Say which it is with ${mapFlag("name", one)} or ${mapFlag("name", two)}.`;
}

function surplusWarning(field: PartnerField, primary: Claim, unused: readonly Claim[]): string {
  const shown = unused.slice(0, SHOWN_SURPLUS_COUNT).map(columnPlace).join(", ");
  const more = unused.length - SHOWN_SURPLUS_COUNT;
  const others = more > 0 ? `${shown} and ${more} more` : shown;
  return `For ${field}, column ${columnPlace(primary)} is used and not ${others}; --map ${field}=Header chooses.`;
}

function columnPlace({ column }: Claim): string {
  return `${column.index + 1} (${columnLabel(column)})`;
}

/** Pieces in the order of the alias table (`NAME2`, `NAME3`); of two columns for one piece the first. */
function firstOfEachRank(claims: readonly Claim[]): {
  readonly kept: readonly Claim[];
  readonly surplus: readonly Claim[];
} {
  const isFirst = (claim: Claim) =>
    claims.find(({ match }) => match.rank === claim.match.rank) === claim;
  const kept = claims.filter((claim) => isFirst(claim));
  return {
    kept: kept.toSorted((left, right) => left.match.rank - right.match.rank),
    surplus: claims.filter((claim) => !isFirst(claim)),
  };
}

function mapFlag(field: PartnerField, header: string): string {
  return `--map ${field}=${quoteForShell(header)}`;
}

function columnLabel({ index, name }: HeaderColumn): string {
  if (name === "") return `column ${index + 1}`;
  return name.length > SHOWN_NAME_LENGTH ? `${name.slice(0, SHOWN_NAME_LENGTH)}…` : name;
}

function foundNames(columns: readonly HeaderColumn[]): string {
  const named = columns.filter(({ name }) => name !== "");
  const shown = named.slice(0, SHOWN_NAME_COUNT).map(columnLabel).join(", ");
  const more = named.length - SHOWN_NAME_COUNT;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function noName(columns: readonly HeaderColumn[], unsettled: readonly HeaderColumn[]): string {
  const found = `Columns found: ${foundNames(columns)}.`;
  const [column] = unsettled;
  if (column === undefined) {
    return `No column holds the partner's name. ${found} Say which one it is with --map name=Header; if the header is further down, --header-row N; if there is none, name the columns with --columns name,country,…`;
  }
  return `Column "${column.name}" may hold the partner's name or its number, and no other column tells which. Use ${mapFlag("name", column.name)} if it is the name, else --map name=Header with the column of the name. ${found}`;
}

function unknownColumn(
  columns: readonly HeaderColumn[],
  field: PartnerField,
  wanted: string,
): string {
  const flag = mapFlag(field, wanted);
  if (isOwnColumn(wanted)) {
    return `${flag}: columns that begin with ${OWN_PREFIX} are this program's own and cannot be mapped.`;
  }
  const nearest = nearestWord(
    wanted,
    columns.map(({ name }) => name),
  );
  const hint = nearest === undefined ? "" : ` Did you mean ${mapFlag(field, nearest)}?`;
  return `${flag}: the file has no column of that name.${hint} Columns found: ${foundNames(columns)}.`;
}

/** Blank and repeated names: harmless, but seldom meant. */
function headerWarnings(columns: readonly HeaderColumn[]): string[] {
  const places = new Map<string, readonly number[]>();
  for (const { index, name } of columns) places.set(name, [...(places.get(name) ?? []), index + 1]);
  return [...places].flatMap(([name, numbers]) => {
    const list = numbers.join(", ");
    if (name === "") return [`The header has no name for column ${list}.`];
    return numbers.length > 1
      ? [
          `The header names "${name}" ${numbers.length} times (columns ${list}); of its cells the first that is filled counts.`,
        ]
      : [];
  });
}

import type { CellsLook, LookAtCells } from "./column-evidence.ts";
import { type AliasMatch, matchHeader, matchHeaderWords } from "./header-aliases-match.ts";
import type { PartnerField } from "./partner.ts";

/** A named column of the file. */
export interface HeaderColumn {
  /** 0-based. */
  readonly index: number;
  /** As in the file, trimmed. */
  readonly name: string;
}

/** A column and the one field that it was found to stand for. */
export interface Claim {
  readonly column: HeaderColumn;
  readonly match: AliasMatch;
}

export interface AliasClaims {
  readonly claims: readonly Claim[];
  /** Columns that hold a partner's name or number, and no other header tells which. */
  readonly unsettled: readonly HeaderColumn[];
  readonly warnings: readonly string[];
}

interface Candidate {
  readonly column: HeaderColumn;
  readonly matches: readonly [AliasMatch, ...AliasMatch[]];
}

/** What one ambiguous header came to. */
type Verdict =
  | { readonly kind: "field"; readonly field: PartnerField; readonly isGuess: boolean }
  | { readonly kind: "unsettled" };

type HasField = (field: PartnerField) => boolean;

/** What may settle an ambiguous header: what is claimed so far, and the cells below it. */
interface Evidence {
  readonly claims: readonly Claim[];
  readonly has: HasField;
  readonly look: CellsLook;
}

/**
 * Finds what columns stand for by their names alone.
 * @param columns those that may still be claimed
 * @param placed fields that the user has placed already; nothing is claimed for them
 * @param look what the cells say where names leave it open
 */
export function claimByAlias(
  columns: readonly HeaderColumn[],
  placed: ReadonlySet<PartnerField>,
  look: LookAtCells,
): AliasClaims {
  const candidates = columns.flatMap((column): Candidate[] => {
    const [match, ...others] = matchHeader(column.name).filter((one) => isBelievable(one, column));
    return match === undefined ? [] : [{ column, matches: [match, ...others] }];
  });
  // "Stato" is a country or a status, "CP" a postal code or a post box, "Ort" a place or its number.
  function isBelievable({ field, role }: AliasMatch, { index }: HeaderColumn): boolean {
    if (field === "country" && role === "fallback") {
      return look(index) === "countries" || look(index) === "unclear";
    }
    if (field === "postalCode") return look(index) !== "names";
    return field !== "city" || look(index) !== "numbers";
  }
  const exact = candidates
    .filter(({ matches }) => matches.length === 1)
    .map(({ column, matches: [match] }) => ({ column, match }));
  const ambiguous = candidates.filter(({ matches }) => matches.length > 1);
  const settled = settleAmbiguous(ambiguous, exact, { placed, look });
  const known = new Set(candidates.map(({ column }) => column));
  const unknown = columns.filter((column) => !known.has(column));
  const found = claimByWords(unknown, settled, { placed, isBelievable });
  return { ...found, claims: found.claims.filter(({ match }) => !placed.has(match.field)) };
}

/** Settles each header that may mean two fields; names come last, because an id column decides about them. */
function settleAmbiguous(
  ambiguous: readonly Candidate[],
  exact: readonly Claim[],
  { placed, look }: { readonly placed: ReadonlySet<PartnerField>; readonly look: LookAtCells },
): AliasClaims {
  const claims = [...exact];
  const unsettled: HeaderColumn[] = [];
  const warnings: string[] = [];
  const has: HasField = (field) =>
    placed.has(field) || claims.some(({ match }) => match.field === field);
  const names = ambiguous.filter((candidate) => mayBe(candidate, "name"));
  const others = ambiguous.filter((candidate) => !mayBe(candidate, "name"));
  for (const candidate of [...others, ...names]) {
    const verdict = judgeAmbiguous(candidate, { claims, has, look: look(candidate.column.index) });
    if (verdict.kind === "unsettled") {
      unsettled.push(candidate.column);
      continue;
    }
    const matches = candidate.matches.filter(({ field }) => field === verdict.field);
    claims.push(...matches.map((match) => ({ column: candidate.column, match })));
    if (verdict.isGuess) warnings.push(guessWarning(candidate.column, verdict.field));
  }
  return { claims, unsettled, warnings };
}

function mayBe({ matches }: Candidate, field: PartnerField): boolean {
  return matches.some((match) => match.field === field);
}

function judgeAmbiguous(candidate: Candidate, evidence: Evidence): Verdict {
  const { has } = evidence;
  if (mayBe(candidate, "name")) return nameOrId(evidence);
  if (mayBe(candidate, "country")) return countryOrRegion(evidence);
  // What is left is a bare "No.": of the house behind a street, else of the partner.
  const followsStreet = evidence.claims.some(
    ({ column, match }) => column.index === candidate.column.index - 1 && match.field === "street",
  );
  const isHouseNumber = !has("houseNumber") && (followsStreet || has("internalId"));
  return isHouseNumber
    ? { kind: "field", field: "houseNumber", isGuess: !followsStreet }
    : { kind: "field", field: "internalId", isGuess: false };
}

/** A column "Supplier": the other headers decide, else what is in it. */
function nameOrId({ has, look }: Evidence): Verdict {
  if (has("name")) return { kind: "field", field: "internalId", isGuess: false };
  if (has("internalId")) return { kind: "field", field: "name", isGuess: false };
  if (look === "names") return { kind: "field", field: "name", isGuess: false };
  if (look === "numbers") return { kind: "field", field: "internalId", isGuess: false };
  return { kind: "unsettled" };
}

/** A column "Land" or "Kraj": the other headers decide, else what is in it. */
function countryOrRegion({ claims, has, look }: Evidence): Verdict {
  const isFallback = claims.every(
    ({ match }) => match.field !== "country" || match.role === "fallback",
  );
  if (has("country") && !(isFallback && look === "countries"))
    return { kind: "field", field: "region", isGuess: false };
  if (look === "countries") return { kind: "field", field: "country", isGuess: false };
  const isRegion = look !== "unclear" && !has("region");
  if (isRegion) return { kind: "field", field: "region", isGuess: false };
  return { kind: "field", field: "country", isGuess: !has("region") };
}

/** Fills fields that no header names exactly from headers that name them among other words. */
function claimByWords(
  columns: readonly HeaderColumn[],
  before: AliasClaims,
  {
    placed,
    isBelievable,
  }: {
    readonly placed: ReadonlySet<PartnerField>;
    readonly isBelievable: (match: AliasMatch, column: HeaderColumn) => boolean;
  },
): AliasClaims {
  const closed = new Set([...placed, ...before.claims.map(({ match }) => match.field)]);
  // While a column may be the name, a looser hit must not decide against it.
  if (before.unsettled.length > 0) closed.add("name");
  const hits = columns.flatMap((column) => {
    const match = matchHeaderWords(column.name);
    if (match === undefined || closed.has(match.field)) return [];
    return isBelievable(match, column) ? [{ column, match }] : [];
  });
  const warnings = hits.map(({ column, match }) => guessWarning(column, match.field));
  return {
    claims: [...before.claims, ...hits],
    unsettled: before.unsettled,
    warnings: [...before.warnings, ...warnings],
  };
}

function guessWarning(column: HeaderColumn, field: PartnerField): string {
  return `Column ${column.index + 1} (${column.name}) is taken for ${field} by its name alone; if that is wrong, use --map field=${quoteForShell(column.name)} with the right field.`;
}

/** A header name as it can be typed behind `--map field=`. */
export function quoteForShell(name: string): string {
  return /^[\p{L}\p{N}_./-]+$/u.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}

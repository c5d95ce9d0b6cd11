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

/**
 * Finds what columns stand for by their names alone.
 * @param columns those that may still be claimed
 * @param placed fields that the user has placed already; nothing is claimed for them
 */
export function claimByAlias(
  columns: readonly HeaderColumn[],
  placed: ReadonlySet<PartnerField>,
): AliasClaims {
  const candidates = columns.flatMap((column): Candidate[] => {
    const [match, ...others] = matchHeader(column.name);
    return match === undefined ? [] : [{ column, matches: [match, ...others] }];
  });
  const exact = candidates
    .filter(({ matches }) => matches.length === 1)
    .map(({ column, matches: [match] }) => ({ column, match }));
  const ambiguous = candidates.filter(({ matches }) => matches.length > 1);
  const settled = settleAmbiguous(ambiguous, exact, placed);
  const known = new Set(candidates.map(({ column }) => column));
  const unknown = columns.filter((column) => !known.has(column));
  const found = claimByWords(unknown, settled, placed);
  return { ...found, claims: found.claims.filter(({ match }) => !placed.has(match.field)) };
}

/** Settles each header that may mean two fields; names come last, because an id column decides about them. */
function settleAmbiguous(
  ambiguous: readonly Candidate[],
  exact: readonly Claim[],
  placed: ReadonlySet<PartnerField>,
): AliasClaims {
  const claims = [...exact];
  const unsettled: HeaderColumn[] = [];
  const warnings: string[] = [];
  const has: HasField = (field) =>
    placed.has(field) || claims.some(({ match }) => match.field === field);
  const names = ambiguous.filter((candidate) => mayBe(candidate, "name"));
  const others = ambiguous.filter((candidate) => !mayBe(candidate, "name"));
  for (const candidate of [...others, ...names]) {
    const verdict = judgeAmbiguous(candidate, claims, has);
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

function judgeAmbiguous(candidate: Candidate, claims: readonly Claim[], has: HasField): Verdict {
  if (mayBe(candidate, "name")) {
    if (has("name")) return { kind: "field", field: "internalId", isGuess: false };
    return has("internalId")
      ? { kind: "field", field: "name", isGuess: false }
      : { kind: "unsettled" };
  }
  if (mayBe(candidate, "country")) {
    return has("country")
      ? { kind: "field", field: "region", isGuess: false }
      : { kind: "field", field: "country", isGuess: !has("region") };
  }
  // What is left is a bare "No.": of the house behind a street, else of the partner.
  const followsStreet = claims.some(
    ({ column, match }) => column.index === candidate.column.index - 1 && match.field === "street",
  );
  const isHouseNumber = !has("houseNumber") && (followsStreet || has("internalId"));
  return isHouseNumber
    ? { kind: "field", field: "houseNumber", isGuess: !followsStreet }
    : { kind: "field", field: "internalId", isGuess: false };
}

/** Fills fields that no header names exactly from headers that name them among other words. */
function claimByWords(
  columns: readonly HeaderColumn[],
  before: AliasClaims,
  placed: ReadonlySet<PartnerField>,
): AliasClaims {
  const closed = new Set([...placed, ...before.claims.map(({ match }) => match.field)]);
  // While a column may be the name, a looser hit must not decide against it.
  if (before.unsettled.length > 0) closed.add("name");
  const hits = columns.flatMap((column) => {
    const match = matchHeaderWords(column.name);
    return match === undefined || closed.has(match.field) ? [] : [{ column, match }];
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

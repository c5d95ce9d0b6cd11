import type {
  OutcomeArtifact,
  OutcomeFile,
  OutcomePart,
  RowOutcome,
  SucceededOutcome,
} from "./outcome.ts";
import { parseOwnJson } from "./own-json.ts";

/** What an answer says, for the columns of results.csv. */
export interface OutcomeContent {
  /** Names of all artifacts that have one, with commas between them. */
  readonly artifactName: string;
  /** The text parts in order, one line end between them. */
  readonly text: string;
  /** The data parts in order. */
  readonly data: readonly unknown[];
  /** The raw and url parts in order. */
  readonly files: readonly OutcomeFile[];
}

/** Gathers an answer's parts over all artifacts; those of the message when the artifacts hold nothing. */
export function contentOf({
  artifacts,
  message,
}: Pick<SucceededOutcome, "artifacts" | "message">): OutcomeContent {
  const parts = hasContent(artifacts) ? artifacts.flatMap((artifact) => artifact.parts) : message;
  const data: unknown[] = [];
  const files: OutcomeFile[] = [];
  for (const part of parts) {
    if (part.kind === "data") data.push(part.data);
    else if (part.kind !== "text") files.push(part);
  }
  const names = artifacts.map(({ name }) => name).filter((name) => name !== "");
  return { artifactName: names.join(", "), text: joinText(parts), data, files };
}

/** Whether any part says something: agents that print every default value send artifacts with empty texts. */
export function hasContent(artifacts: readonly OutcomeArtifact[]): boolean {
  return artifacts.some(({ parts }) =>
    parts.some((part) => part.kind !== "text" || part.text.trim() !== ""),
  );
}

/** The text parts in order, one line end between them. */
export function joinText(parts: readonly OutcomePart[]): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** A success as it was written before outcomes kept artifacts and parts apart. */
type FlatOutcome = Omit<SucceededOutcome, "artifacts" | "message"> & OutcomeContent;

/** An outcome from its stored JSON, also from one that an earlier version stored. @throws SyntaxError */
export function parseOutcome(json: string): RowOutcome {
  return currentOutcome(parseOwnJson<RowOutcome | FlatOutcome>(json));
}

/** The same outcome in today's form: of a flat one the parts are known by kind, not in the agent's order. */
export function currentOutcome(stored: RowOutcome | FlatOutcome): RowOutcome {
  if (!("artifactName" in stored)) return stored;
  const { artifactName, text, data, files, ...rest } = stored;
  const parts: readonly OutcomePart[] = [
    ...(text === "" ? [] : [{ kind: "text", text } as const]),
    ...data.map((value) => ({ kind: "data", data: value }) as const),
    ...files,
  ];
  const isArtifact = rest.source === "artifact";
  const named = isArtifact || artifactName !== "";
  const artifacts = named ? [{ name: artifactName, parts: isArtifact ? parts : [] }] : [];
  return { ...rest, artifacts, message: isArtifact ? [] : parts };
}

/** Escape sequences with their letters: CSI, OSC up to its end, and the two-character ones. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;

/** Other control characters, and marks that turn the direction of what follows; line breaks and tabs stay. */
const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text from an agent or a file, made harmless for a terminal: it cannot move, colour, ring or hide anything. */
export function sanitizeForTerminal(text: string): string {
  return text.replaceAll(SEQUENCES, "").replaceAll(CONTROLS, "");
}

/** One line of JSON in which such characters stand as escapes, so that it is the same document and harmless. */
export function toSafeJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

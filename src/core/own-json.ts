/**
 * JSON that this program wrote itself, into Redis or onto its own disk, as the type it was written
 * from. Never for anything that came from an agent or a user.
 *
 * @throws SyntaxError for text that is no JSON
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it wrote
export function parseOwnJson<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this program as a T
  return JSON.parse(text) as T;
}

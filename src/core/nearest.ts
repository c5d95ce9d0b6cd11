/**
 * The known word that was most likely meant by a mistyped one, upper and lower case alike;
 * undefined when none is near (more than a third of the letters would have to change).
 */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment) from one word to the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current: number[] = [];
    for (let column = 0; column <= to.length; column += 1) {
      const replaced = at(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const shifted = Math.min(at(last, column), at(current, column - 1)) + 1;
      const crossed = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = crossed ? at(beforeLast, column - 2) + 1 : Infinity;
      current.push(Math.min(replaced, shifted, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

/** Outside the table every way is closed. */
function at(distances: readonly number[], column: number): number {
  return distances[column] ?? Infinity;
}

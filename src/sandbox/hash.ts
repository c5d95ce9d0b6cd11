/**
 * Seeded decisions: a hash stands in for chance, so that the same text gets the same fate in every
 * run, in whatever order and at whatever speed the calls come.
 */

/** A 32-bit FNV-1a hash of the text's UTF-16 units. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Mixes two 32-bit numbers into one (finaliser of MurmurHash3): near inputs give far results. */
export function mixHash(hash: number, salt: number): number {
  let mixed = hash ^ Math.imul(salt + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A number in [0, 1) for a hash. */
export function toUnit(hash: number): number {
  return hash / 0x1_0000_0000;
}

/**
 * The names, each with `_2`, `_3`, … behind it where one before it or in `taken` is the same. Letters of
 * either case are the same: databases do not tell such columns apart.
 */
export function uniqueNames(names: readonly string[], taken: readonly string[]): readonly string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique.toLowerCase()); count += 1) unique = `${name}_${count}`;
    used.add(unique.toLowerCase());
    return unique;
  });
}

/** How a flag is called elsewhere: one name in three spellings. */

/** `--some-name <x>` or `-s, --some-name` -> `--some-name`. */
export function longFlag(flag: string): string {
  return flag.split(/[ ,]+/).find((word) => word.startsWith("--")) ?? flag;
}

/** `--some-name <x>` -> `ONBOARD_BATCH_SOME_NAME`. */
export function environmentName(flag: string): string {
  return `ONBOARD_BATCH_${longFlag(flag).slice(2).replaceAll("-", "_").toUpperCase()}`;
}

/** `--some-name <x>` -> `someName`, the key under which a parsed flag is handed over. */
export function flagKey(flag: string): string {
  return longFlag(flag)
    .slice(2)
    .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

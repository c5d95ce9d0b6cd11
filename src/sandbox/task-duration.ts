import { mixHash, toUnit } from "./hash.ts";
import type { DurationSetting } from "./options.ts";

const FIRST_DRAW = 101;
const SECOND_DRAW = 102;

/** How long the task of a text takes, in ms: always the same for the same hash. */
export function computeDurationMs(setting: DurationSetting, textHash: number): number {
  const first = toUnit(mixHash(textHash, FIRST_DRAW));
  switch (setting.kind) {
    case "fixed":
      return setting.ms;
    case "uniform":
      return setting.minMs + first * (setting.maxMs - setting.minMs);
    case "lognormal": {
      const second = toUnit(mixHash(textHash, SECOND_DRAW));
      // Box-Muller; 1 - first because the logarithm of 0 is not a number to work with.
      const normal = Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
      return Math.min(setting.medianMs * Math.exp(setting.sigma * normal), setting.maxMs);
    }
  }
}

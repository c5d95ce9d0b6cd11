/**
 * What can be set, where, and to what it defaults: the source of the help, the environment names,
 * the keys of the file and the defaults. How a value is read stands in schema.ts.
 * Kept free of libraries so that help is quick.
 */
import { PLACE_SETTINGS } from "./place-settings.ts";
import type { SettingFacts } from "./setting-facts.ts";
import { WORK_SETTINGS } from "./work-settings.ts";

const TABLE = [...WORK_SETTINGS, ...PLACE_SETTINGS] as const;

export type SettingKey = (typeof TABLE)[number]["key"];

/** What is known about one setting. */
export interface Setting extends SettingFacts {
  readonly key: SettingKey;
}

/** Every setting, in the order of help and documentation. */
export const SETTINGS: readonly Setting[] = TABLE;

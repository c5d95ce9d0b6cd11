/** Headings under which help and documentation list the settings. */
export const SETTING_GROUPS = [
  "Agent",
  "Run",
  "Speed",
  "Limits",
  "Reading the file",
  "Redis",
  "Server",
  "Terminal",
] as const;

type SettingGroup = (typeof SETTING_GROUPS)[number];

/** The default as it would stand in the configuration file; undefined means "not set". */
type DefaultValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** What is known about one setting. */
export interface SettingFacts {
  /** Key in the file; a dot enters a section. */
  readonly key: string;
  readonly group: SettingGroup;
  /** The flag as commander wants it; absent for settings that live only in the file. */
  readonly flag?: string;
  /** The flag that says the opposite of a true-or-false setting. */
  readonly negativeFlag?: string;
  /** The flag may be given several times. */
  readonly repeatable?: boolean;
  readonly default: DefaultValue | undefined;
  /** What an unset default amounts to, for help. */
  readonly unset?: string;
  /** One line. */
  readonly help: string;
}

/** Facts of an event: codes, counts, row numbers; never partner data or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where events go. The implementation is chosen in one place, at the edge. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

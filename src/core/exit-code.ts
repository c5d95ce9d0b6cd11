/** Every exit code that users and schedulers may rely on. */
export const EXIT = {
  /** every row succeeded, or nothing to do */
  ok: 0,
  /** a defect of this program */
  bug: 1,
  /** usage, configuration, unreadable input, or not the agent that was configured; nothing consumed */
  usage: 2,
  /** settled, but some rows failed or need input */
  rowsFailed: 3,
  /** the agent refused the credentials */
  credentials: 4,
  /** something outside is missing (Redis, agent, disk): safe to run again */
  unavailable: 5,
  /** another living process holds this run */
  held: 6,
  /** canceled, or stopped by a limit */
  stopped: 7,
  /** SIGINT; the same command continues */
  interrupted: 130,
  /** SIGTERM; the same command continues */
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

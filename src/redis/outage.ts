/** Replies with which a Redis refuses writes for a while: full, loading, failing over, disk trouble. */
const PASSING_REPLIES =
  /^(OOM|LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MISCONF|NOREPLICAS|BUSY)\b|Connection is closed|Too many Cluster redirections/;

/** Whether an error means that Redis cannot serve now but will again, rather than a defect. */
export function isRedisOutage(error: unknown): boolean {
  return error instanceof Error && PASSING_REPLIES.test(error.message);
}

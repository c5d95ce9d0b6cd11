/** Replies with which a Redis refuses for a while: full, loading, failing over, disk trouble. */
const PASSING_REPLIES =
  /^(OOM|LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|UNBLOCKED|MISCONF|NOREPLICAS|BUSY)\b/;
/** What ioredis says instead while no server, or no node of a Cluster, can be reached. */
const NO_CONNECTION =
  /Connection is closed|aborted due to connection close|Cluster is ended|Too many Cluster redirections|None of startup nodes|refresh slots cache/;

/** Whether an error means that Redis cannot serve now but will again, rather than a defect. */
export function isRedisOutage(error: unknown): boolean {
  return (
    error instanceof Error &&
    (PASSING_REPLIES.test(error.message) || NO_CONNECTION.test(error.message))
  );
}

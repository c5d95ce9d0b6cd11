import type { ConnectionOptions } from "bullmq";
import { Queue } from "bullmq";
import type { SubmitJob, TrackJob } from "../core/job.ts";

export const QUEUE_NAMES = { submit: "submit", track: "track" } as const;
export type QueueName = keyof typeof QUEUE_NAMES;

export interface RunQueues {
  /** Adds rows; one whose job exists already is left as it is. */
  addSubmits(jobs: readonly SubmitJob[]): Promise<void>;
  addTrack(job: TrackJob, delayMs: number): Promise<void>;
  /** Rows that wait to be sent, those in a worker's hands not included. */
  countWaitingSubmits(): Promise<number>;
  countActiveSubmits(): Promise<number>;
  /** Lets every task that waits for its next poll have its turn at once. */
  hastenTracks(): Promise<void>;
  /** Jobs of both queues that wait or are in a worker's hands. */
  countJobs(): Promise<number>;
  /** Removes both queues with all that is in them. */
  obliterate(): Promise<void>;
  close(): Promise<void>;
}

/** States of jobs that will still be worked on. */
const LIVE = ["waiting", "delayed", "active"] as const;

const JOB_OPTIONS = {
  // The ledger, not the queue, remembers what is done.
  removeOnComplete: true,
  stackTraceLimit: 1,
} as const;

/** A row's job in either queue; nothing from the file ever becomes a job id (BullMQ reserves words). */
function jobId(row: number, tryGroup: number): string {
  return tryGroup === 0 ? `r-${row}` : `r-${row}-${tryGroup}`;
}

/** The two queues of one run. */
export function createRunQueues(connection: ConnectionOptions, prefix: string): RunQueues {
  // Every queue object rewrites the length of the event stream: the same value everywhere.
  const options = { connection, prefix, streams: { events: { maxLen: 100 } } };
  const submit = new Queue<SubmitJob>(QUEUE_NAMES.submit, options);
  const track = new Queue<TrackJob>(QUEUE_NAMES.track, options);
  // Outages are told by the connection itself; a queue object must only not die of them.
  for (const queue of [submit, track]) queue.on("error", () => undefined);

  return {
    async addSubmits(jobs) {
      await submit.addBulk(
        jobs.map((data) => ({
          name: "submit",
          data,
          opts: { ...JOB_OPTIONS, jobId: jobId(data.row, data.tryGroup) },
        })),
      );
    },
    async addTrack(data, delayMs) {
      const opts = { ...JOB_OPTIONS, jobId: jobId(data.row, data.tryGroup), delay: delayMs };
      await track.add("track", data, opts);
    },
    async countWaitingSubmits() {
      const counts = await submit.getJobCounts("waiting", "delayed");
      return (counts["waiting"] ?? 0) + (counts["delayed"] ?? 0);
    },
    countActiveSubmits: () => submit.getActiveCount(),
    hastenTracks: () => track.promoteJobs(),
    async countJobs() {
      const counts = await Promise.all([submit, track].map((queue) => queue.getJobCounts(...LIVE)));
      return counts.flatMap((count) => Object.values(count)).reduce((sum, jobs) => sum + jobs, 0);
    },
    async obliterate() {
      // A new queue object writes its settings once it is connected: that must not come last.
      await Promise.all([submit.waitUntilReady(), track.waitUntilReady()]);
      await submit.obliterate({ force: true });
      await track.obliterate({ force: true });
    },
    async close() {
      await Promise.all([submit.close(), track.close()]);
    },
  };
}

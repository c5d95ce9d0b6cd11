import { adviceWhenLeft, orderCommand } from "../order.ts";

/** `onboard-batch pause <run>`: no new send on any host; open tasks are followed, for they are paid. */
export const pause = orderCommand("pause", {
  done: (standing) => {
    const { runId, rows } = standing.summary;
    return `Run ${runId} is paused: ${rows.pending} rows wait, ${rows.open} tasks are followed to their end. Go on with: onboard-batch resume ${runId}.${adviceWhenLeft(standing)}`;
  },
  already: (runId) => `Run ${runId} was paused before.`,
});

import { adviceWhenLeft, orderCommand } from "../order.ts";

/** `onboard-batch resume <run>`: a paused run sends again. */
export const resume = orderCommand("resume", {
  done: (standing) => {
    const { runId, rows } = standing.summary;
    return `Run ${runId} goes on: ${rows.pending} rows are to be sent.${adviceWhenLeft(standing)}`;
  },
  already: (runId) => `Run ${runId} is not paused.`,
});

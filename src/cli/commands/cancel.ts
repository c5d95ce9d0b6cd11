import { adviceWhenLeft, orderCommand } from "../order.ts";

/** `onboard-batch cancel <run>`: nothing new is sent, open tasks are canceled, the rest is unprocessed. */
export const cancel = orderCommand("cancel", {
  question: ({ summary: { runId, rows } }) =>
    `Cancel run ${runId}? ${rows.pending} rows will not be sent, ${rows.open} tasks will be canceled.`,
  done: (standing) => {
    const { runId, rows } = standing.summary;
    return `Run ${runId} is being canceled: ${rows.open} tasks are still to end. Its files are written then; onboard-batch retry ${runId} reopens it.${adviceWhenLeft(standing)}`;
  },
  already: (runId) => `Run ${runId} was canceled before.`,
});

import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";

/**
 * Does something to the disk for a run.
 *
 * @param place what is written, for the message
 * @throws OnboardError exit 5 when the disk does not take it
 */
export async function toDisk<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OnboardError) throw error;
    throw new OnboardError(EXIT.unavailable, `cannot write ${place}: ${errorText(error)}`, {
      hint: "make room on the disk or mend its permissions, then run the same command again; nothing is lost",
      cause: error,
    });
  }
}

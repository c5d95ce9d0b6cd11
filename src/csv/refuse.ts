import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";

/** Refuses a file. @param place the file, with the line if there is one @throws OnboardError exit 2 */
export function refuse(place: string, message: string): never {
  throw new OnboardError(EXIT.usage, `${place}: ${message}`);
}

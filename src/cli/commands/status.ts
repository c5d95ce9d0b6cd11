import { OnboardError } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-code.ts";
import type { RunCommand } from "../command.ts";

/** `onboard-batch status` */
export const status: RunCommand = async (_input, { loadConfig }) => {
  await loadConfig();
  throw new OnboardError(EXIT.bug, "not built yet");
};

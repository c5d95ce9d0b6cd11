import { OnboardError } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-code.ts";
import type { RunCommand } from "../command.ts";
import { completionScript, SHELLS } from "../completion-script.ts";
import { HELP_TOPICS } from "../help-topics.ts";

/** `onboard-batch completion <shell>`: prints the script that teaches the shell. */
export const completion: RunCommand = async ({ words: [typed] }, { output, commands }) => {
  const shell = SHELLS.find((one) => one === typed);
  if (shell === undefined) {
    throw new OnboardError(EXIT.usage, `there is no completion for the shell ${typed ?? ""}`, {
      hint: `there is for ${SHELLS.join(", ")}`,
    });
  }
  const topics = [...commands.map(({ name }) => name), ...HELP_TOPICS.keys()];
  output.result(completionScript(shell, commands, { topic: topics, shell: SHELLS }).trimEnd());
  return EXIT.ok;
};

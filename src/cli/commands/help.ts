import { OnboardError } from "../../core/errors.ts";
import { EXIT } from "../../core/exit-code.ts";
import { nearestWord } from "../../core/nearest.ts";
import type { RunCommand } from "../command.ts";
import { HELP_TOPICS } from "../help-topics.ts";

/** `onboard-batch help [topic]` */
export const help: RunCommand = async ({ words: [topic] }, { output, showHelp, commands }) => {
  const text = topic === undefined ? undefined : HELP_TOPICS.get(topic);
  if (text !== undefined) {
    output.result(text());
  } else if (!showHelp(topic)) {
    throw unknownTopic(topic ?? "", [...commands.map(({ name }) => name), ...HELP_TOPICS.keys()]);
  }
  return EXIT.ok;
};

function unknownTopic(topic: string, known: readonly string[]): OnboardError {
  const nearest = nearestWord(topic, known);
  const question = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return new OnboardError(EXIT.usage, `there is no help on ${topic}${question}`, {
    hint: `there is on ${known.join(", ")}`,
  });
}

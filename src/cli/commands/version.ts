import { EXIT } from "../../core/exit-code.ts";
import type { RunCommand } from "../command.ts";
import { readVersion } from "../package-version.ts";

/** `onboard-batch version` */
export const version: RunCommand = async ({ flags }, { output }) => {
  if (flags["json"] === true) {
    const { node } = process.versions;
    output.jsonResult({
      name: "onboard-batch",
      version: readVersion(),
      node,
      platform: process.platform,
    });
  } else {
    output.result(readVersion());
  }
  return EXIT.ok;
};

import { existsSync } from "node:fs";
import path from "node:path";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RunSettings } from "../core/run-settings.ts";
import { copyInput } from "./copy-input.ts";

export interface GivenInput {
  /** `--input`, absolute; undefined when none was given. */
  readonly file: string | undefined;
  /** Absolute. */
  readonly outDir: string;
}

/**
 * Sees to it that a run's copy of its input lies in `target`: the one that is there, or the file that
 * was given for it, if it has the same bytes.
 *
 * @throws OnboardError exit 2 when there is neither, or the given file is another one
 */
export async function requireInput(
  { file, outDir }: GivenInput,
  { sha256, file: name }: Pick<RunSettings, "sha256" | "file">,
  target: string,
): Promise<void> {
  if (file === undefined) {
    if (existsSync(target)) return;
    const folder = path.dirname(target);
    throw new OnboardError(EXIT.usage, `the copy of the run's input is not in ${folder}`, {
      hint: `name the file that the run was begun with: --input <path of ${name}>`,
    });
  }
  const copy = await copyInput(file, outDir);
  try {
    if (copy.sha256 !== sha256) {
      throw new OnboardError(EXIT.usage, `${file} is not the file that the run was begun with`, {
        hint: `its sha256 is ${copy.sha256}, that of the run's input ${sha256}`,
      });
    }
    if (!existsSync(target)) await copy.moveTo(target);
  } finally {
    await copy.discard();
  }
}

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import type { ConfigInput, LoadedConfig } from "../../../src/config/resolve-config.ts";
import { OnboardError } from "../../../src/core/errors.ts";

export interface ConfigSetup {
  /** Working directory, removed when the test ends. */
  readonly folder: string;
  readonly load: (over?: Partial<ConfigInput>) => Promise<LoadedConfig>;
  /** The message of the refusal (exit 2). */
  readonly faultsOf: (over?: Partial<ConfigInput>) => Promise<string>;
  /** Writes a file below the working directory and gives its path. */
  readonly writeYaml: (text: string, name?: string) => Promise<string>;
}

export async function setup(): Promise<ConfigSetup> {
  const folder = await mkdtemp(path.join(tmpdir(), "onboard-config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const load: ConfigSetup["load"] = (over = {}) =>
    loadConfig({ flags: {}, env: {}, cwd: folder, home: path.join(folder, "home"), ...over });
  return {
    folder,
    load,
    async faultsOf(over = {}) {
      const error: unknown = await load(over).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof OnboardError)) throw new Error("was not refused");
      expect(error.exitCode).toBe(2);
      return error.message;
    },
    async writeYaml(text, name = "onboard-batch.yaml") {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
  };
}

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { loadConfig } from "../../../src/config/load.js";
import { OnboardError } from "../../../src/core/errors.js";
export async function setup() {
  const folder = await mkdtemp(path.join(tmpdir(), "onboard-config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const load = (over = {}) =>
    loadConfig({ flags: {}, env: {}, cwd: folder, home: path.join(folder, "home"), ...over });
  return {
    folder,
    load,
    async faultsOf(over = {}) {
      const error = await load(over).then(
        () => undefined,
        (thrown) => thrown,
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

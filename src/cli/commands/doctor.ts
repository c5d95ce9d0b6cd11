import path from "node:path";
import type { Finding } from "../../core/finding.ts";
import { exitCodeOfFindings } from "../../core/finding.ts";
import { examine } from "../../runs/examine.ts";
import type { RunCommand } from "../command.ts";
import { createCommandParts } from "../command-parts.ts";
import { renderFinding } from "../doctor-text.ts";
import { withStopSignal } from "../signals.ts";

/** `onboard-batch doctor`: whether a run would have what it needs; sends no message and keeps nothing. */
export const doctor: RunCommand = async (_input, context) => {
  const loaded = await context.loadConfig();
  const { config, secrets, machine } = loaded;
  const { io, output } = context;
  const { app } = createCommandParts(context, loaded);
  const findings: Finding[] = [];
  try {
    await withStopSignal(io, async (stopSignal) => {
      const places = { outDir: path.resolve(io.cwd, config.out), stateDir: machine.stateDir };
      const nodeVersion = process.versions.node;
      const { openRedis, openAgent } = app;
      const { apiKey } = secrets;
      const deps = { config, apiKey, nodeVersion, ...places, openRedis, openAgent, stopSignal };
      for await (const finding of examine(deps)) {
        findings.push(finding);
        if (!config.terminal.json) output.result(renderFinding(finding));
      }
    });
  } finally {
    await app.close();
  }
  const exitCode = exitCodeOfFindings(findings);
  if (config.terminal.json) output.jsonResult({ schemaVersion: 1, exitCode, findings });
  return exitCode;
};

import type { TestContext } from "vitest";
import type { CliEnd } from "./cli-process.ts";
import type { OutputRow, RunOutputs } from "./run-outputs.ts";
import { readOutputs } from "./run-outputs.ts";
import type { EnvChange, SharedStage, Stage } from "./stage.ts";
import { openSharedStage } from "./stage.ts";
import type { StubAgent, StubOptions } from "./stub-agent.ts";
import { startStubAgent } from "./stub-agent.ts";

/** In which output file a row is. */
type RowFile = "results" | "failures" | "needsInput" | "unprocessed";

/** An output row with the file that it is in. */
type PlacedRow = OutputRow & { readonly file: RowFile };

/** A run of the built command against a stub, at its end. */
export interface StubRun {
  readonly stub: StubAgent;
  readonly end: CliEnd;
  readonly outputs: RunOutputs;
  /** The output row of a partner, with the file that it is in. */
  row(name: string): PlacedRow;
  close(): Promise<void>;
}

export interface StubRunOptions extends StubOptions {
  /** Partners by name, each a row; those with a script by default. */
  readonly names?: readonly string[];
  /** Further words of the command. */
  readonly words?: readonly string[];
  readonly env?: EnvChange;
}

/** Fast enough that no test waits for the pace. */
export const FAST_RATES = ["--rate", "200", "--poll-rate", "200"] as const;

/** The text of a partner file with these names. */
export function namesCsv(names: readonly string[], tag: string): string {
  return `id,name\n${names.map((name, index) => `${tag}-${index + 1},${name}`).join("\n")}\n`;
}

/** Runs the command to its end on one row a name. */
export async function runOnStub(options: StubRunOptions): Promise<StubRun> {
  const stage = await openSharedStage();
  const stub = await startStubAgent(options);
  stage.setEnv({ ONBOARD_BATCH_AGENT_URL: stub.url, ...options.env });
  const names = options.names ?? Object.keys(options.scripts ?? {});
  const file = await stage.write("partners.csv", namesCsv(names, stage.runId));
  const end = await stage.run("run", file, ...FAST_RATES, ...(options.words ?? []));
  const outputs = await readOutputs(stage.outDir);
  return {
    stub,
    end,
    outputs,
    row: (name) => findRow(outputs, name),
    close: () => closeBoth(stub, stage),
  };
}

/** Starts a stub that commands of the stage call, and that ends with the test. */
export async function stubFor(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  stage: Pick<Stage, "setEnv">,
  options: StubOptions,
): Promise<StubAgent> {
  const stub = await startStubAgent(options);
  onTestFinished(() => stub.stop());
  stage.setEnv({ ONBOARD_BATCH_AGENT_URL: stub.url });
  return stub;
}

async function closeBoth(stub: StubAgent, stage: SharedStage): Promise<void> {
  await stub.stop();
  await stage.close();
}

const FILES = ["results", "failures", "needsInput", "unprocessed"] as const;

function findRow(outputs: RunOutputs, name: string): PlacedRow {
  const found = FILES.flatMap((file) =>
    outputs[file].rows.flatMap((row): PlacedRow[] =>
      row["name"] === name ? [{ ...row, file }] : [],
    ),
  );
  const [row, ...more] = found;
  if (row === undefined || more.length > 0) {
    throw new Error(`${name} is in ${found.length} places of the outputs`);
  }
  return row;
}

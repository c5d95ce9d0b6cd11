import { describe, expect, test } from "vitest";
import { cardAnswer, taskAnswer, taskSaying } from "../helpers/stub-agent.ts";
import { runOnStub } from "../helpers/stub-run.ts";

describe.concurrent("every answer of the agent", () => {
  test("being a failed task about a token makes every row a failure (35: salesagent#122)", async ({
    onTestFinished,
  }) => {
    const names = manyNames(25);
    const run = await runOnStub({
      names,
      otherwise: {
        SendMessage: (call) => taskSaying(call, "TASK_STATE_FAILED", "missing token"),
      },
    });
    onTestFinished(() => run.close());
    expect(run.end.exitCode, run.end.stderr).toBe(3);
    expect(run.outputs.results.rows).toEqual([]);
    for (const name of names) {
      expect(run.row(name)).toMatchObject({
        file: "failures",
        onboard_reason: "TASK_FAILED",
        onboard_message: "missing token",
      });
    }
    expect(run.stub.calls()).toHaveLength(names.length);
  });

  test("holding 2 MB of history nobody asked for costs a bounded memory (33: a2a-python#573, a2a-java#816)", async ({
    onTestFinished,
  }) => {
    const names = manyNames(50);
    const history = [
      { messageId: "h", role: "ROLE_AGENT", parts: [{ text: "x".repeat(2_000_000) }] },
    ];
    const run = await runOnStub({
      names,
      otherwise: {
        GetTask: (call) =>
          taskAnswer(call, call.nth <= 2 ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED", {
            history,
          }),
      },
      // The heap of the command: 300 MB of history go through it.
      env: { NODE_OPTIONS: "--max-old-space-size=192" },
    });
    onTestFinished(() => run.close());
    expect(run.end.exitCode, run.end.stderr).toBe(0);
    expect(run.outputs.results.rows).toHaveLength(names.length);
    const polls = run.stub.calls(undefined, "GetTask");
    expect(polls).toHaveLength(names.length * 3);
    for (const { params } of polls) expect(params["historyLength"]).toBe(0);
  });

  test("may come with a card full of nulls (28: a2a-registry#73)", async ({ onTestFinished }) => {
    const run = await runOnStub({
      names: ["Ordinary"],
      card: (url) =>
        cardAnswer({
          name: null,
          description: null,
          provider: null,
          documentationUrl: null,
          iconUrl: null,
          capabilities: { streaming: null, extensions: null, extendedAgentCard: null },
          securitySchemes: null,
          defaultInputModes: null,
          skills: [null, { id: null, examples: null, tags: null }],
          signatures: null,
          supportedInterfaces: [
            null,
            { url, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: null },
          ],
        }),
    });
    onTestFinished(() => run.close());
    expect(run.end.exitCode, run.end.stderr).toBe(0);
    expect(run.row("Ordinary").file).toBe("results");
  });
});

describe.concurrent("an agent that refuses", () => {
  test("every message with 400 gets each once, and the batch stops early (21: lingtai-kernel#1299)", async ({
    onTestFinished,
  }) => {
    const names = manyNames(150);
    const run = await runOnStub({
      names,
      otherwise: { SendMessage: () => ({ kind: "http", status: 400, body: '{"message":"no"}' }) },
    });
    onTestFinished(() => run.close());
    expect(run.end.exitCode, run.end.stderr).toBe(7);
    const sends = run.stub.calls(undefined, "SendMessage");
    expect(new Set(sends.map(({ name }) => name)).size).toBe(sends.length);
    expect(sends.length).toBeGreaterThanOrEqual(20);
    expect(sends.length).toBeLessThan(80);
    expect(run.outputs.failures.rows).toHaveLength(sends.length);
    expect(run.outputs.failures.rows[0]).toMatchObject({
      onboard_reason: "AGENT_REFUSED",
      onboard_code: "400",
      onboard_retryable: "false",
    });
    expect(run.outputs.unprocessed.rows).toHaveLength(names.length - sends.length);
  });
});

function manyNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Partner ${index + 1}`);
}

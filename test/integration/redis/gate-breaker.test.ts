import { describe, expect, test } from "vitest";
import {
  callFor,
  FAST,
  FIVE_ROWS_TWICE,
  failFor,
  openTwoGates,
  pass,
  TEN_ROWS,
} from "../../helpers/gate-harness.ts";

describe("the breaker", () => {
  test("it opens at the tenth failure in a row of at least five rows", async () => {
    const { gates } = await openTwoGates();
    expect((await failFor(gates[0], FIVE_ROWS_TWICE.slice(0, 9))).away).toBe(false);
    expect((await failFor(gates[1], [5])).away).toBe(true);
    expect(gates[1].condition().awaySinceMs).toSatisfy(
      (sinceMs: number) => Math.abs(Date.now() - sinceMs) < 2_000,
    );
  });

  test("failures of few rows may be the rows' own fault", async () => {
    const { gates } = await openTwoGates();
    expect(
      (
        await failFor(
          gates[0],
          Array.from({ length: 30 }, () => 1),
        )
      ).away,
    ).toBe(false);
    expect((await failFor(gates[0], [2, 3, 4])).away).toBe(false);
    expect((await failFor(gates[0], [5])).away).toBe(true);
  });

  test("rows of runs with the longest names are told apart all the same", async () => {
    const { gates } = await openTwoGates();
    let away = false;
    for (const row of TEN_ROWS) {
      const rowKey = `${"r".repeat(120)}/${row}`;
      ({ away } = await gates[0].report({ kind: "failed", rowKey }));
    }
    expect(away).toBe(true);
  });

  test("calls that never left count whatever the row", async () => {
    const { gates } = await openTwoGates();
    let away = false;
    for (let call = 1; call <= 10; call += 1) {
      expect(away).toBe(false);
      ({ away } = await gates[0].report({ kind: "unwritten", rowKey: "run/1" }));
    }
    expect(away).toBe(true);
  });

  test("a good answer in between begins the count anew", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS.slice(0, 9));
    await gates[0].report({ kind: "good" });
    expect((await failFor(gates[0], TEN_ROWS.slice(0, 9))).away).toBe(false);
  });

  test("a good answer from before the failures, told late by another process, does not hide them", async () => {
    const { gates } = await openTwoGates();
    await gates[1].report({ kind: "good" });
    await failFor(gates[0], TEN_ROWS.slice(0, 9));
    expect((await failFor(gates[1], TEN_ROWS.slice(9))).away).toBe(true);
  });

  test("who reports a failure after an outage learns how long ago it ended", async () => {
    const { gates } = await openTwoGates();
    expect((await failFor(gates[0], [1])).awayAgoMs).toBe(Number.POSITIVE_INFINITY);
    await failFor(gates[0], TEN_ROWS);
    await gates[0].report({ kind: "good" });
    const late = await gates[1].report({ kind: "failed", rowKey: "run/1" });
    expect(late).toMatchObject({ away: false });
    expect(late.awayAgoMs).toBeLessThan(2_000);
  });

  test("while the agent is away one probe a second gets through, of all processes together", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS);
    const openedAtMs = performance.now();
    const sorted = await callFor(3_300, gates, { rates: FAST, grants: [] });
    expect(sorted.length).toBe(3);
    expect((sorted[0] ?? 0) - openedAtMs).toBeGreaterThan(990);
    const gapsMs = sorted.slice(1).map((at, index) => at - (sorted[index] ?? 0));
    expect(Math.min(...gapsMs)).toBeGreaterThan(850);
  });

  test("probes keep to a rate of less than one a second", async () => {
    const { gates } = await openTwoGates();
    const slow = { sendPerSecond: 0.4, pollPerSecond: 0.4 };
    const firstAtMs = await pass(gates[0], "send", slow);
    await failFor(gates[0], TEN_ROWS);
    expect((await pass(gates[1], "send", slow)) - firstAtMs).toBeGreaterThan(2_400);
  });

  test("a probe that is answered opens the gate for everybody", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS);
    await pass(gates[0]);
    await gates[0].report({ kind: "good" });
    const sorted = await callFor(300, gates, { rates: FAST, grants: [] });
    expect(sorted.length).toBeGreaterThan(20);
    expect(gates[1].condition()).toEqual({ awaySinceMs: undefined, nextTryAtMs: undefined });
  });

  test("the attempts of a streak that was an outage are told, those of others are not", async () => {
    const { gates } = await openTwoGates();
    const { streak: harmless } = await failFor(gates[0], [1, 2]);
    await gates[0].report({ kind: "good" });
    const { streak: outage } = await failFor(gates[0], TEN_ROWS);
    expect(await gates[1].findOutages([harmless, outage])).toEqual(new Set([outage]));
  });

  test("a process with good answers tells them with the next failure, for they came between", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS.slice(0, 9));
    await gates[1].report({ kind: "good" });
    expect((await failFor(gates[1], [10])).away).toBe(false);
  });
});

import { describe, expect, test } from "vitest";
import type { SendState } from "../../../src/steps/send-hold.ts";
import { SendHold } from "../../../src/steps/send-hold.ts";

const NEVER = new AbortController().signal;

/** Whether a promise is settled after everything that is due now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setImmediate(() => resolve("later")));
  return (await Promise.race([promise, later])) !== "later";
}

describe("who may send", () => {
  test("everybody at first", async () => {
    expect(await new SendHold().untilDecided(NEVER)).toBe("free");
  });

  test.each(["full", "paused"] as const)(
    "nobody while it is %s, then all who wait",
    async (state) => {
      const hold = new SendHold();
      hold.set(state);
      const waiting = [hold.untilDecided(NEVER), hold.untilDecided(NEVER)];
      expect(await isSettled(Promise.race(waiting))).toBe(false);
      hold.set("free");
      expect(await Promise.all(waiting)).toEqual(["free", "free"]);
    },
  );

  test("nobody any more once it has ended, and nobody waits for it", async () => {
    const hold = new SendHold();
    hold.set("paused");
    const waiting = hold.untilDecided(NEVER);
    hold.set("ended");
    expect(await waiting).toBe("ended");
  });

  test("those who wait end with their signal", async () => {
    const hold = new SendHold();
    hold.set("full");
    const stopping = new AbortController();
    const waiting = hold.untilDecided(stopping.signal);
    stopping.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    await expect(hold.untilDecided(stopping.signal)).rejects.toThrow("stop");
  });

  test("room lets senders in when it was full, never when an operator holds them", async () => {
    const hold = new SendHold();
    hold.set("full");
    hold.noteRoom();
    expect(await hold.untilDecided(NEVER)).toBe("free");
    hold.set("paused");
    hold.noteRoom();
    expect(await isSettled(hold.untilDecided(NEVER))).toBe(false);
  });
});

describe("a block", () => {
  test("holds everybody until the last one is lifted", async () => {
    const hold = new SendHold();
    const lifts = [hold.block(), hold.block()];
    const waiting = hold.untilDecided(NEVER);
    lifts[0]?.();
    hold.set("free");
    expect(await isSettled(waiting)).toBe(false);
    lifts[1]?.();
    expect(await waiting).toBe("free");
  });

  test("holds nobody who learns that it has ended", async () => {
    const hold = new SendHold();
    hold.block();
    hold.set("ended");
    expect(await hold.untilDecided(NEVER)).toBe("ended");
  });
});

describe("leave that is not used yet", () => {
  test.each([
    ["paused", true],
    ["ended", true],
    ["full", false],
    ["free", false],
  ] as const)("%s takes it back: %s", (state: SendState, takenBack) => {
    const hold = new SendHold();
    const wait = hold.beginWait(NEVER);
    hold.set(state);
    expect(wait.signal.aborted).toBe(takenBack);
    wait.end();
    expect(hold.beginWait(NEVER).signal.aborted).toBe(takenBack);
  });

  test("it ends with the job's own signal, and knows why", () => {
    const hold = new SendHold();
    const stopping = new AbortController();
    const wait = hold.beginWait(stopping.signal);
    stopping.abort(new Error("stop"));
    expect(wait.signal.reason).toMatchObject({ message: "stop" });
    expect(hold.beginWait(stopping.signal).signal.aborted).toBe(true);
  });

  test("a wait that has ended is left alone", () => {
    const hold = new SendHold();
    const wait = hold.beginWait(NEVER);
    wait.end();
    hold.set("paused");
    expect(wait.signal.aborted).toBe(false);
  });
});

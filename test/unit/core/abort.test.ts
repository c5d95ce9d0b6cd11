import { expect, it } from "vitest";
import { abortReason } from "../../../src/core/abort.ts";

it("gives the error with which a signal was aborted", () => {
  const reason = new Error("the run was stopped");
  expect(abortReason(AbortSignal.abort(reason))).toBe(reason);
});

it("makes an error of any other reason, so that it can be thrown", () => {
  const error = abortReason(AbortSignal.abort(130));
  expect(error).toBeInstanceOf(Error);
  expect(error.message).toBe("130");
});

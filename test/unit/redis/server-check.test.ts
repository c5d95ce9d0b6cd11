import { expect, test } from "vitest";
import { parseInfo } from "../../../src/redis/server-check.ts";

test("INFO's lines are read, its headings are not", () => {
  const facts = parseInfo(
    "# Server\r\nredis_version:7.0.15\r\nexecutable:/a:b\r\n\r\n# Memory\r\n",
  );
  expect([...facts]).toEqual([
    ["redis_version", "7.0.15"],
    ["executable", "/a:b"],
  ]);
});

import { expect, test } from "vitest";
import { OnboardError } from "../../../src/core/errors.ts";
import { parseRedisUrl, socketUrl } from "../../../src/redis/redis-url.ts";

test.each([
  ["redis://localhost:6379", "redis://localhost:6379"],
  ["redis://localhost:6379/2", "redis://localhost:6379/2"],
  ["rediss://user:s3cret@db.example:6380/0", "rediss://***@db.example:6380/0"],
  ["redis://:s3cret@[::1]:6379", "redis://***@[::1]:6379"],
  ["redis://localhost?password=s3cret", "redis://localhost"],
])("%s is shown as %s and used as it is", (url, name) => {
  expect(parseRedisUrl(url)).toEqual({ target: url, name });
});

test("a socket's URL gives back its path, whatever stands in it", () => {
  const path = "/tmp/a folder/100%/redis.sock";
  expect(parseRedisUrl(socketUrl(path)).target).toBe(path);
});

test.each([
  "localhost:6379",
  "http://:s3cret@localhost",
  "redis://",
  "redis://user:s3cret@",
  "",
  "s3cret",
])("%j is refused without being repeated", (url) => {
  const refused = (): unknown => parseRedisUrl(url);
  expect(refused).toThrow(OnboardError);
  expect(refused).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(refused).not.toThrow(/s3cret/);
});

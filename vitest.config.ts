import { defineConfig } from "vitest/config";
import { CountReporter } from "./test/helpers/count-reporter.ts";

/**
 * Processes, clocks and kills: on a host that others use too, two more tries tell a stall of the host
 * from a defect. A defect fails all of them.
 */
const RETRY = 2;

export default defineConfig({
  test: {
    clearMocks: true,
    // Most tests wait for processes: one worker a core would idle.
    maxWorkers: 2,
    reporters: ["default", new CountReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts", "test/*.test.ts"],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          retry: RETRY,
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/helpers/redis-for-tests.ts"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        // What takes longer: other people's servers, public bug reports, Redis in all its shapes.
        extends: true,
        test: {
          name: "conformance",
          retry: RETRY,
          include: ["test/conformance/**/*.test.ts"],
          globalSetup: ["test/helpers/redis-for-tests.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // What may break, one file after the other: docs/reliability.md has the list.
        extends: true,
        test: {
          name: "faults",
          retry: RETRY,
          include: ["test/faults/**/*.test.ts"],
          globalSetup: ["test/helpers/redis-for-tests.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        // Random kills and long outages, for as long as CHAOS_SECONDS says; a failure is never retried.
        extends: true,
        test: {
          name: "chaos",
          include: ["test/chaos/**/*.test.ts"],
          globalSetup: ["test/helpers/redis-for-tests.ts"],
          fileParallelism: false,
        },
      },
      {
        // How fast the agent is called: measured alone, when all others have ended.
        extends: true,
        test: {
          name: "pace",
          retry: RETRY,
          include: ["test/pace/**/*.test.ts"],
          globalSetup: ["test/helpers/redis-for-tests.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Any bytes and any outcomes, FUZZ_CASES of each; a failure is never retried.
        extends: true,
        test: {
          name: "fuzz",
          include: ["test/fuzz/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          retry: RETRY,
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/helpers/redis-for-tests.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      thresholds: {
        lines: 90,
        "src/core/**": { lines: 100, branches: 100, functions: 100, statements: 100 },
      },
    },
  },
});

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cruise, type IConfiguration } from "dependency-cruiser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const rules = createRequire(import.meta.url)("../.dependency-cruiser.cjs") as IConfiguration;
const run = promisify(execFile);

/** The tool parses the whole of src anew each time. */
const TIME_LIMIT_MS = 60_000;

interface Cruise {
  /** Modules of src that the tool saw, as paths. */
  readonly modules: readonly string[];
  /** `rule: from -> to` */
  readonly violations: readonly string[];
}

async function cruiseSrc(baseDir: string): Promise<Cruise> {
  const options = { ...rules.options, baseDir, validate: true, ruleSet: rules };
  const { output } = await cruise(["src"], options);
  if (typeof output === "string") throw new Error("expected a cruise result, not a report");
  return {
    modules: output.modules.map(({ source }) => source).filter((file) => file.startsWith("src/")),
    violations: output.summary.violations.map(
      ({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`,
    ),
  };
}

describe("the modules of src", () => {
  it(
    "keep to their layers and form no cycle",
    async () => {
      const { modules, violations } = await cruiseSrc(ROOT);
      expect(violations).toEqual([]);
      // Without its parser the tool sees no module at all and is content.
      expect(modules.toSorted()).toEqual(await listModules());
    },
    TIME_LIMIT_MS,
  );
});

async function listModules(): Promise<string[]> {
  const files = await readdir(path.join(ROOT, "src"), { recursive: true });
  const modules = files.filter((file) => file.endsWith(".ts"));
  return modules.map((file) => `src/${file.replaceAll(path.sep, "/")}`).toSorted();
}

/** File -> what it imports -> the rule that must report it. Each is one wrong import in a copy of src. */
const PLANTED: readonly (readonly [file: string, imported: string, rule: string])[] = [
  ["src/core/planted-redis.ts", "../redis/keys.ts", "layer-core"],
  ["src/core/planted-config.ts", "../config/schema.ts", "layer-core"],
  ["src/config/planted.ts", "../csv/read-input.ts", "layer-config"],
  ["src/csv/planted-a2a.ts", "../a2a/client.ts", "layer-csv"],
  ["src/csv/planted-redis.ts", "../redis/keys.ts", "layer-csv"],
  ["src/a2a/planted.ts", "../queue/run-queues.ts", "layer-a2a"],
  ["src/redis/planted.ts", "../queue/run-queues.ts", "layer-redis"],
  ["src/queue/planted.ts", "../redis/keys.ts", "layer-queue"],
  ["src/steps/planted-csv.ts", "../csv/read-input.ts", "layer-steps"],
  ["src/steps/planted-queue.ts", "../queue/run-queues.ts", "layer-steps"],
  ["src/runs/planted-cli.ts", "../cli/output.ts", "layer-runs"],
  ["src/runs/planted-load.ts", "../config/load.ts", "layer-runs"],
  ["src/sandbox/planted.ts", "../a2a/client.ts", "layer-sandbox"],
  ["src/ops/planted.ts", "../runs/run-folder.ts", "layer-ops"],
  ["src/cli/planted.ts", "../redis/keys.ts", "layer-cli"],
  ["src/main.ts", "./app.ts", "main-to-cli-only"],
  ["src/app.ts", "./cli/output.ts", "app-not-to-cli"],
  ["src/core/planted-fs.ts", "node:fs", "core-is-pure"],
  ["src/core/planted-yaml.ts", "yaml", "core-is-pure"],
  ["src/runs/planted-bullmq.ts", "bullmq", "fence-bullmq"],
  ["src/queue/planted-ioredis.ts", "ioredis", "fence-ioredis"],
  ["src/a2a/planted-undici.ts", "undici", "fence-undici"],
  ["src/runs/planted-csv-parse.ts", "csv-parse", "fence-csv-(parse|stringify)"],
  ["src/runs/planted-stringify.ts", "csv-stringify/sync", "fence-csv-(parse|stringify)"],
  ["src/runs/planted-pino.ts", "pino", "fence-pino"],
  ["src/config/planted-commander.ts", "commander", "fence-commander"],
  ["src/cli/planted-yaml.ts", "yaml", "fence-yaml"],
  ["src/cli/planted-hono.ts", "hono", "fence-(hono|@hono/node-server)"],
  ["src/cli/planted-server.ts", "@hono/node-server", "fence-(hono|@hono/node-server)"],
  ["src/runs/planted-http.ts", "node:http", "http-server-at-the-edge"],
  ["src/runs/planted-vitest.ts", "vitest", "no-dev-dependency-in-src"],
  ["src/runs/planted-nowhere.ts", "./no-such-file.ts", "no-unresolved"],
  ["src/runs/planted-test.ts", "../../test/helper.ts", "src-not-to-test"],
];

describe("a wrong import", () => {
  let copy: string;
  let planted: Cruise;

  beforeAll(async () => {
    copy = await plantInCopy();
    planted = await cruiseSrc(copy);
  }, TIME_LIMIT_MS);

  afterAll(() => rm(copy, { recursive: true, force: true }));

  it.each(PLANTED)("in %s of %s is reported by %s", (file, _imported, rule) => {
    const reported = planted.violations.filter((line) => line.startsWith(`${rule}: ${file} -> `));
    expect(reported).toHaveLength(1);
  });

  it("of a type alone counts too", () => {
    expect(planted.violations).toContainEqual(
      expect.stringMatching(/^layer-core: src\/core\/planted-type\.ts -> src\/redis\/connect\.ts$/),
    );
  });

  it("in a circle is reported by no-cycle", () => {
    const cycles = planted.violations.filter((line) => line.startsWith("no-cycle: "));
    expect(cycles).toEqual(["no-cycle: src/core/planted-egg.ts -> src/core/planted-hen.ts"]);
  });

  it("that is missing, so that nobody imports a module, is reported by no-orphan", () => {
    const alone = "src/core/planted-alone.ts";
    expect(planted.violations).toContain(`no-orphan: ${alone} -> ${alone}`);
  });

  it("is reported where it was planted and nowhere else", () => {
    const strangers = planted.violations.filter((line) => {
      const file = line.split(" ")[1] ?? "";
      return !file.includes("/planted") && !PLANTED.some(([place]) => place === file);
    });
    expect(strangers).toEqual([]);
  });

  it(
    "makes the command that checks the layers fail",
    async () => {
      const checked = run("npm", ["run", "-s", "layers"], { cwd: copy });
      await expect(checked).rejects.toMatchObject({
        code: expect.any(Number),
        stdout: expect.stringContaining("layer-csv: src/csv/planted-a2a.ts → src/a2a/client.ts"),
      });
    },
    TIME_LIMIT_MS,
  );
});

/** A copy of the project's sources with the wrong imports in it; the sources themselves stay as they are. */
async function plantInCopy(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), "onboard-layers-"));
  for (const name of ["src", "package.json", ".dependency-cruiser.cjs"]) {
    await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  const files: (readonly [file: string, text: string])[] = [
    ["test/helper.ts", "export {};\n"],
    ["src/core/planted-alone.ts", "export {};\n"],
    ["src/core/planted-type.ts", 'import type {} from "../redis/connect.ts";\n'],
    ["src/core/planted-hen.ts", 'import "./planted-egg.ts";\n'],
    ["src/core/planted-egg.ts", 'import "./planted-hen.ts";\n'],
    ...PLANTED.map(([file, imported]) => [file, `import "${imported}";\n`] as const),
  ];
  for (const [name, text] of files) {
    const file = path.join(copy, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return copy;
}

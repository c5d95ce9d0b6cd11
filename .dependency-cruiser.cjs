// Layers of onboard-batch, checked by `npm run layers` and test/architecture.test.ts.
// TypeScript 7 ships no compiler API, so the swc parser is required: without it
// dependency-cruiser sees no .ts file, cruises 0 modules and still exits 0.

/** src folder -> the src folders (or files) it may import, itself always included. */
const layers = {
  core: [],
  config: ["core"],
  a2a: ["core"],
  csv: ["core"],
  redis: ["core"],
  queue: ["core"],
  steps: ["core", "a2a", "redis"],
  runs: ["core", "config/schema[.]ts", "steps", "a2a", "csv", "redis", "queue"],
  ops: ["core", "redis", "queue"],
  sandbox: ["core", "a2a/wire[.]ts"],
  cli: ["core", "config", "runs", "ops", "sandbox", "app[.]ts"],
};

/**
 * npm module -> the only place in src that may import it. The swc parser does not tell
 * `import type` from `import`, so types are fenced too: use bullmq's ConnectionOptions in
 * queue/ and core/log.ts's Log elsewhere.
 */
const fences = {
  bullmq: "^src/queue/",
  ioredis: "^src/redis/",
  undici: "^src/a2a/transport[.]ts$",
  "csv-(parse|stringify)": "^src/csv/",
  pino: "^src/cli/log[.]ts$",
  commander: "^src/cli/",
  yaml: "^src/config/",
  "(hono|@hono/node-server)": "^src/(ops|sandbox)/",
};

/** "core" -> the files in that folder; "app[.]ts" -> that file. */
const toPathPattern = (target) => `^src/${target}${target.endsWith("ts") ? "$" : "/"}`;

const layerRules = Object.entries(layers).map(([layer, allowed]) => ({
  name: `layer-${layer}`,
  comment: `${layer}/ may import only ${[layer, ...allowed].join(", ")}`,
  severity: "error",
  from: { path: `^src/${layer}/` },
  to: { path: "^src/", pathNot: [layer, ...allowed].map(toPathPattern) },
}));

const fenceRules = Object.entries(fences).map(([moduleName, home]) => ({
  name: `fence-${moduleName}`,
  comment: `${moduleName} is used only in ${home}`,
  severity: "error",
  from: { path: "^src/", pathNot: home },
  to: { path: `(^|/)node_modules/${moduleName}/` },
}));

module.exports = {
  forbidden: [
    { name: "no-cycle", severity: "error", from: { path: "^src/" }, to: { circular: true } },
    {
      name: "no-orphan",
      severity: "error",
      from: { orphan: true, path: "^src/", pathNot: "^src/main[.]ts$" },
      to: {},
    },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    { name: "src-not-to-test", severity: "error", from: { path: "^src/" }, to: { path: "^test/" } },
    {
      name: "main-to-cli-only",
      severity: "error",
      from: { path: "^src/main[.]ts$" },
      to: { path: "^src/", pathNot: "^src/cli/" },
    },
    {
      name: "app-not-to-cli",
      severity: "error",
      from: { path: "^src/app[.]ts$" },
      to: { path: "^src/(cli/|main[.]ts)" },
    },
    {
      name: "core-is-pure",
      comment: "core/ does no I/O: node:crypto for hashing and zod are its only outside modules",
      severity: "error",
      from: { path: "^src/core/" },
      to: { dependencyTypes: ["core", "npm"], pathNot: "^(node:)?crypto$|node_modules/zod/" },
    },
    {
      name: "http-server-at-the-edge",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(ops|sandbox)/" },
      to: { path: "^(node:)?https?$" },
    },
    {
      name: "no-dev-dependency-in-src",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
    ...layerRules,
    ...fenceRules,
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};

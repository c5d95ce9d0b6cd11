#!/usr/bin/env node
import { systemIo } from "./cli/io.ts";
import { runCli } from "./cli/run-cli.ts";

process.exitCode = await runCli(
  process.argv.slice(2),
  systemIo((code) => process.exit(code)),
);

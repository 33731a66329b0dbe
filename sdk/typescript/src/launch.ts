#!/usr/bin/env node
// `lacuna-memory …`: the program `lacuna`, which npm's package for this platform carries.

import { spawn } from "node:child_process";

import { LocalServerError } from "./errors.js";
import { BINARY_VARIABLE, findBinary } from "./local.js";

const FAILED = 1;
/** What a shell answers for a program that a signal ended. */
const SIGNALLED = 128;
const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function launch(): void {
  const { [BINARY_VARIABLE]: _, ...env } = process.env;
  const child = spawn(findBinary(undefined), process.argv.slice(2), { env, stdio: "inherit" });
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  child.once("error", (error) => fail(error.message));
  child.once("exit", (code) => process.exit(code ?? SIGNALLED));
}

function fail(message: string): void {
  console.error(`lacuna-memory: ${message}`);
  process.exit(FAILED);
}

try {
  launch();
} catch (error) {
  if (!(error instanceof LocalServerError)) throw error;
  fail(error.message);
}

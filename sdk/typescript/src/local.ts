// A server of one's own on this machine: started with the first call, and stopped with the client.

import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, join } from "node:path";
import { createInterface } from "node:readline";

import { LocalServerError } from "./errors.js";
import { isLoopback } from "./wire.js";

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 15_000;
/** Lines of the log that are kept to explain why a server did not start. */
const LOG_LINES_KEPT = 20;
export const BINARY_VARIABLE = "LACUNA_BIN";
/**
 * Runs the server until standard input closes. That happens when the client stops it, and also when the program dies,
 * however it dies. The shell lets go of its own outputs, so that they end with the server.
 */
const KEEPER = '"$@" </dev/null & server=$!; exec >/dev/null 2>&1; cat; kill -TERM "$server"; wait "$server"';

export interface LocalOptions {
  binary?: string | undefined;
  data?: string | undefined;
  user?: string | undefined;
}

/** `lacuna serve` on a free loopback port. */
export class LocalServer {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(options: LocalOptions): Promise<LocalServer> {
    const command = [findBinary(options.binary)];
    // With `=`, so that no value can be read as an option.
    if (options.data !== undefined) command.push(`--data=${options.data}`);
    if (options.user !== undefined) command.push(`--as=${options.user}`);
    command.push("serve", "--listen=127.0.0.1:0", "--json");
    const { [BINARY_VARIABLE]: _, ...env } = process.env;
    // In a group of its own: Ctrl-C in a terminal ends the program first, which then ends the server.
    const child = spawn("sh", ["-c", KEEPER, "lacuna", ...command], { env, stdio: "pipe", detached: true });
    try {
      const url = await listening(child);
      // A program that does not close its client ends all the same, and the server with it.
      child.unref();
      for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void }).unref?.();
      return new LocalServer(url, child);
    } catch (error) {
      await stop(child);
      throw error;
    }
  }

  /** Ends the server. Requests under way are answered first. */
  async stop(): Promise<void> {
    this.process.ref();
    await stop(this.process);
  }
}

/** Returns the program: the argument, else LACUNA_BIN, else the one of npm's package for this platform, else `lacuna` in PATH. */
export function findBinary(binary: string | undefined): string {
  const wanted = binary ?? (process.env[BINARY_VARIABLE] || carried() || "lacuna");
  const folders = wanted.includes("/") ? [""] : (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  for (const folder of folders) {
    const path = folder === "" ? wanted : join(folder, wanted);
    if (isProgram(path)) return path;
  }
  throw new LocalServerError(
    "binary_not_found",
    `There is no program ${basename(wanted)}.`,
    `Install lacuna, or set ${BINARY_VARIABLE} to its path; or pass the URL of a server.`,
  );
}

/** Returns the program of the package for this platform, where npm has installed it. */
function carried(): string | undefined {
  const name = `lacuna-memory-${process.platform}-${process.arch}/bin/lacuna`;
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Waits until the server says where it listens. */
async function listening(child: ChildProcess): Promise<string> {
  const log: string[] = [];
  createInterface({ input: child.stderr! }).on("line", (line) => {
    log.push(line);
    if (log.length > LOG_LINES_KEPT) log.shift();
  });
  const logEnds = new Promise((resolve) => child.stderr!.once("close", resolve));
  const first = await firstLine(child);
  if (first === undefined) {
    await stop(child);
    await logEnds;
    throw startError(log);
  }
  let url: unknown;
  try {
    url = (JSON.parse(first) as { listening?: unknown }).listening;
  } catch {
    throw notStarted("It did not say where it listens.");
  }
  if (typeof url !== "string" || !isLoopback(new URL(url).hostname)) {
    throw notStarted("It does not listen on loopback.");
  }
  return url;
}

/** Returns the first line of the output, or nothing if the server ends or is silent for too long. */
function firstLine(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), START_MS_MAX);
    const done = (line: string | undefined) => {
      clearTimeout(timer);
      resolve(line);
    };
    // The lines after the first are read and dropped, so that the server never waits for a reader.
    const lines = createInterface({ input: child.stdout! });
    lines.once("line", done);
    lines.once("close", () => done(undefined));
    child.once("error", () => done(undefined));
  });
}

/** Returns the error that the server printed as JSON before it ended. */
function startError(log: string[]): LocalServerError {
  for (const line of log.reverse()) {
    try {
      const { code, detail, remedy } = JSON.parse(line) as Record<string, unknown>;
      if (typeof code === "string") return new LocalServerError(code, String(detail), String(remedy));
    } catch {
      // A line of the log, not the error.
    }
  }
  return notStarted("It ended, or did not answer in time.");
}

function notStarted(detail: string): LocalServerError {
  const remedy = "Run `lacuna serve` in a terminal to see why.";
  return new LocalServerError("not_started", `The local server did not start. ${detail}`, remedy);
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    // The shell and the server are a group of their own.
    const timer = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), STOP_MS_MAX);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.stdin!.end();
  });
}

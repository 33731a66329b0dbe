// The real binary in temporary folders, and a server that fails as it is told.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

// Most tests are not about meaning, and the static model starts at once.
process.env["LACUNA_EMBEDDER"] ??= "static";

export const TOKEN = "lac_" + "0123456789abcdef".repeat(4);
/** The repository, from a build in its usual place unless REPOSITORY_ROOT names it. */
export const ROOT =
  process.env["REPOSITORY_ROOT"] ?? join(dirname(fileURLToPath(import.meta.url)), "../../../..");

/** Returns a data folder that goes after the test, or after the tests of the file. */
export function dataFolder(test?: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "lacuna-sdk-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (test) test.after(remove);
  else after(remove);
  return join(folder, "data");
}

/** Returns the answer of a command on a data folder. */
export function run(data: string, ...command: string[]): any {
  const { LACUNA_BIN: binary, ...env } = process.env;
  const output = execFileSync(binary ?? "lacuna", [`--data=${data}`, "--json", ...command], { env, stdio: "pipe" });
  return JSON.parse(output.toString());
}

export function makeToken(data: string, user: string, role: string, ...operations: string[]): string {
  const named = operations.flatMap((operation) => ["--operation", operation]);
  return run(data, "token", "create", "--user", user, "--role", role, ...named).secret;
}

/** A status with headers and a document, or nothing to hang up. */
export type Scripted = [status: number, headers: Record<string, string>, document: unknown] | undefined;

export interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** Answers request after request from a list. */
export async function scripted(test: TestContext, ...answers: Scripted[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    request.resume().on("end", () => {
      seen.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers });
      const next = answers.shift();
      if (next === undefined) return void request.socket.destroy();
      const [status, headers, document] = next;
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof document === "string" ? document : JSON.stringify(document));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export function problem(code: string, status: number, more: object = {}, headers: Record<string, string> = {}): Scripted {
  const document = { code, status, title: "t", detail: "what happened", remedy: "what to do", ...more };
  return [status, headers, document];
}

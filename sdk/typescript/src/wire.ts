// The parts of a connection that need no connection: where it may lead, what a request is, when to send it again.

import { ApiError, ConnectionFailed, type LacunaError, TimedOut, UnsafeUrl, UsageError } from "./errors.js";
import type { Role } from "./types.js";

/** The server itself gives up after 60 seconds. */
export const TIMEOUT_MS_DEFAULT = 70_000;
export const RETRIES_DEFAULT = 3;
/** The first wait before another attempt; each further one is twice as long. */
const RETRY_MS_FIRST = 200;
/** A server that asks for more patience than this is not waited for. */
const RETRY_MS_MAX = 30_000;
/** A token that was made for a person lives this long. Another one is made before it ends. */
const LENT_MS = 3_600_000;
const LENT_MS_SPARE = 300_000;
/** People whom a service holds tokens for at a time. The one that was made first makes room. */
export const LENT_MAX = 256;
export const LENT_LABEL = "lacuna-memory";
export const LENT_ROLES: readonly Role[] = ["user"];

/** Refusals that time alone may cure. After all but `timeout` the server has done nothing. */
const PASSING_CODES = new Set([
  "body_timeout",
  "draining",
  "idempotency_in_flight",
  "locked",
  "overloaded",
  "rate_limited",
  "sign_on_unavailable",
  "store_unavailable",
]);
/** Answers of a proxy or of the server after which the work may have been done. */
const UNCERTAIN_CODES = new Set(["timeout", "no_document"]);
const DEFECT_STATUS = 500;

/** One request of the API. */
export interface Call {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** Bytes to send in place of a JSON body. */
  content?: Uint8Array;
  query?: object;
  headers?: Record<string, string>;
  /** The same request may be sent again although the first may have been carried out. */
  repeatable: boolean;
  signal?: AbortSignal;
}

/** Returns the call with the name of the person whom a service acts for. */
export function forPerson(call: Call, user: string | undefined): Call {
  if (user === undefined) return call;
  return { ...call, headers: { ...call.headers, "lacuna-user": encodeURIComponent(user) } };
}

/** Returns `value` as one segment of a path, which cannot lead anywhere else. */
export function part(value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw new UsageError("An id is empty or a relative path.", "Pass the id as the server gave it.");
  }
  return encodeURIComponent(value);
}

/** Returns the path of a record: labels and key joined by `/`, each with its own `/` and `~` escaped. */
export function recordPath(namespace: readonly string[], key: string): string {
  if (namespace.length === 0 || key === "") {
    throw new UsageError("A record has a namespace and a key.", "Pass at least one label and a key.");
  }
  const escaped = [...namespace, key].map((each) => each.replaceAll("~", "~0").replaceAll("/", "~1"));
  return `/v1/records/${encodeURIComponent(escaped.join("/"))}`;
}

/** Returns a query string: a list repeats its name, and what is not set is left out. */
export function queryString(values: object = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) pairs.append(name, String(each));
    }
  }
  const text = pairs.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the URL of a server without a slash at its end, unless memories would travel in the clear. */
export function checkedUrl(text: string, allowPlainHttp: boolean): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw notAServer();
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw notAServer();
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new UsageError("The URL has a password, a query or a fragment.", "Pass the token as `token`.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowPlainHttp) {
    throw new UnsafeUrl(
      "The URL has no TLS and leads to another machine: memories and the token would travel in the clear.",
      "Use https://. Pass allowPlainHttp only if the network itself is encrypted.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

function notAServer(): UsageError {
  return new UsageError("The URL is not one of a server.", "Pass one such as https://memory.example.com.");
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Returns the token, unless a header could not hold it. */
export function checkedToken(token: string | undefined): string | undefined {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError("The token has characters that no token has.", "Pass the token as it was made, on one line.");
  }
  return token;
}

/** Returns the milliseconds to wait before the same request is sent again, or nothing if it must not be. */
export function waitBeforeRetry(call: Call, error: LacunaError, attempt: number): number | undefined {
  if (!mayRepeat(call, error)) return undefined;
  const pause = RETRY_MS_FIRST * 2 ** attempt * (0.5 + Math.random() / 2);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  const wait = Math.max(pause, asked);
  return wait <= RETRY_MS_MAX ? wait : undefined;
}

function mayRepeat(call: Call, error: LacunaError): boolean {
  if (error instanceof ConnectionFailed) return error.neverSent || call.repeatable;
  if (error instanceof TimedOut) return call.repeatable;
  if (UNCERTAIN_CODES.has(error.code)) {
    return call.repeatable && error instanceof ApiError && error.status > DEFECT_STATUS;
  }
  return PASSING_CODES.has(error.code);
}

/** The end of a token that is made now, as the API writes times. */
export function lentUntil(): string {
  return new Date(Date.now() + LENT_MS).toISOString();
}

/** The moment from which another token is wanted than one that is made now. */
export function renewAt(): number {
  return Date.now() + LENT_MS - LENT_MS_SPARE;
}

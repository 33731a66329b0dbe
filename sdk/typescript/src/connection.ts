// Sends calls, sends them again, and holds tokens that were made for people.

import { randomUUID } from "node:crypto";

import {
  Aborted,
  type ApiError,
  ConnectionFailed,
  Denied,
  fromProblem,
  LacunaError,
  noDocument,
  TimedOut,
  UsageError,
} from "./errors.js";
import type { LocalServer } from "./local.js";
import type { Problem, Role, ScopeList, TokenCreated } from "./types.js";
import * as wire from "./wire.js";
import type { Call } from "./wire.js";

/** A person, and the roles in which a service acts for them. */
export interface Holder {
  user: string;
  roles: readonly Role[];
}

/** A token that was made for a person. Its secret is in no field that can be printed. */
class Lent {
  readonly #secret: string | undefined;

  constructor(
    secret: string | undefined,
    readonly tokenId: string | undefined,
    readonly renewAt: number,
    /** The person to name in each call; absent if the token was made for them. */
    readonly person?: string,
  ) {
    this.#secret = secret;
  }

  expose(): string | undefined {
    return this.#secret;
  }
}

/** Errors of `fetch` before a byte was sent. */
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
const NO_CONTENT = 204;

export interface Limits {
  timeoutMs: number;
  retries: number;
}

export class Connection {
  readonly #token: string | undefined;
  readonly #where: string | (() => Promise<LocalServer>);
  #server: Promise<LocalServer> | undefined;
  #lent = new Map<string, Promise<Lent>>();
  readonly #limits: Limits;

  constructor(where: string | (() => Promise<LocalServer>), token: string | undefined, limits: Limits) {
    this.#where = where;
    this.#token = token;
    this.#limits = limits;
  }

  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  get isLocal(): boolean {
    return typeof this.#where !== "string";
  }

  /** Returns the address of the server, and starts it first if it is one's own. */
  async url(): Promise<string> {
    if (typeof this.#where === "string") return this.#where;
    this.#server ??= this.#where();
    return (await this.#server).url;
  }

  /** Sends a call, again where that is safe, for the person or for the caller of the client. */
  async send<T>(call: Call, holder?: Holder): Promise<T> {
    const lent = holder === undefined ? undefined : await this.#lentFor(holder);
    const token = lent === undefined ? this.#token : lent.expose();
    const named = wire.forPerson(call, lent?.person);
    for (let attempt = 0; ; attempt++) {
      try {
        return (await this.#once(named, token)) as T;
      } catch (error) {
        if (!(error instanceof LacunaError) || attempt >= this.#limits.retries) throw error;
        const wait = wire.waitBeforeRetry(call, error, attempt);
        if (wait === undefined) throw error;
        await pause(wait, call.signal);
      }
    }
  }

  async #once(call: Call, token: string | undefined): Promise<unknown> {
    const url = (await this.url()) + call.path + wire.queryString(call.query);
    const headers: Record<string, string> = { accept: "application/json", ...call.headers };
    if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
    let body: string | Uint8Array | undefined = call.content;
    if (call.body !== undefined) {
      headers["content-type"] = "application/json";
      body = JSON.stringify(call.body);
    }
    const limit = new Limit(this.#limits.timeoutMs, call.signal);
    try {
      // Redirects are not followed, so that a token goes to one server only.
      const request = { method: call.method, headers, body: body as BodyInit, redirect: "manual", signal: limit.signal };
      const response = await fetch(url, request as RequestInit);
      return answer(response.status, response.headers, await response.text(), token);
    } catch (error) {
      throw limit.failure(error);
    } finally {
      limit.end();
    }
  }

  /** Yields an export while the server writes it. The time limit holds for each piece. */
  async *download(downloadUrl: string): AsyncGenerator<Uint8Array> {
    // On the server that gave the link, and nowhere else.
    if (!downloadUrl.startsWith("/v1/exports/")) throw noDocument(200);
    const url = (await this.url()) + downloadUrl;
    const limit = new Limit(this.#limits.timeoutMs);
    try {
      const response = await fetch(url, { redirect: "manual", signal: limit.signal });
      if (!response.ok || response.body === null) {
        throw refusal(response.status, response.headers, await response.text());
      }
      for await (const piece of response.body) {
        limit.pause();
        yield piece;
        limit.start();
      }
    } catch (error) {
      throw limit.failure(error);
    } finally {
      limit.end();
    }
  }

  async #lentFor(holder: Holder): Promise<Lent> {
    const name = JSON.stringify([holder.user, holder.roles]);
    const held = this.#lent.get(name);
    if (held !== undefined) {
      const lent = await held;
      if (Date.now() < lent.renewAt) return lent;
    }
    // Requests may still be under way with the token before, so it is left to end by itself.
    if (this.#lent.get(name) === held) {
      this.#lent.delete(name);
      const [first] = this.#lent.keys();
      if (this.#lent.size >= wire.LENT_MAX && first !== undefined) this.#lent.delete(first);
      const made = this.#lend(holder);
      this.#lent.set(name, made);
      made.catch(() => this.#lent.delete(name));
    }
    return (await this.#lent.get(name)) ?? this.#lentFor(holder);
  }

  async #lend({ user, roles }: Holder): Promise<Lent> {
    const renewAt = wire.renewAt();
    const isPlain = JSON.stringify(roles) === JSON.stringify(wire.LENT_ROLES);
    if (isPlain && (await this.#isNamed(user))) return new Lent(this.#token, undefined, renewAt, user);
    if (this.#token === undefined) {
      throw new UsageError(
        "Acting for a person needs a token: without one the server knows the local user only.",
        "Pass a token made by `lacuna token create --user NAME --role service --operation …`.",
      );
    }
    const body = { user, roles, label: wire.LENT_LABEL, expires_at: wire.lentUntil() };
    const made = await this.send<TokenCreated>(write("/v1/tokens", body));
    return new Lent(made.secret, made.token_id, renewAt);
  }

  /** The token may name the person: it is a service's, or their own. An administrator's is not. */
  async #isNamed(user: string): Promise<boolean> {
    const call: Call = { method: "GET", path: "/v1/scopes", repeatable: true };
    try {
      const { scopes } = await this.send<ScopeList>(wire.forPerson(call, user));
      // A service that may not recall sees no vault, and an administrator sees the organisation's.
      return scopes.length === 0 || scopes.includes(`user:${user}`);
    } catch (error) {
      if (error instanceof Denied) return false;
      throw error;
    }
  }

  /** Revokes tokens that were made for people, and stops the server if it is one's own. */
  async close(): Promise<void> {
    const held = await Promise.allSettled(this.#lent.values());
    this.#lent.clear();
    for (const each of held) {
      const id = each.status === "fulfilled" ? each.value.tokenId : undefined;
      if (id === undefined) continue;
      const call: Call = { method: "DELETE", path: `/v1/tokens/${wire.part(id)}`, repeatable: false };
      // A token that cannot be revoked now ends by itself within the hour.
      await this.#once(call, this.#token).catch(() => undefined);
    }
    const server = this.#server;
    this.#server = undefined;
    await (await server?.catch(() => undefined))?.stop();
  }
}

/** A POST that changes something. Its key lets the server answer a repetition without doing the work twice. */
export function write(path: string, body: unknown, key?: string, signal?: AbortSignal): Call {
  const headers = { "idempotency-key": key ?? randomUUID() };
  return { method: "POST", path, body, headers, repeatable: true, ...(signal && { signal }) };
}

/** The time limit of a request, joined with the caller's own signal. */
class Limit {
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  constructor(
    readonly ms: number,
    readonly outer?: AbortSignal,
  ) {
    outer?.addEventListener("abort", this.#onAbort, { once: true });
    if (outer?.aborted) this.#controller.abort();
    this.start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort();
    }, this.ms);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.pause();
    this.outer?.removeEventListener("abort", this.#onAbort);
  }

  /** Returns the error to throw in place of one that may name the address of an export. */
  failure(error: unknown): LacunaError {
    if (error instanceof LacunaError) return error;
    if (this.#isLate) return new TimedOut();
    if (this.outer?.aborted) return new Aborted();
    const code = (error as { cause?: { code?: string } } | undefined)?.cause?.code ?? "";
    const neverSent = NEVER_SENT.has(code);
    return new ConnectionFailed(neverSent ? "The server was not reached." : "The connection broke.", neverSent);
  }
}

function answer(status: number, headers: Headers, text: string, token: string | undefined): unknown {
  if (status < 200 || status >= 300) throw refusal(status, headers, text, token);
  if (status === NO_CONTENT) return undefined;
  const document = parsed(text);
  if (document === undefined) throw noDocument(status);
  return document;
}

function refusal(status: number, headers: Headers, text: string, token?: string): ApiError {
  // A proxy in between may show the headers that it got.
  const shown = token === undefined ? text : text.replaceAll(token, "…");
  const problem = parsed(shown) as Partial<Problem> | undefined;
  const texts = [problem?.code, problem?.title, problem?.detail, problem?.remedy];
  if (!texts.every((each) => typeof each === "string")) return noDocument(status);
  const after = headers.get("retry-after") ?? "";
  return fromProblem({ ...(problem as Problem), status }, /^\d+$/.test(after) ? Number(after) : undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Aborted());
    const onAbort = () => {
      clearTimeout(timer);
      reject(new Aborted());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

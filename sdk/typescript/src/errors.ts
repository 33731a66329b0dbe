// Errors say what happened and what the caller can do. None of them holds a token or the text of a memory.

import type { Asked, GateReport, Problem } from "./types.js";

/** Base of all errors of this package. */
export class LacunaError extends Error {
  /** Stable name of the error. Those of the server are in docs/errors.md. */
  readonly code: string;
  /** What happened. */
  readonly detail: string;
  /** What to do. */
  readonly remedy: string;

  constructor(code: string, detail: string, remedy: string) {
    super(`${detail.replace(/\.$/, "")} [${code}]. ${remedy}`);
    this.name = new.target.name;
    this.code = code;
    this.detail = detail;
    this.remedy = remedy;
  }
}

/** An argument cannot be used. Nothing was sent. */
export class UsageError extends LacunaError {
  constructor(detail: string, remedy: string) {
    super("usage", detail, remedy);
  }
}

/** Memories or a token would travel in the clear. Nothing was sent. */
export class UnsafeUrl extends LacunaError {
  constructor(detail: string, remedy: string) {
    super("unsafe_url", detail, remedy);
  }
}

/** The local server was not found, or did not start. */
export class LocalServerError extends LacunaError {}

/** The server was not reached, or the connection broke. */
export class ConnectionFailed extends LacunaError {
  /** The request never left, so that nothing can have been done. */
  readonly neverSent: boolean;

  constructor(detail: string, neverSent: boolean) {
    super("connection_failed", detail, "Check that the server runs and that the URL leads to it.");
    this.neverSent = neverSent;
  }
}

/** The server did not answer in time. The work may still be finished. */
export class TimedOut extends LacunaError {
  constructor() {
    super(
      "timed_out",
      "The server did not answer in time.",
      "Check whether it was done, or send it again with the same idempotencyKey; pass a longer timeoutMs.",
    );
  }
}

/** The caller's own signal ended the call. The work may still be finished. */
export class Aborted extends LacunaError {
  constructor() {
    super("aborted", "The caller ended the call.", "Check whether it was done before sending it again.");
  }
}

/** A refusal of the server. A refused request changed nothing, unless its code is `timeout`. */
export class ApiError extends LacunaError {
  readonly status: number;
  /** The meaning of the code. */
  readonly title: string;
  /** The field at fault. */
  readonly field: string | undefined;
  /** The id of the request, which the server's log has as well. */
  readonly requestId: string | undefined;
  /** Seconds to wait before another attempt. */
  readonly retryAfter: number | undefined;
  /** The gate's findings in a text that it did not take. */
  readonly gate: GateReport | undefined;

  constructor(problem: Problem, retryAfter?: number) {
    super(problem.code, problem.detail, problem.remedy);
    this.status = problem.status;
    this.title = problem.title;
    this.field = problem.field ?? undefined;
    this.requestId = problem.request_id ?? undefined;
    this.retryAfter = retryAfter;
    this.gate = problem.gate ?? undefined;
  }
}

/** The server could not read the request, or does not accept a value in it: see `field`. */
export class InvalidRequest extends ApiError {}

/** There is no token, or it is unknown, expired or revoked. */
export class Unauthenticated extends ApiError {}

/** The caller's roles do not allow this. */
export class Denied extends ApiError {}

/** There is no such thing within the caller's reach: missing, foreign and erased look the same. */
export class NotFound extends ApiError {}

/** The state of the vault does not allow this, or has changed meanwhile. */
export class Conflict extends ApiError {}

/** The text is stored only after a person said yes: send it again with `confirm`. */
export class NeedsConfirmation extends Conflict {
  /** The questions, and the token to send as `confirm` after a yes. */
  readonly asked: Asked;

  constructor(problem: Problem, asked: Asked, retryAfter?: number) {
    super(problem, retryAfter);
    this.asked = asked;
  }

  /** The token to send with the same text. */
  get confirm(): string {
    return this.asked.confirm;
  }
}

/** The caller sent more than a minute or a day allows: see `retryAfter`. */
export class RateLimited extends ApiError {}

/** The server cannot do it at the moment; later may work. */
export class Unavailable extends ApiError {}

/** A defect in the server, or an answer that is not Lacuna's. */
export class ServerFault extends ApiError {}

const BY_STATUS: Record<number, typeof ApiError> = {
  401: Unauthenticated,
  403: Denied,
  404: NotFound,
  408: Unavailable,
  409: Conflict,
  412: Conflict,
  421: Denied,
  429: RateLimited,
  502: Unavailable,
  503: Unavailable,
  504: Unavailable,
};
const FIRST_CLIENT_STATUS = 400;
const FIRST_SERVER_STATUS = 500;

/** Returns the error of the class that fits. */
export function fromProblem(problem: Problem, retryAfter?: number): ApiError {
  if (problem.code === "needs_confirmation" && problem.asked) {
    return new NeedsConfirmation(problem, problem.asked, retryAfter);
  }
  const isRefusal = problem.status >= FIRST_CLIENT_STATUS && problem.status < FIRST_SERVER_STATUS;
  const kind = BY_STATUS[problem.status] ?? (isRefusal ? InvalidRequest : ServerFault);
  return new kind(problem, retryAfter);
}

/** Returns the error for an answer that has no document of Lacuna. */
export function noDocument(status: number): ApiError {
  return fromProblem({
    code: "no_document",
    status,
    title: "The answer is not Lacuna's.",
    detail: `HTTP ${status} came without a document of Lacuna.`,
    remedy: "Check that the URL leads to a Lacuna server, and look at the proxy in front of it.",
  });
}

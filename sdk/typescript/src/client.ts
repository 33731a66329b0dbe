import { open, unlink } from "node:fs/promises";

import { Connection, type Holder, type Limits, write } from "./connection.js";
import { UsageError } from "./errors.js";
import { LocalServer } from "./local.js";
import type * as t from "./types.js";
import { type Call, checkedToken, checkedUrl, LENT_ROLES, part, recordPath, RETRIES_DEFAULT, TIMEOUT_MS_DEFAULT } from "./wire.js";

export interface LacunaOptions {
  /** A running server. Without it, the client starts one of its own and stops it on `close()`. */
  url?: string;
  token?: string;
  /** The person; if absent, the token's own user. A token of the role service may act for others. */
  user?: string;
  /** Data folder of a server of one's own; if absent, the one that the command `lacuna` uses too. */
  data?: string;
  /** Program of a server of one's own; if absent, the one that LACUNA_BIN names, else `lacuna` in PATH. */
  binary?: string;
  /** The longest wait for an answer. */
  timeoutMs?: number;
  /** The number of further attempts after a failure that may pass. */
  retries?: number;
  /** Allows a URL without TLS that leads to another machine. */
  allowPlainHttp?: boolean;
}

export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** The same key with the same request is carried out once. If absent, each call has its own. */
  idempotencyKey?: string;
}

interface Scoped extends CallOptions {
  /** The vault; the caller's own when absent. */
  scope?: string;
}

interface ScopedWrite extends Scoped, WriteOptions {}

interface Paged extends Scoped {
  cursor?: string;
  limit?: number;
}

/** A memory, for one person. Without a URL it starts a server of its own with the first call. */
export class Lacuna {
  readonly #connection: Connection;
  readonly #holder: Holder | undefined;
  readonly #isOwner: boolean;
  readonly #settings: Omit<LacunaOptions, "token">;

  constructor(options?: LacunaOptions);
  /** @internal */
  constructor(options: LacunaOptions, shared: { connection: Connection; holder: Holder });
  constructor(options: LacunaOptions = {}, shared?: { connection: Connection; holder: Holder }) {
    const { token, ...settings } = options;
    this.#settings = settings;
    this.#isOwner = shared === undefined;
    if (shared !== undefined) {
      this.#connection = shared.connection;
      this.#holder = shared.holder;
      return;
    }
    this.#connection = connect(options);
    const startsAsUser = options.url === undefined && token === undefined;
    if (options.user !== undefined && !startsAsUser) this.#holder = { user: options.user, roles: LENT_ROLES };
  }

  /** Returns the address of the server, and starts it first if it is one's own. */
  url(): Promise<string> {
    return this.#connection.url();
  }

  /**
   * Returns a client that acts for a person.
   *
   * A token of the role service names the person in each call; the person must have been provisioned. A token of the role
   * admin makes a token for the person, renews it, and revokes it when the client closes. Without a token, a server of
   * one's own is started once more for the person, and that client has to be closed too.
   */
  forUser(user: string, roles: readonly t.Role[] = LENT_ROLES): Lacuna {
    if (this.#connection.isLocal && !this.#connection.hasToken) return new Lacuna({ ...this.#settings, user });
    return new Lacuna(this.#settings, { connection: this.#connection, holder: { user, roles } });
  }

  /** Revokes tokens that were made for people, and stops the server that it started. */
  async close(): Promise<void> {
    if (this.#isOwner) await this.#connection.close();
  }

  #send<T>(call: Call): Promise<T> {
    return this.#connection.send<T>(call, this.#holder);
  }

  #read<T>(path: string, query: object, signal?: AbortSignal): Promise<T> {
    return this.#send<T>({ method: "GET", path, query, repeatable: true, ...(signal && { signal }) });
  }

  /** A POST that changes nothing. */
  #ask<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    return this.#send<T>({ method: "POST", path, body, repeatable: true, ...(signal && { signal }) });
  }

  #write<T>(path: string, body: object | undefined, call: WriteOptions, more: Partial<Call> = {}): Promise<T> {
    const made = write(path, body, call.idempotencyKey, call.signal);
    return this.#send<T>({ ...made, ...more, headers: { ...made.headers, ...more.headers } });
  }

  // Remembering and finding

  /** Remembers a text. Throws `NeedsConfirmation` if a person must say yes first. */
  remember(content: string, options: Omit<t.RememberRequest, "content"> = {}, call: WriteOptions = {}): Promise<t.Remembered> {
    return this.#write("/v1/memories", { content, ...options }, call);
  }

  /** Remembers many texts in one request. Each is answered with `stored`, `asked` or `refused`. */
  rememberBatch(memories: Iterable<string | t.RememberRequest>, call: ScopedWrite = {}): Promise<t.RememberedBatch> {
    const texts = Array.from(memories, (each) => (typeof each === "string" ? { content: each } : each));
    return this.#write("/v1/memories/batch", { memories: texts, scope: call.scope }, call);
  }

  /** Finds memories by meaning and words, the best first. */
  search(query: string, options: Omit<t.SearchRequest, "query"> = {}, call: CallOptions = {}): Promise<t.SearchResponse> {
    return this.#ask("/v1/search", { query, ...options }, call.signal);
  }

  /** Picks the memories that matter for a turn of a conversation; `text` is the section for the prompt. */
  context(turn: string, options: Omit<t.ContextRequest, "turn"> = {}, call: CallOptions = {}): Promise<t.Context> {
    return this.#ask("/v1/context", { turn, ...options }, call.signal);
  }

  /** Lists one page of memories, the newest first. */
  listMemories(options: t.ListOptions = {}, call: CallOptions = {}): Promise<t.MemoryPage> {
    return this.#read("/v1/memories", options, call.signal);
  }

  /** Yields memories of all pages. */
  async *iterMemories(options: t.ListOptions = {}, call: CallOptions = {}): AsyncGenerator<t.MemorySummary> {
    let page: t.MemoryPage | undefined;
    do {
      page = await this.listMemories(page?.next_cursor ? { ...options, cursor: page.next_cursor } : options, call);
      yield* page.memories;
    } while (page.next_cursor);
  }

  /** Returns one memory, whole. */
  async getMemory(memoryId: string, call: Scoped = {}): Promise<t.Memory> {
    return this.#read(`/v1/memories/${part(memoryId)}`, { scope: call.scope }, call.signal);
  }

  /** Puts a new text in the place of a wrong one, which is erased: `memory_id`, or what the memory is `about`. */
  correct(content: string, options: Omit<t.CorrectRequest, "content"> = {}, call: WriteOptions = {}): Promise<t.Corrected> {
    return this.#write("/v1/correct", { content, ...options }, call);
  }

  /** Puts a new text in the place of a memory, which keeps its id. The old text is erased with a receipt. */
  async replaceMemory(
    memoryId: string,
    content: string,
    options: Omit<t.ReplaceRequest, "content"> = {},
    call: Scoped = {},
  ): Promise<t.Corrected> {
    const { signal, ...query } = call;
    return this.#send({
      method: "PUT",
      path: `/v1/memories/${part(memoryId)}`,
      body: { content, ...options },
      query,
      repeatable: true,
      signal,
    });
  }

  /** Sets the time at which memories expire; `null` lets the rules of the vault alone decide. */
  setExpiry(memoryIds: readonly string[], expiresAt: string | null, call: ScopedWrite = {}): Promise<void> {
    const body = { memory_ids: memoryIds, expires_at: expiresAt, scope: call.scope };
    return this.#write("/v1/memories/expiry", body, call);
  }

  /** Keeps memories from fading, or lets them fade again. */
  pin(memoryIds: readonly string[], pinned = true, call: ScopedWrite = {}): Promise<void> {
    return this.#write("/v1/memories/pin", { memory_ids: memoryIds, pinned, scope: call.scope }, call);
  }

  /** Moves memories to another state, such as `archived`. */
  setState(memoryIds: readonly string[], state: t.Lifecycle, call: ScopedWrite = {}): Promise<void> {
    return this.#write("/v1/memories/state", { memory_ids: memoryIds, state, scope: call.scope }, call);
  }

  /** Moves a memory into a wider vault, where it has another id. */
  async promoteMemory(memoryId: string, request: t.MoveRequest, call: WriteOptions = {}): Promise<t.Moved> {
    return this.#write(`/v1/memories/${part(memoryId)}/promote`, request, call);
  }

  /** Makes a new memory in a narrower vault, and archives the old one. */
  async demoteMemory(memoryId: string, request: t.MoveRequest, call: WriteOptions = {}): Promise<t.Moved> {
    return this.#write(`/v1/memories/${part(memoryId)}/demote`, request, call);
  }

  // Forgetting

  /** Plans what to erase, by plain words or by what the request names. Nothing is erased. */
  planForget(request: string | t.ForgetRequest, call: CallOptions = {}): Promise<t.ForgetPlan> {
    return this.#ask("/v1/forget", typeof request === "string" ? { words: request } : request, call.signal);
  }

  /** Carries out a plan. If the outcome is `again`, the answer's token wants a second confirmation. */
  confirmForget(
    token: string,
    options: Omit<t.ForgetConfirmation, "token"> = {},
    call: WriteOptions = {},
  ): Promise<t.Forgotten> {
    return this.#write("/v1/forget/confirm", { token, ...options }, call);
  }

  /** Erases one memory and its derivatives at once. */
  async eraseMemory(memoryId: string, call: Scoped = {}): Promise<t.Forgotten> {
    // A second DELETE would answer that there is no such memory, and hide that the first one erased it.
    return this.#delete(`/v1/memories/${part(memoryId)}`, call);
  }

  #delete<T>(path: string, { scope, signal }: Scoped): Promise<T> {
    return this.#send<T>({ method: "DELETE", path, query: { scope }, repeatable: false, ...(signal && { signal }) });
  }

  /** Looks for what is still known about something, and for receipts of its erasure. */
  verifyForgotten(about: string, call: Scoped = {}): Promise<t.VerifiedForgotten> {
    return this.#ask("/v1/forgotten", { about, scope: call.scope }, call.signal);
  }

  /** Lists receipts of erasures, with the key that signed them. */
  listReceipts(call: Scoped & { after?: number } = {}): Promise<t.ReceiptList> {
    return this.#read("/v1/receipts", { after: call.after, scope: call.scope }, call.signal);
  }

  /** Returns one receipt by its name, such as `DEL-2026-000001`. */
  async getReceipt(receipt: string, call: Scoped = {}): Promise<t.Receipt> {
    return this.#read(`/v1/receipts/${part(receipt)}`, { scope: call.scope }, call.signal);
  }

  // Conversations

  /** Starts a conversation, or returns the one that has this id. */
  startSession(sessionId?: string, call: ScopedWrite = {}): Promise<t.Session> {
    return this.#write("/v1/sessions", { session_id: sessionId, scope: call.scope }, call);
  }

  /** Adds turns to a conversation, which starts with its first turn. */
  async appendTurns(
    sessionId: string,
    turns: Iterable<t.NewTurn>,
    options: Omit<t.AppendRequest, "turns"> = {},
    call: WriteOptions = {},
  ): Promise<t.Appended> {
    return this.#write(`/v1/sessions/${part(sessionId)}/turns`, { turns: Array.from(turns), ...options }, call);
  }

  /** Lists one page of conversations. */
  listSessions({ signal, ...query }: Paged = {}): Promise<t.SessionPage> {
    return this.#read("/v1/sessions", query, signal);
  }

  /** Returns a conversation with one page of its turns. */
  async showSession(sessionId: string, { signal, ...query }: Paged = {}): Promise<t.SessionShown> {
    return this.#read(`/v1/sessions/${part(sessionId)}`, query, signal);
  }

  /** Yields all turns of a conversation; `limit` is the size of a page. */
  async *iterTurns(sessionId: string, options: Omit<Paged, "cursor"> = {}): AsyncGenerator<t.Turn> {
    let page: t.SessionShown | undefined;
    do {
      page = await this.showSession(sessionId, { ...options, ...(page?.next_cursor && { cursor: page.next_cursor }) });
      yield* page.turns;
    } while (page.next_cursor);
  }

  /** Ends a conversation: its working memory goes, its turns are archived as a transcript. */
  async endSession(sessionId: string, call: ScopedWrite = {}): Promise<t.SessionEnded> {
    return this.#write(`/v1/sessions/${part(sessionId)}/end`, undefined, call, { query: { scope: call.scope } });
  }

  /** Summarises old turns of conversations, and archives them. */
  compact(request: t.CompactRequest = {}, call: WriteOptions = {}): Promise<t.CompactAnswer> {
    return this.#write("/v1/compact", request, call);
  }

  // Review

  /** Lists one page of memories that wait for a decision. */
  listReview({ signal, ...query }: Paged = {}): Promise<t.ReviewPage> {
    return this.#read("/v1/review", query, signal);
  }

  /** Accepts, edits, anonymises or rejects memories that wait. */
  review(decisions: Iterable<t.Decision>, call: ScopedWrite = {}): Promise<t.Reviewed> {
    return this.#write("/v1/review", { decisions: Array.from(decisions), scope: call.scope }, call);
  }

  // Taking memories along

  /** Makes a link to an export. Whoever has the link can read the export for a day. */
  createExport(request: t.ExportRequest = {}, call: WriteOptions = {}): Promise<t.Export> {
    return this.#write("/v1/exports", request, call);
  }

  /** Yields an export piece by piece while the server writes it, whatever its size. */
  async *export(request: t.ExportRequest = {}): AsyncGenerator<Uint8Array> {
    yield* this.#connection.download((await this.createExport(request)).download_url);
  }

  /** Writes an export to a new file that only this account can read. A broken export leaves no file. */
  async exportTo(path: string, request: t.ExportRequest = {}): Promise<void> {
    // The file is plain text: nobody else may open it, and no file that is there is written over.
    const file = await open(path, "wx", 0o600);
    try {
      for await (const piece of this.export(request)) await file.writeFile(piece);
    } catch (error) {
      await unlink(path);
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Brings in an export of Lacuna or of another program, which `from` names if its file does not show it. */
  importMemories(
    content: Uint8Array,
    options: { from?: string; duplicates?: "merge" | "refuse"; dryRun?: boolean; passphrase?: string } & ScopedWrite = {},
  ): Promise<t.ImportReport> {
    const { from, duplicates, dryRun, scope, passphrase } = options;
    const headers: Record<string, string> = { "content-type": "application/octet-stream" };
    if (passphrase !== undefined) headers["lacuna-passphrase"] = passphrase;
    const query = { from, duplicates, dry_run: dryRun, scope };
    return this.#write("/v1/import", undefined, options, { content, query, headers });
  }

  // The rest

  /** Carries out one command of Anthropic's memory tool. */
  memoryTool(command: t.MemoryToolCommand, call: WriteOptions = {}): Promise<t.MemoryToolAnswer> {
    return this.#write("/v1/memory-tool", command, call);
  }

  /** Keeps a JSON value under a place, word for word. */
  putRecord(
    namespace: readonly string[],
    key: string,
    value: unknown,
    options: Record<string, unknown> = {},
    call: Scoped = {},
  ): Promise<Record<string, unknown>> {
    const { signal, ...query } = call;
    return this.#send({
      method: "PUT",
      path: recordPath(namespace, key),
      body: { value, ...options },
      query,
      repeatable: true,
      signal,
    });
  }

  /** Keeps several values, each with its namespace and key, in one commit. */
  putRecords(records: Array<Record<string, unknown>>, call: ScopedWrite = {}): Promise<Record<string, unknown>> {
    const { scope, ...rest } = call;
    return this.#write("/v1/records/batch", { records, scope }, rest);
  }

  /** Returns one record with its value. */
  getRecord(
    namespace: readonly string[],
    key: string,
    call: Scoped & { refresh_ttl?: boolean } = {},
  ): Promise<t.StoredRecord> {
    const { signal, ...query } = call;
    return this.#read(recordPath(namespace, key), query, signal);
  }

  /** Erases one record for good. The answer carries the signed receipt. */
  eraseRecord(namespace: readonly string[], key: string, call: Scoped = {}): Promise<t.Forgotten> {
    const { signal, ...query } = call;
    return this.#send({ method: "DELETE", path: recordPath(namespace, key), query, repeatable: false, signal });
  }

  /** Finds records by namespace, by conditions, and by words and meaning. */
  searchRecords(options: Record<string, unknown> = {}, call: CallOptions = {}): Promise<Record<string, unknown>> {
    return this.#ask("/v1/records/search", options, call.signal);
  }

  /** Lists namespaces that hold records. */
  listNamespaces(options: Record<string, unknown> = {}, call: CallOptions = {}): Promise<Record<string, unknown>> {
    return this.#ask("/v1/records/namespaces", options, call.signal);
  }

  /** Erases every record under a namespace whose metadata meets the filter. */
  eraseRecords(
    namespacePrefix: readonly string[],
    options: { filter?: Record<string, unknown>; scope?: string } = {},
    call: WriteOptions = {},
  ): Promise<t.Forgotten> {
    return this.#write("/v1/records/erase", { namespace_prefix: namespacePrefix, ...options }, call);
  }

  /** Gives a record another time to live from now on; without one it stays. */
  setRecordTtl(
    namespace: readonly string[],
    key: string,
    ttlSeconds?: number,
    call: Scoped = {},
  ): Promise<Record<string, unknown>> {
    const { signal, scope } = call;
    return this.#ask("/v1/records/ttl", { namespace, key, ttl_seconds: ttlSeconds, scope }, signal);
  }

  /** Lists the vaults that the caller may read. */
  listScopes(call: CallOptions = {}): Promise<t.ScopeList> {
    return this.#read("/v1/scopes", {}, call.signal);
  }

  /** Tells whether the vault is frozen. */
  vaultState(call: Scoped = {}): Promise<t.VaultState> {
    return this.#read("/v1/vault", { scope: call.scope }, call.signal);
  }

  /** Stops writes while reads go on, or takes writes again. */
  freeze(frozen = true, { scope, signal }: Scoped = {}): Promise<t.VaultState> {
    const body = { frozen, scope };
    return this.#send({ method: "PUT", path: "/v1/vault", body, repeatable: true, ...(signal && { signal }) });
  }

  /** Makes an API token. From the first one on, every call to the server needs one. */
  createToken(request: t.TokenRequest, call: WriteOptions = {}): Promise<t.TokenCreated> {
    return this.#write("/v1/tokens", request, call);
  }

  /** Lists API tokens, without their secrets. */
  listTokens(call: CallOptions = {}): Promise<t.TokenList> {
    return this.#read("/v1/tokens", {}, call.signal);
  }

  /** Ends an API token with the next call. */
  async revokeToken(tokenId: string, call: CallOptions = {}): Promise<void> {
    return this.#delete(`/v1/tokens/${part(tokenId)}`, call);
  }

  /** Makes a person, with a vault, so that services may act for them. A person who is there stays as they are. */
  async provisionUser(user: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#send({ method: "PUT", path: `/v1/users/${part(user)}`, repeatable: true, ...(signal && { signal }) });
  }

  /** Revokes a person's tokens and destroys their vault for good. Returns the proof. */
  async removeUser(user: string, { signal }: CallOptions = {}): Promise<unknown> {
    return this.#send({ method: "DELETE", path: `/v1/users/${part(user)}`, repeatable: false, ...(signal && { signal }) });
  }

  /** Tells that the server is alive, and its version. */
  health(call: CallOptions = {}): Promise<t.Health> {
    return this.#read("/healthz", {}, call.signal);
  }

  /** Tells that the server can do its work; throws `Unavailable` if it cannot. */
  ready(call: CallOptions = {}): Promise<t.Health> {
    return this.#read("/readyz", {}, call.signal);
  }
}

function connect(options: LacunaOptions): Connection {
  const { url, user, data, binary } = options;
  const token = checkedToken(options.token);
  const limits: Limits = {
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS_DEFAULT,
    retries: options.retries ?? RETRIES_DEFAULT,
  };
  if (url === undefined) {
    const local = { data, binary, user: token === undefined ? user : undefined };
    return new Connection(() => LocalServer.start(local), token, limits);
  }
  if (data !== undefined || binary !== undefined) {
    throw new UsageError("data and binary belong to a server of one's own.", "Leave out either them or the URL.");
  }
  return new Connection(checkedUrl(url, options.allowPlainHttp ?? false), token, limits);
}

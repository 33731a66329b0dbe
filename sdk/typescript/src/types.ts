// The types of requests and answers, as the server describes them.
// Written by sdk/generate.py: run it again after the description has changed. A newer server may send fields
// that are not named here.

/** A memory in which "someone" replaces the people that it mentions. */
export type AnonymousForm = {
  content: string;
  memory_id: string;
};

/** Turns to append, in their order. */
export type AppendRequest = {
  /**
   * The number that the first of them is to get. An append that is sent again with it is not doubled;
   * when another text has the number, it is a conflict.
   */
  expected_turn?: number | null;
  /** The vault that the session is remembered in; the caller's own when absent. */
  scope?: string | null;
  /** From 1 to 1,000; a turn that is sent in pieces comes alone. */
  turns: Array<NewTurn>;
};

/** Result of an append. */
export type Appended = {
  /** The number that the next turn gets. */
  next_turn: number;
  /** Pieces held of an unfinished turn. They are in RAM only. */
  pieces?: number | null;
  scope: string;
  session_id: string;
  /** Results of each turn; empty while a turn is unfinished. */
  turns: Array<AppendedTurn>;
};

/** One turn of an append. One that was refused, or is asked about, keeps its number. */
export type AppendedTurn = AppendedTurnStored | AppendedTurnAsked | AppendedTurnRefused;

/** A text that is not stored until it is confirmed. */
export type AppendedTurnAsked = {
  /** Send the same text again with this as `confirm`. */
  confirm: string;
  expires_at: string;
  gate: GateReport;
  held?: Held | null;
  outcome: "asked";
  /** `possible_secret` or `consent`. */
  questions: Array<string>;
  turn: number;
};

/** A text that the gate refused. */
export type AppendedTurnRefused = {
  /** One of the codes of docs/errors.md. */
  code: string;
  gate: GateReport;
  outcome: "refused";
  reason: string;
  turn: number;
};

/** Result for one text. */
export type AppendedTurnStored = {
  /** Memories that say nearly the same, or may contradict it. */
  alike?: Array<string>;
  /** The time from which its owner is asked whether to keep it. */
  asks_at?: string | null;
  /** `sha256:` and the digest of the text as it was stored. */
  content_hash: string;
  created_at: string;
  /** True if it can be found by meaning from now on. */
  embedding_generated: boolean;
  /** The model of that embedding; a better one may follow in the background. */
  embedding_model: string;
  /** The gate's work on the text. */
  gate: GateReport;
  held?: Held | null;
  /** True for a note of an assistant: it is found, labelled as not confirmed, and is no fact. */
  is_note?: boolean;
  /** Reason why its time ends: a category, a tier, a rule of its owner. */
  kept_because?: string | null;
  /** The time until which it is kept; absent when nothing ends its time, or when it was there before. */
  kept_until?: string | null;
  lane: Lane;
  memory_id: string;
  outcome: "stored";
  privacy_class: PrivacyClass;
  /** Number of times that this very text had been written before; above 0 nothing new was stored. */
  repeats: number;
  salience: number;
  /** The vault that it is in. */
  scope: string;
  sensitivity: Array<Sensitivity>;
  /** `candidate` waits for a review, `approved` for its grace period; only `active` is found. */
  state: Lifecycle;
  /** Memories that were erased because this one replaces them. */
  supersedes?: Array<string>;
  /** `working` is held in RAM until its session ends, and stored nowhere. */
  tier: Tier;
  turn: number;
  waits?: Wait | null;
};

/** A text that is not stored until it is confirmed. */
export type Asked = {
  /** Send the same text again with this as `confirm`. */
  confirm: string;
  expires_at: string;
  gate: GateReport;
  held?: Held | null;
  /** `possible_secret` or `consent`. */
  questions: Array<string>;
};

export type Category = "conversation" | "work_pattern" | "preference" | "learned_context";

export type Cause = "request" | "purge" | "retention" | "person" | "destruction" | "correction" | "deferred";

/** A plan, or the result. */
export type CompactAnswer = {
  done?: Compacted | null;
  plan?: CompactionPlan | null;
  scope: string;
};

/** Turns to summarise and archive. Without a session, a time or `force`, the policy's thresholds decide. */
export type CompactRequest = {
  /** Only turns from before this moment. */
  before?: string | null;
  /** Report what would be compacted, and change nothing. */
  dry_run?: boolean;
  /** Compact even below the thresholds. */
  force?: boolean;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
  /** Only turns of this session; its last ones stay, unless `before` is given. */
  session?: string | null;
};

export type Compacted = {
  cancelled: boolean;
  duplicates: number;
  facts: Array<string>;
  /** Turns that stay as they are, because the gate took no summary of them. */
  kept: number;
  /** The memories that replaced them. */
  summaries: Array<string>;
  tokens_after: number;
  /** Tokens of the turns before and of the memories that replaced them, estimated. */
  tokens_before: number;
  /** Turns that were archived: out of search, in exports. */
  turns: number;
  unread_facts: number;
  /** Facts of these that wait in the review. */
  waiting: number;
};

export type CompactionPlan = {
  /** Facts that another one repeats word for word. */
  duplicates: number;
  sessions: number;
  /** Tokens of these turns, estimated. */
  tokens: number;
  turns: number;
  /** Facts that nobody has read for as long as the policy names. */
  unread_facts: number;
  /** As ISO 8601 writes them: `2026-W12`. */
  weeks: Array<string>;
};

export type Confabulation = "strict" | "moderate";

export type ConsentBasis = "service-delivery" | "legitimate-interest" | "explicit-consent" | "legal-obligation" | "not-applicable";

export type ConsentTopic = "health" | "financial" | "biometric" | "location" | "political_religious" | "relationships" | "professional" | "preferences" | "patterns" | "long_term" | "language_model";

export type ContentType = "transcript" | "summary" | "fact" | "preference" | "pattern";

/** Memories for a turn: as a section for a prompt, and as data. */
export type Context = {
  /** The word that marks both ends of the section. */
  boundary: string;
  /** Instruction of the section to an assistant where a memory is silent. */
  confabulation: Confabulation;
  /** Memories that could have been shown. */
  considered: number;
  /** Of those, the number that rest because they were shown lately. */
  cooling: number;
  /** Memories of the section, best first. */
  items: Array<ContextItem>;
  /** Of the best, the number that found no room. */
  left_out: number;
  max_tokens: number;
  query_time_ms: number;
  /** The section, ready for a prompt; empty when no memory fits. */
  text: string;
  tokens: number;
  understood: Understood;
};

/** A memory in a section. */
export type ContextItem = {
  /** True if it is in the session's working memory and stored nowhere. */
  at_hand?: boolean;
  /** The summary that this turn of a compacted conversation stands behind; absent for active memories. */
  behind?: string | null;
  created_at: string;
  from_external_content: boolean;
  /** Label in the section. */
  label: string;
  marks: Array<Mark>;
  memory_id: string;
  recency: number;
  relevance: number;
  salience: number;
  /** Vault of the memory. */
  scope: string;
  /** Rank: the four parts below, by the policy's weights. */
  score: number;
  /** Label in the section for a source that is not fully trusted. */
  source_label?: string | null;
  source_type: SourceType;
  /** Text in the section. */
  text: string;
  tokens: number;
  topic: number;
  trust: Trust;
};

/** A turn of a conversation for which memories are wanted. Nothing is required. */
export type ContextRequest = {
  category_filter?: Array<Category>;
  /** Turns for which a shown memory rests, instead of the policy's number. */
  cooldown_turns?: number | null;
  /**
   * True lets the words of the turn ("my", "our", "the docs") narrow the lanes, unless `lane_filter`
   * names some; false does not; as the policy says when absent.
   */
  intent?: boolean | null;
  lane_filter?: Array<Lane>;
  /** Memories in the section, instead of the policy's limit. */
  max_memories?: number | null;
  /** Tokens of the whole section, instead of the policy's limit. */
  max_tokens?: number | null;
  /**
   * The conversation's own vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when
   * absent. With `auto` the words of the turn choose the vault, and narrow the lanes.
   */
  scope?: string | null;
  /**
   * True finds memories by their secondary lanes as well; a filter means the primary lane alone
   * otherwise.
   */
  secondary_lanes?: boolean;
  /**
   * The conversation: with it, memories shown lately are not shown again, and its working memory comes
   * first.
   */
  session_id?: string | null;
  /** Further vaults to ask, each by itself; memories from them are labelled. */
  shared?: Array<string>;
  /** Only memories with all of these tags. */
  tag_filter?: Array<string>;
  tier_filter?: Array<Tier>;
  time_range?: TimeRange;
  /** Topics of the conversation: memories with these tags rank higher. */
  topics?: Array<string>;
  /** The user's words; empty at the start of a conversation. */
  turn?: string;
};

export type Contribution = "primary" | "context" | "inference";

/** The wrong memory, and the right text. Exactly one of `memory_id` and `about`. */
export type CorrectRequest = {
  /** Subject of the memory, in plain words: "where I live". */
  about?: string | null;
  /** The token of an earlier answer that asked about this very text. */
  confirm?: string | null;
  consent_basis?: ConsentBasis | null;
  /** The right text. It passes the gate like every text. */
  content: string;
  memory_id?: string | null;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
};

/** Result of a correction. */
export type Corrected = {
  /** Memories that may be meant, the likeliest first: ask again with one of their ids. */
  candidates: Array<string>;
  /** True if the other half of the old sentence lives on as a memory of its own. */
  left_some: boolean;
  memory?: Remembered | null;
  /**
   * `corrected`; `waiting` when the new text waits for review; `which_one` when several may be meant, or
   * none.
   */
  outcome: string;
  /** The receipt of its erasure: `GET /v1/receipts/{receipt}` returns all of it. */
  receipt?: string | null;
  /** The erased memory that it replaced. */
  replaced?: string | null;
  scope: string;
};

export type Decided = {
  /** `accepted`, `edited`, `anonymised` or `rejected`. */
  decided: string;
  /** The memory that replaced it, when it was edited or anonymised. */
  into?: string | null;
  memory_id: string;
  /** The receipt of the erasure of its earlier text, when it was anonymised. */
  receipt?: string | null;
  state?: Lifecycle | null;
  /** Memories that were erased because this one replaces them. */
  supersedes?: Array<string>;
};

export type Decision = {
  /** The corrected text, for `edit`. */
  content?: string | null;
  decision: Verb;
  /** For `accept`: true keeps the older fact that it contradicts as well. */
  keep_both?: boolean;
  memory_id: string;
};

/** Memories whose erasure waits for the end of a hold. */
export type Deferred = {
  holds: Array<string>;
  memory_ids: Array<string>;
  /** The number of the recorded request. */
  number: number;
  until: string;
};

export type Detail = {
  /** From 0 to 1. */
  brightness?: number;
  /** At most 200 characters. */
  content: string;
};

export type Entity = {
  name: string;
  /** True if the memory is about it, rather than mentioning it. */
  primary?: boolean;
  relation?: string | null;
  /** Such as `person`, `place`, `organisation`. */
  type: string;
};

/** Another expiry for memories. */
export type ExpiryRequest = {
  /** The time at which they are gone; the rules alone decide when absent. */
  expires_at?: string | null;
  memory_ids: Array<string>;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
};

/** Reasons of a score. */
export type Explanation = {
  /** The same with its neighbours in the conversation. */
  context: number;
  /** Features of the memory, each with its part in the relevance. */
  features: Array<Feature>;
  /** The question's words that the memory says. */
  matched: Array<string>;
  meaning?: Meaning | null;
  recency: number;
  /** Meaning and words together, before the rest shapes them. */
  relevance: number;
  salience: number;
  second_meaning?: Meaning | null;
  tags: number;
  /** The memory's own words against the question's. */
  words: number;
};

/** A link to an export. Nothing is stored for it: the export is made when the link is followed. */
export type Export = {
  /** Memories that cannot be opened. */
  damaged: number;
  /** On this server. Anyone who has it can read the export until it expires, without any other token. */
  download_url: string;
  expires_at: string;
  export_id: string;
  generated_at: string;
  /** Memories about health that it leaves out. */
  health_left_out: number;
  /** Records of the export at this moment. */
  record_count: number;
  /** The vault. */
  scope: string;
  total_size_bytes: number;
};

/** File format of an export. */
export type ExportFormat = "json" | "markdown";

/** Options of an export. By default everything but health, as JSON. */
export type ExportRequest = {
  /** All of them when empty. */
  categories?: Array<Category>;
  format?: ExportFormat;
  /** True includes memories about health. */
  include_health?: boolean;
  /** Facets, sources, lineage and history, without which an import has to guess; true when absent. */
  include_metadata?: boolean | null;
  /** The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent. */
  scope?: string | null;
};

/** Everything about a memory but its text. */
export type Facets = {
  category: Category;
  consent_basis: ConsentBasis;
  content_type: ContentType;
  derived_from: Array<Lineage>;
  entities: Array<Entity>;
  expires_at?: string | null;
  kind: PersonaKind;
  lane: Lane;
  pinned: boolean;
  privacy_class: PrivacyClass;
  retention: RetentionTier;
  salience: number;
  secondary_lanes: Array<Lane>;
  sensitivity: Array<Sensitivity>;
  source: Source;
  tags: Array<string>;
  tier: Tier;
  valence: number;
};

export type Feature = {
  /** The value by its weight, in log-odds. */
  contribution: number;
  name: string;
  value: number;
};

/** Confirmation of a plan. */
export type ForgetConfirmation = {
  /** Only the direct matches, not those that merely seem to be about it. */
  direct_only?: boolean;
  /** Only these of the matches. */
  only?: Array<string> | null;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
  token: string;
};

export type ForgetFall = {
  gist: string;
  memory_id: string;
  /** True if it is made anew from its other sources. */
  rebuilt: boolean;
};

export type ForgetMatch = {
  /** `direct` states it, `indirect` only seems to be about it. */
  closeness: string;
  created_at: string;
  gist: string;
  /** Remaining text, when only a part goes. */
  leaves?: string | null;
  memory_id: string;
  /** True for a match that goes only when the confirmation names it in `only`. */
  offered?: boolean;
  reason: string;
};

/** Plan of a request, or a question that must be answered first. */
export type ForgetPlan = {
  /** Number of confirmations that it needs. */
  confirmations: number;
  /** Derivatives of those memories: they are erased too, or made anew from their other sources. */
  derived: Array<ForgetFall>;
  direct: number;
  expires_at?: string | null;
  falls: number;
  indirect: number;
  /**
   * The part of the language model, where the plan asked one: `answered` or `unanswered`. Its proposals
   * are offered.
   */
  language_model?: string | null;
  /** The first 500 matches. */
  matches: Array<ForgetMatch>;
  mode?: Mode | null;
  /**
   * The nearest memories when no match is direct. They are no part of the plan: name their ids to forget
   * them.
   */
  nearest?: Array<ForgetMatch>;
  /** Matches that another person wrote, and that the caller may not erase. */
  not_yours: number;
  /** Matches that may be meant, and that go only when the confirmation names them in `only`. */
  offered?: number;
  /** `plan`, `unclear` or `which_one`. */
  outcome: string;
  /** The people of that name: ask again with `who`. */
  people?: Array<Namesake>;
  /** Advice when the words were not understood. */
  question?: string | null;
  rebuilt: number;
  scope: string;
  /** Token to confirm with; absent when nothing matches. */
  token?: string | null;
  /** Working memories of running sessions, in RAM only, that go as well. */
  working: number;
};

/** Request to forget. Exactly one target; `after` and `before` go together. */
export type ForgetRequest = {
  /** Everything from this moment on. */
  after?: string | null;
  /** Everything before this moment. */
  before?: string | null;
  /** A person, place, organisation or thing by name. */
  entity?: string | null;
  /** Everything there is. */
  everything?: boolean;
  memory_ids?: Array<string> | null;
  mode?: Mode | null;
  /** Cut a memory that also says something else, instead of erasing all of it. */
  partial?: boolean;
  /** With `entity`: only memories that are about it, not those that merely mention it. */
  primary_only?: boolean;
  /** Words and meaning together, as a search. */
  query?: string | null;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
  sensitivity?: Sensitivity | null;
  session_id?: string | null;
  source?: SourceType | null;
  tags?: Array<string> | null;
  tier?: Tier | null;
  /** Time zone of "yesterday", such as `Europe/Lisbon`; UTC when absent. */
  time_zone?: string | null;
  /** One of several people of the same name, counted from 1, as an earlier answer listed them. */
  who?: number | null;
  /** Plain words: "forget everything about my dentist", "clear all health information". */
  words?: string | null;
};

/** Result of forgetting, with the proof. */
export type Forgotten = {
  /** The audit entry that announced it. */
  audit_seq: number;
  /** Memories that live on without a part of their text. */
  cut: Array<Remade>;
  deferred?: Deferred | null;
  expires_at?: string | null;
  /** Derivatives of those memories that were erased with them. */
  fell: Array<string>;
  /** Memories that wait in the review, because they depend on an erased one. */
  held_back: Array<string>;
  /** Memories that may still speak of it: by a short form, an attribute, by meaning, or in the same words. */
  may_still_speak?: Array<string>;
  memory_ids: Array<string>;
  /** `done`, or `again`: erasing everything needs a second confirmation, with this token. */
  outcome: string;
  /** Memories that were made anew from their other sources. */
  rebuilt: Array<Remade>;
  receipts: Array<Receipt>;
  /** Deadline for restoring, when it is hidden and not erased. */
  restorable_until?: string | null;
  scope: string;
  token?: string | null;
};

export type FoundMemory = {
  /** The author, in a vault that several people share. */
  author?: string | null;
  /** The summary that this turn of a compacted conversation stands behind; absent for active memories. */
  behind?: string | null;
  category: Category;
  content: string;
  content_type: ContentType;
  created_at: string;
  explanation?: Explanation | null;
  /** True if it quotes a file, a web page or something else from outside. */
  from_external_content: boolean;
  memory_id: string;
  /** The object that its program gave it. */
  metadata?: Record<string, unknown> | null;
  salience: number;
  /** Rank by meaning, words, salience, recency and tags. */
  score: number;
  /** True if `content` is the gist, because the whole text did not fit into the tokens or is damaged. */
  shortened?: boolean;
  /** Closeness in meaning, from 0 to 1, comparable across questions and models. */
  similarity_score: number;
  /**
   * The label to show beside it, such as "noted by the assistant, not confirmed"; absent for the owner's
   * own word.
   */
  source_label?: string | null;
  tags: Array<string>;
  /** `working` is known to its session only, and gone with it. */
  tier: Tier;
  /** Trust in its source. A program that shows it to an assistant should say so when it is not high. */
  trust: Trust;
  /** True if it is no closer to the question than some unrelated texts are; absent otherwise. */
  weak?: boolean;
};

export type FreezeRequest = {
  frozen: boolean;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
};

/** The gate's work on a text; never a word of it. */
export type GateReport = {
  /** Other changes, as `field: rule`. */
  changes?: Array<string>;
  /**
   * True if a part was cut that stays when the text is sent with `consent_basis` `explicit-consent`: an
   * address, or a number that a state gives to a person.
   */
  consent_keeps?: boolean;
  /** The gate's judgements. */
  judgements: Array<Judgement>;
  /** Secrets that were found. */
  redactions?: Array<Redaction>;
  /** The rules by which it looks like an instruction to an assistant. */
  suspicions?: Array<string>;
  /** True if the text was cut to fit. */
  truncated: boolean;
};

export type Health = {
  status: string;
  version: string;
};

/** A text that is held sealed until its owner consents. No search finds it. */
export type Held = {
  /** The consents that it needs: sensitive categories, or `patterns`. */
  categories: Array<ConsentTopic>;
  memory_id: string;
  /** The time at which it is gone without a consent. */
  until: string;
};

/** Result of an import. */
export type ImportReport = {
  asked: number;
  /** Records from whose text something was removed. */
  changed: number;
  /** True: nothing was stored, and the report says what would have happened. */
  dry_run: boolean;
  /** The program that wrote the file. */
  from: string;
  links_dropped: number;
  /** One by one, in no particular order. */
  records?: Array<Imported>;
  refused: number;
  repeated: number;
  /** The vault. */
  scope: string;
  stored: number;
  /** Records that this installation did not write as they stand: they have medium trust at most. */
  unproven: number;
  /** Of those stored, the ones that wait for a review. */
  waiting: number;
};

/** Result for one record. */
export type Imported = {
  /** True if something was removed from its text. */
  changed: boolean;
  /** Reason of the refusal. */
  code?: string | null;
  /** Links to memories that are not here. */
  links_dropped: number;
  /** Its memory. */
  memory_id?: string | null;
  /**
   * `stored`, `waiting` (stored, until a review), `repeated` (it was here), `asked` (not stored: it needs
   * a person's confirmation) or `refused`.
   */
  outcome: string;
  /** Questions to confirm. */
  questions?: Array<string>;
  reason?: string | null;
  /** Its number in the file, from 1. */
  record: number;
  state?: Lifecycle | null;
  /** True if this installation did not write the record as it stands: it has medium trust at most. */
  unproven: boolean;
  waits?: Wait | null;
};

export type Judgement = {
  /** From 0 to 1. */
  confidence: number;
  facet: string;
  /** True if the caller's own value was used instead. */
  overridden: boolean;
  /** The rule that matched. */
  reason: string;
  value: string;
};

export type Lane = "profile" | "business" | "documents";

export type Lifecycle = "candidate" | "approved" | "active" | "deleted" | "archived";

export type Lineage = {
  contribution: Contribution;
  memory_id: string;
};

export type Mark = "vivid" | "faint" | "recent";

export type Meaning = {
  cosine: number;
  model: string;
  similarity: number;
};

/** One memory, whole. */
export type Memory = Facets & {
  /** Memories that say nearly the same, or may contradict it. */
  alike?: Array<string>;
  /** The author, in a vault that several people share. */
  author?: string | null;
  content: string;
  content_hash: string;
  created_at: string;
  details: Array<Detail>;
  gist: string;
  /** Reason why its time ends at `expires_at`: a category, a tier, a rule of its owner. */
  kept_because?: string | null;
  memory_id: string;
  /** The object that its program gave it. */
  metadata?: Record<string, unknown> | null;
  promotion?: Promotion | null;
  /** Number of times that the same text was written again. */
  repeats: number;
  /** The vault that it is in. */
  scope: string;
  /**
   * The label to show beside it, such as "noted by the assistant, not confirmed"; absent for the owner's
   * own word.
   */
  source_label?: string | null;
  state: Lifecycle;
  /** Erased memories that it replaced. */
  supersedes?: Array<string>;
  updated_at: string;
  waits?: Wait | null;
};

/** One page of a list, newest first. */
export type MemoryPage = {
  memories: Array<MemorySummary>;
  /** Pass it as `cursor` to get the next page; absent on the last one. */
  next_cursor?: string | null;
  /** The vault that was listed. */
  scope: string;
};

/** A memory on a list: its gist, and its full text where the call asks for it. */
export type MemorySummary = {
  /** The author, in a vault that several people share. */
  author?: string | null;
  category: Category;
  /** The full text, with `full=true`. */
  content?: string | null;
  content_type: ContentType;
  created_at: string;
  /** The time until which it is kept; absent when nothing ends its time. */
  expires_at?: string | null;
  gist: string;
  /** Reason why its time ends: a category, a tier, a rule of its owner. */
  kept_because?: string | null;
  memory_id: string;
  /** The object that its program gave it. */
  metadata?: Record<string, unknown> | null;
  salience: number;
  /** True if `content` is the gist, because the whole text is damaged. */
  shortened?: boolean;
  /** The label to show beside it; absent for the owner's own word. */
  source_label?: string | null;
  state: Lifecycle;
  tags: Array<string>;
};

/** The tool's answer to the model. */
export type MemoryToolAnswer = {
  /** The content of the tool's result. */
  content: string;
  /** True if it is to be sent as an error. */
  is_error: boolean;
};

/** A command as the model sends it. */
export type MemoryToolCommand = MemoryToolCommandView | MemoryToolCommandCreate | MemoryToolCommandStrReplace | MemoryToolCommandInsert | MemoryToolCommandDelete | MemoryToolCommandRename;

/** Make a new file. */
export type MemoryToolCommandCreate = {
  command: "create";
  file_text: string;
  path: string;
};

/** Erase a file or a folder. */
export type MemoryToolCommandDelete = {
  command: "delete";
  path: string;
};

/** Put a text after a line; after line 0 is at the top. */
export type MemoryToolCommandInsert = {
  command: "insert";
  insert_line: number;
  insert_text: string;
  path: string;
};

/** Move a file or a folder. */
export type MemoryToolCommandRename = {
  command: "rename";
  new_path: string;
  old_path: string;
};

/** Put a text in the place of another, which must stand there once. */
export type MemoryToolCommandStrReplace = {
  command: "str_replace";
  new_str?: string;
  old_str: string;
  path: string;
};

/** Show a file with line numbers, or what is in a folder. */
export type MemoryToolCommandView = {
  command: "view";
  path: string;
  /** The first and the last line; -1 is the end. */
  view_range?: Array<number> | null;
};

export type Mode = "soft" | "hard" | "archive" | "delete";

/** Target of a move. */
export type MoveRequest = {
  /**
   * The reason, in at most 500 characters. It is sealed with the memory and stands in no log and no audit
   * entry.
   */
  justification?: string | null;
  /**
   * Its author's yes to sharing a memory about health, money, belief or biometrics; without it, such a
   * one stays.
   */
  lift_sensitivity?: boolean;
  /** Its present scope: `user`, `team:NAME` or `org`; the caller's own vault when absent. */
  scope?: string | null;
  /** `team:NAME` or `org` to promote; `team:NAME` or `user:NAME` to demote. */
  to: string;
};

/** Result of a move. */
export type Moved = {
  /** Its id in the new scope. */
  memory_id: string;
  /** Its id in the old scope. */
  previous_id: string;
  promotion: Promotion;
  scope: string;
  /**
   * `active`; `candidate` if it waits for approval, as a direct write there would; `approved` during a
   * grace period.
   */
  state: Lifecycle;
};

export type Named = "ids" | "subject" | "query" | "session" | "conversation" | "last_said" | "tags" | "sensitivity" | "tier" | "source" | "everything" | "time";

export type NamedReceipt = {
  at: string;
  receipt: string;
};

/** One of several people of one name. */
export type Namesake = {
  label: string;
  memories: number;
  who: number;
};

/** Namespaces that hold records, in order. */
export type NamespaceList = {
  namespaces: Array<Array<string>>;
  scope: string;
};

/** A question for namespaces. */
export type NamespacesRequest = {
  /** Namespaces in the answer; 100 when absent. */
  limit?: number | null;
  /** Labels that are shown of each. */
  max_depth?: number | null;
  offset?: number;
  /** The first labels, where `*` is any. */
  prefix?: Array<string>;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
  /** The last labels, where `*` is any. */
  suffix?: Array<string>;
};

/** One turn, or a piece of one that is still being said. */
export type NewTurn = {
  /** Time at which it was said, if not now. */
  at?: string | null;
  /** The token of an earlier answer that asked about this very text. */
  confirm?: string | null;
  /** True if it quotes a file, a web page or something else from outside. */
  from_external_content?: boolean;
  message_id?: string | null;
  /** True if more pieces of the turn follow. The turn is stored with its last one. */
  partial?: boolean;
  /** The position of a piece among those of its turn, from 0. */
  piece?: number | null;
  role: Speaker;
  text: string;
  /** The tool whose output it is. */
  tool?: string | null;
};

export type Operation = "recall" | "remember" | "forget" | "export" | "import" | "destroy" | "freeze" | "retain" | "audit" | "confirm" | "provision";

/** Result for one text of a batch. */
export type Outcome = OutcomeStored | OutcomeAsked | OutcomeRefused;

/** A text that is not stored until it is confirmed. */
export type OutcomeAsked = {
  /** Send the same text again with this as `confirm`. */
  confirm: string;
  expires_at: string;
  gate: GateReport;
  held?: Held | null;
  outcome: "asked";
  /** `possible_secret` or `consent`. */
  questions: Array<string>;
};

/** A text that the gate refused. */
export type OutcomeRefused = {
  /** One of the codes of docs/errors.md. */
  code: string;
  gate: GateReport;
  outcome: "refused";
  reason: string;
};

/** Result for one text. */
export type OutcomeStored = {
  /** Memories that say nearly the same, or may contradict it. */
  alike?: Array<string>;
  /** The time from which its owner is asked whether to keep it. */
  asks_at?: string | null;
  /** `sha256:` and the digest of the text as it was stored. */
  content_hash: string;
  created_at: string;
  /** True if it can be found by meaning from now on. */
  embedding_generated: boolean;
  /** The model of that embedding; a better one may follow in the background. */
  embedding_model: string;
  /** The gate's work on the text. */
  gate: GateReport;
  held?: Held | null;
  /** True for a note of an assistant: it is found, labelled as not confirmed, and is no fact. */
  is_note?: boolean;
  /** Reason why its time ends: a category, a tier, a rule of its owner. */
  kept_because?: string | null;
  /** The time until which it is kept; absent when nothing ends its time, or when it was there before. */
  kept_until?: string | null;
  lane: Lane;
  memory_id: string;
  outcome: "stored";
  privacy_class: PrivacyClass;
  /** Number of times that this very text had been written before; above 0 nothing new was stored. */
  repeats: number;
  salience: number;
  /** The vault that it is in. */
  scope: string;
  sensitivity: Array<Sensitivity>;
  /** `candidate` waits for a review, `approved` for its grace period; only `active` is found. */
  state: Lifecycle;
  /** Memories that were erased because this one replaces them. */
  supersedes?: Array<string>;
  /** `working` is held in RAM until its session ends, and stored nowhere. */
  tier: Tier;
  waits?: Wait | null;
};

export type PersonaKind = "episodic" | "semantic" | "procedural";

/** Memories to pin, or to unpin. */
export type PinRequest = {
  /** From 1 to 1,000; all of them, or none. */
  memory_ids: Array<string>;
  pinned: boolean;
  /** The vault they are in; the caller's own when absent. */
  scope?: string | null;
};

export type PrivacyClass = "non-pii" | "aggregate" | "guest-pii" | "staff-pii" | "sensitive-pii" | "commercial-confidential";

export type ProbePath = "rows" | "keys" | "blobs" | "open index" | "words" | "meaning" | "names and identifiers" | "lineage" | "kept exports" | "short forms and near meaning" | "the same text";

/** A failure and its remedy. `code` is stable; the texts are for people. */
export type Problem = {
  asked?: Asked | null;
  /** The stable name of the error; docs/errors.md lists them all. */
  code: string;
  /** Details of this case. */
  detail: string;
  /** The field at fault. */
  field?: string | null;
  gate?: GateReport | null;
  /** The next step for the caller. */
  remedy: string;
  /** The id of the request, as in the header `X-Request-Id`; the log has it as well. */
  request_id?: string | null;
  status: number;
  /** The meaning of the code. */
  title: string;
};

/** Move of a memory from one scope into another. */
export type Promotion = {
  current_scope: string;
  justification?: string | null;
  original_author_id: string;
  original_created_at: string;
  previous_scope: string;
  promoted_at: string;
  promoted_by_id: string;
};

export type Reach = "private" | "team" | "org";

/**
 * The proof of an erasure. It records the act and never the erased content; `signature` is Ed25519 over
 * all the rest, under `key`.
 */
export type Receipt = {
  at: string;
  audit_hash: string;
  /** Position of the audit chain after the commit that announced it. */
  audit_seq: number;
  /** Full backups that still hold copies, and until when. */
  backups: Array<ReceiptBackup>;
  cause: Cause;
  counts: ReceiptCounts;
  key: string;
  /** One hash over the ids of all erased memories. */
  memories_hash: string;
  /** Method that made it unreadable. */
  method: string;
  mode: Mode;
  number: number;
  org: string;
  /** Searches made afterwards, and their results. */
  probes: Array<ReceiptProbe>;
  /** As people quote it: `DEL-2026-000123`. */
  receipt: string;
  request?: number | null;
  /** Hashes of the target, under a key that only the vault has. */
  scope_hashes: Array<string>;
  signature: string;
  /** Kind of target: ids, subject, session and so on. */
  target: Named;
  /** The vault, as 32 hex digits. */
  vault: string;
};

export type ReceiptBackup = {
  number: number;
  until: string;
};

export type ReceiptCounts = {
  cut: number;
  direct: number;
  fell: number;
  held_back: number;
  indirect: number;
  keys_destroyed: number;
  rebuilt: number;
};

/** Receipts, oldest first. */
export type ReceiptList = {
  /** The key that signs this installation's receipts. Keep it apart from them. */
  key: string;
  receipts: Array<Receipt>;
  scope: string;
};

export type ReceiptProbe = {
  found: number;
  looked_for: number;
  path: ProbePath;
};

/** Records that were put at their places, in the order given. */
export type RecordBatchKept = {
  records: Array<RecordKept>;
  scope: string;
};

/** Values for several places, all of them in one commit, or none. */
export type RecordBatchRequest = {
  records: Array<RecordPutRequest>;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
};

/** Records to erase: all under a namespace that meet a condition. */
export type RecordEraseRequest = {
  /** A condition on the metadata; all of them when absent. */
  filter?: Record<string, unknown> | null;
  /** The first labels of their namespaces. */
  namespace_prefix: Array<string>;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
};

/** A record that was put at its place. */
export type RecordKept = {
  created_at: string;
  expires_at?: string | null;
  /** True when nothing stood at its place. */
  is_new: boolean;
  /** It stays when the value changes. */
  record_id: string;
  updated_at: string;
};

/** A page of records. */
export type RecordPage = {
  /** Pass it as `offset` to get the next page; absent on the last one. */
  next_offset?: number | null;
  records: Array<StoredRecord>;
  scope: string;
  /** The number of all records that meet the conditions. */
  total: number;
};

/** A value with its place. */
export type RecordPutRequest = {
  consent_basis?: ConsentBasis | null;
  /** Paths to the text that it is searched by; every text of the value when absent, none when empty. */
  index?: Array<string> | null;
  keep_possible_secrets?: boolean;
  key: string;
  /** An object of your own, up to 16 KiB, to filter by. */
  metadata?: Record<string, unknown> | null;
  /** The labels of the namespace, the widest first. */
  namespace: Array<string>;
  source?: Source | null;
  /** Seconds until it is gone; it stays when absent. */
  ttl_seconds?: number | null;
  /** Any JSON value, up to 1 MiB. It is kept as it is written, or refused. */
  value: unknown;
};

/** A value for a place. */
export type RecordRequest = {
  consent_basis?: ConsentBasis | null;
  /**
   * Paths to the text that it is searched by, such as `title` or `turns[*].text`; every text of the value
   * when absent, none when empty.
   */
  index?: Array<string> | null;
  /**
   * True when texts that look like secrets are none, such as ids. Certain secrets are refused all the
   * same.
   */
  keep_possible_secrets?: boolean;
  /** An object of your own, up to 16 KiB, to filter by. */
  metadata?: Record<string, unknown> | null;
  source?: Source | null;
  /** Seconds until it is gone, from this write or the last refreshing on; it stays when absent. */
  ttl_seconds?: number | null;
  /** Any JSON value, up to 1 MiB. It is kept as it is written, or refused. */
  value: unknown;
};

/** A search for records. */
export type RecordSearchRequest = {
  /**
   * A condition on the metadata: `{"colour": "red", "score": {"$gte": 4}}`, with `$eq $ne $gt $gte $lt
   * $lte $in $nin $contains $icontains $exists`, and `AND`, `OR`, `NOT`.
   */
  filter?: Record<string, unknown> | null;
  /** Records in the answer; 10 when absent. */
  limit?: number | null;
  /** Leave out records that are less similar to the question. */
  min_similarity?: number | null;
  /** The first labels of the namespaces to search; all when absent. */
  namespace_prefix?: Array<string>;
  /** Records to pass over. */
  offset?: number;
  /** Find by words and meaning; the last written come first when absent. */
  query?: string | null;
  /** Let the time to live of what is found begin anew. */
  refresh_ttl?: boolean;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
  /** A condition on the value, in the same words. */
  value_filter?: Record<string, unknown> | null;
};

/** Another time to live for a record. */
export type RecordTtlRequest = {
  key: string;
  namespace: Array<string>;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
  /** Seconds from now on; it stays when absent. */
  ttl_seconds?: number | null;
};

export type Redaction = {
  end: number;
  field: string;
  /** `definite`, `probable` or `possible`. */
  level: string;
  /** True if it was removed. */
  removed: boolean;
  rule: string;
  /** The first character and the one after the last, in the field as it was sent. */
  start: number;
};

export type Remade = {
  memory_id: string;
  previous_id: string;
};

/** Many memories. A field out of bounds refuses all of them; the rules of the gate decide one by one. */
export type RememberBatch = {
  /** From 1 to 2,000. */
  memories: Array<RememberRequest>;
  /** The vault to write all of them to; the caller's own when absent. */
  scope?: string | null;
};

/** A text to remember. Only `content` is required. */
export type RememberRequest = {
  category?: Category | null;
  /** The `confirm` of an earlier answer that asked about this very text. */
  confirm?: string | null;
  consent_basis?: ConsentBasis | null;
  /** The text. Beyond 10,000 characters it is cut and marked; transcripts may have 1,000,000. */
  content: string;
  content_type?: ContentType | null;
  /** Time of the event; the moment of writing when absent. */
  created_at?: string | null;
  derived_from?: Array<Lineage>;
  details?: Array<Detail>;
  entities?: Array<Entity>;
  expires_at?: string | null;
  /** True refuses a text that holds a secret, instead of storing it without. */
  fail_on_secret?: boolean;
  /** Its core in at most 280 characters; made from the text when absent. */
  gist?: string | null;
  kind?: PersonaKind | null;
  lane?: Lane | null;
  /** An object of your own, up to 16 KiB, to filter by. It is kept as it is written, or refused. */
  metadata?: Record<string, unknown> | null;
  pinned?: boolean;
  privacy_class?: PrivacyClass | null;
  retention?: RetentionTier | null;
  /** Importance from 0 to 1; judged from the text when absent. */
  salience?: number | null;
  /** The vault to write to: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent. */
  scope?: string | null;
  secondary_lanes?: Array<Lane>;
  sensitivity?: Array<Sensitivity>;
  source?: Source | null;
  tags?: Array<string>;
  tier?: Tier | null;
  /** Pleasantness, from -1 to 1. */
  valence?: number | null;
};

/** Result for one text. */
export type Remembered = {
  /** Memories that say nearly the same, or may contradict it. */
  alike?: Array<string>;
  /** The time from which its owner is asked whether to keep it. */
  asks_at?: string | null;
  /** `sha256:` and the digest of the text as it was stored. */
  content_hash: string;
  created_at: string;
  /** True if it can be found by meaning from now on. */
  embedding_generated: boolean;
  /** The model of that embedding; a better one may follow in the background. */
  embedding_model: string;
  /** The gate's work on the text. */
  gate: GateReport;
  held?: Held | null;
  /** True for a note of an assistant: it is found, labelled as not confirmed, and is no fact. */
  is_note?: boolean;
  /** Reason why its time ends: a category, a tier, a rule of its owner. */
  kept_because?: string | null;
  /** The time until which it is kept; absent when nothing ends its time, or when it was there before. */
  kept_until?: string | null;
  lane: Lane;
  memory_id: string;
  privacy_class: PrivacyClass;
  /** Number of times that this very text had been written before; above 0 nothing new was stored. */
  repeats: number;
  salience: number;
  /** The vault that it is in. */
  scope: string;
  sensitivity: Array<Sensitivity>;
  /** `candidate` waits for a review, `approved` for its grace period; only `active` is found. */
  state: Lifecycle;
  /** Memories that were erased because this one replaces them. */
  supersedes?: Array<string>;
  /** `working` is held in RAM until its session ends, and stored nowhere. */
  tier: Tier;
  waits?: Wait | null;
};

/** Results of a batch, in its order. */
export type RememberedBatch = {
  memories: Array<Outcome>;
  scope: string;
};

/** A text that takes the place of a memory. What is not sent stays as it was. */
export type ReplaceRequest = {
  /** The token of an earlier answer that asked about this very text. */
  confirm?: string | null;
  consent_basis?: ConsentBasis | null;
  /** The new text. It passes the gate like every text. */
  content: string;
  expires_at?: string | null;
  /** An object of your own, up to 16 KiB, to filter by; `{}` takes the old one away. */
  metadata?: Record<string, unknown> | null;
  source?: Source | null;
  tags?: Array<string> | null;
};

export type RetentionTier = "ephemeral" | "short_term" | "medium_term" | "long_term" | "sensitive";

/** Memories that wait for a decision, newest first. */
export type ReviewPage = {
  /** Results of `anonymise` for memories that depend on a forgotten one, where it is possible. */
  anonymous: Array<AnonymousForm>;
  memories: Array<Memory>;
  next_cursor?: string | null;
  scope: string;
};

/** Decisions about memories that wait, carried out in their order. */
export type ReviewRequest = {
  /** True accepts every note and everything that waits for confirmation only. Send no decisions with it. */
  accept_all?: boolean;
  /** From 1 to 1,000, unless `accept_all` is set. */
  decisions?: Array<Decision>;
  /** The vault they are in; the caller's own when absent. */
  scope?: string | null;
};

/** Results of the decisions, in their order. */
export type Reviewed = {
  decided: Array<Decided>;
  scope: string;
};

export type Role = "user" | "reader" | "admin" | "agent" | "service";

/** Vaults, in the words that every call takes for its scope. */
export type ScopeList = {
  scopes: Array<string>;
};

/** A question. Only `query` is required. */
export type SearchRequest = {
  /** The moment from which "yesterday" and "last Friday" in the question count; now when absent. */
  as_of?: string | null;
  category_filter?: Array<Category>;
  /** True adds the reasons of every score. */
  explain?: boolean;
  /**
   * A condition on `metadata`, such as `{"project": "halcyon", "score": {"$gte": 4}}`; `created_at`,
   * `updated_at` and `expires_at` are compared too.
   */
  filter?: Record<string, unknown> | null;
  include_archived?: boolean;
  /**
   * True lets the words of the question ("my", "our", "the docs") narrow the lanes, unless `lane_filter`
   * names some; false does not; as the policy says when absent.
   */
  intent?: boolean | null;
  lane_filter?: Array<Lane>;
  /** Memories at most; when absent, ten of events and twenty of facts. */
  max_results?: number | null;
  /** Tokens of all texts together; 4,000 when absent. */
  max_tokens?: number | null;
  /** From 0 to 1; the same value means the same under every model. */
  min_similarity?: number | null;
  /** Tags that raise a memory which bears them. */
  prefer_tags?: Array<string>;
  query: string;
  /** Weight of recency, from 0 to 1; 0.3 when absent. */
  recency_weight?: number | null;
  /** True counts found memories as rehearsed, so that they fade later. */
  rehearse?: boolean;
  /**
   * The vault to search: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
   * With `auto` the words of the question choose the vault, and narrow the lanes.
   */
  scope?: string | null;
  /**
   * True finds memories by their secondary lanes as well; a filter means the primary lane alone
   * otherwise.
   */
  secondary_lanes?: boolean;
  /** The session under way: its working memory takes part. */
  session?: string | null;
  session_id?: string | null;
  /** True leaves out weak hits; otherwise the best are always shown, however weak. */
  strong_only?: boolean;
  /** Only memories with all of these tags. */
  tag_filter?: Array<string>;
  tier_filter?: Array<Tier>;
  time_range?: TimeRange;
};

/** Found memories, best first. */
export type SearchResponse = {
  /** Memories that could not be searched because they are damaged. */
  damaged: number;
  /** Advice when nothing was found. */
  hint?: string | null;
  /** Memories that were found and did not fit into the tokens. */
  left_out: number;
  memories: Array<FoundMemory>;
  /** The models whose vectors took part; empty when only words did. */
  models: Array<string>;
  query_time_ms: number;
  /** The vault that was searched. */
  scope: string;
  total_searched: number;
  understood?: Understood | null;
};

export type Sensitivity = "health" | "financial" | "biometric" | "location" | "political_religious" | "relationships" | "professional" | "preferences";

/** A conversation. */
export type Session = {
  began_at: string;
  /** Time of its last turn. */
  last_at: string;
  next_turn: number;
  /** The vault that it is remembered in. */
  scope: string;
  session_id: string;
  state: SessionState;
  /** The memories that hold its sealed transcripts. */
  transcripts: Array<string>;
  /** Number of turns shown. */
  turn_count: number;
};

/** A session that has ended. */
export type SessionEnded = Session & {
  /** The transcripts that were made now; none when it had ended before. */
  archived: Array<string>;
};

/** One page of a list of sessions, the last used first. */
export type SessionPage = {
  /** Pass it as `cursor` to get the next page; absent on the last one. */
  next_cursor?: string | null;
  /** The vault that was listed. */
  scope: string;
  sessions: Array<Session>;
};

/** A session to start, or to go on with. */
export type SessionRequest = {
  /** The vault that it is remembered in; the caller's own when absent. */
  scope?: string | null;
  /** The caller's own name for it; one is made when absent. */
  session_id?: string | null;
};

/** A session with some of its turns, in their order. */
export type SessionShown = Session & {
  /** Pass it as `cursor` to get the next page; absent on the last one. */
  next_cursor?: string | null;
  turns: Array<Turn>;
};

export type SessionState = "open" | "ended";

/** Source of a memory. */
export type Source = {
  channel?: string | null;
  deployment?: string | null;
  from_external_content?: boolean;
  message_id?: string | null;
  session_id?: string | null;
  tool?: string | null;
  trust?: Trust | null;
  turn?: number | null;
  type?: SourceType | null;
};

export type SourceType = "user_message" | "tool_output" | "ai_inference" | "explicit_save";

export type Speaker = "user" | "assistant" | "tool";

/** Memories to move to another state. */
export type StateRequest = {
  /** From 1 to 1,000; all of them move, or none. */
  memory_ids: Array<string>;
  /** The vault they are in; the caller's own when absent. */
  scope?: string | null;
  /** `deleted` hides, `active` restores, `archived` sets aside. */
  state: Lifecycle;
};

/** A record. */
export type StoredRecord = {
  created_at: string;
  expires_at?: string | null;
  key: string;
  metadata?: Record<string, unknown> | null;
  namespace: Array<string>;
  /** It stays when the value changes. */
  record_id: string;
  /** The rank in this answer, from 0 to 1; absent without a question, or without a text to search. */
  score?: number | null;
  /** The similarity to the question, comparable across questions. */
  similarity?: number | null;
  updated_at: string;
  value: unknown;
};

export type Tier = "working" | "episodic" | "semantic";

/** From `after` (inclusive) to `before` (exclusive). */
export type TimeRange = {
  after?: string | null;
  before?: string | null;
};

/** A token without its secret. */
export type Token = {
  created_at: string;
  expires_at?: string | null;
  label: string;
  /** Operations that a service may carry out for people. */
  operations?: Array<Operation>;
  revoked_at?: string | null;
  roles: Array<Role>;
  token_id: string;
  user: string;
  /** Sensitive categories that it is not for. */
  without?: Array<Sensitivity>;
};

/** A new token with its secret, which is shown this once. */
export type TokenCreated = Token & {
  /** Send it as `Authorization: Bearer …`. It cannot be shown again. */
  secret: string;
};

export type TokenList = {
  tokens: Array<Token>;
};

/** Settings of a new token. */
export type TokenRequest = {
  expires_at?: string | null;
  label?: string;
  /** Operations that a token of the role `service` may carry out for people; other roles have none. */
  operations?: Array<Operation>;
  roles: Array<Role>;
  /** The user whom the bearer speaks for. */
  user: string;
  /**
   * Sensitive categories that the token is not for: their memories look missing to its bearer. For the
   * roles `agent`, `reader` and `service`.
   */
  without?: Array<Sensitivity>;
};

export type Trust = "low" | "medium" | "high";

/** A turn as it was said, and as the gate let it in. */
export type Turn = {
  at: string;
  memory_id: string;
  role: Speaker;
  state: Lifecycle;
  text: string;
  tool?: string | null;
  turn: number;
};

/** Interpretation of the words of a question. */
export type Understood = {
  /** True if the words are ambiguous, so that an assistant should ask back. */
  ask: boolean;
  /** The phrases that led to it; none when no rule matched. */
  because: Array<string>;
  /** Next question, or ways to search further. */
  broaden: Array<string>;
  lane?: Lane | null;
  /** True if only that lane was searched. */
  narrowed: boolean;
  scope?: Reach | null;
};

/** State of a vault for writes. */
export type VaultState = {
  /** Time since which writes are refused; absent while they are taken. */
  frozen_since?: string | null;
  scope: string;
};

export type Verb = "accept" | "edit" | "anonymise" | "reject";

/** Remaining memories about a subject, and earlier requests to forget it. */
export type VerifiedForgotten = {
  /**
   * Memories that state it, and memories that may still speak of it: by a short form of a name, by an
   * attribute or by meaning.
   */
  direct: Array<string>;
  /** True if no memory states it and none may still speak of it. */
  forgotten: boolean;
  indirect: Array<string>;
  /** Requests to forget the very same, newest first. */
  receipts: Array<NamedReceipt>;
  scope: string;
};

/** Subject of a check for remaining memories. */
export type VerifyForgotten = {
  /** A question or a subject: "Do you remember anything about my diabetes?", "my diabetes". */
  about: string;
  /** The vault; the caller's own when absent. */
  scope?: string | null;
};

export type Wait = "confirmation" | "quarantine" | "approval" | "contradiction" | "dangling" | "consent";

/** Options of list_memories. */
export type ListOptions = {
  /** The `next_cursor` of the page before. */
  cursor?: string;
  /** Memories on one page; 50 when absent. */
  limit?: number;
  /** May repeat. */
  category?: Array<Category>;
  /** May repeat. */
  tier?: Array<Tier>;
  /** May repeat. */
  lane?: Array<Lane>;
  /** True finds memories by their secondary lanes as well. */
  secondary_lanes?: boolean;
  /** May repeat: only memories with all of them. */
  tag?: Array<string>;
  session_id?: string;
  /** Created at this time or later. */
  after?: string;
  /** Created before this time. */
  before?: string;
  include_archived?: boolean;
  /** True adds the full texts, as many as fit on a page of 8 MiB. */
  full?: boolean;
  /** A condition on `metadata`, as JSON: `{"project": "halcyon", "score": {"$gte": 4}}`. */
  filter?: string;
  /** May repeat: only memories in these states, such as `deleted` for those that can be restored. */
  state?: Array<Lifecycle>;
  /** The vault to list: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent. */
  scope?: string;
};

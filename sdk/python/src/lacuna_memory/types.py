"""The types of requests and answers, as the server describes them.

Written by sdk/generate.py: run it again after the description has changed. A value is the JSON that travels:
a newer server may send fields that are not named here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

Category: TypeAlias = Literal["conversation", "work_pattern", "preference", "learned_context"]

Cause: TypeAlias = Literal["request", "purge", "retention", "person", "destruction", "correction", "deferred"]

Confabulation: TypeAlias = Literal["strict", "moderate"]

ConsentBasis: TypeAlias = Literal[
    "service-delivery",
    "legitimate-interest",
    "explicit-consent",
    "legal-obligation",
    "not-applicable",
]

ConsentTopic: TypeAlias = Literal[
    "health",
    "financial",
    "biometric",
    "location",
    "political_religious",
    "relationships",
    "professional",
    "preferences",
    "patterns",
    "long_term",
    "language_model",
]

ContentType: TypeAlias = Literal["transcript", "summary", "fact", "preference", "pattern"]

Contribution: TypeAlias = Literal["primary", "context", "inference"]

#: File format of an export.
ExportFormat: TypeAlias = Literal["json", "markdown"]

Lane: TypeAlias = Literal["profile", "business", "documents"]

Lifecycle: TypeAlias = Literal["candidate", "approved", "active", "deleted", "archived"]

Mark: TypeAlias = Literal["vivid", "faint", "recent"]

Mode: TypeAlias = Literal["soft", "hard", "archive", "delete"]

Named: TypeAlias = Literal[
    "ids",
    "subject",
    "query",
    "session",
    "conversation",
    "last_said",
    "tags",
    "sensitivity",
    "tier",
    "source",
    "everything",
    "time",
]

Operation: TypeAlias = Literal[
    "recall",
    "remember",
    "forget",
    "export",
    "import",
    "destroy",
    "freeze",
    "retain",
    "audit",
    "confirm",
    "provision",
]

PersonaKind: TypeAlias = Literal["episodic", "semantic", "procedural"]

PrivacyClass: TypeAlias = Literal[
    "non-pii",
    "aggregate",
    "guest-pii",
    "staff-pii",
    "sensitive-pii",
    "commercial-confidential",
]

ProbePath: TypeAlias = Literal[
    "rows",
    "keys",
    "blobs",
    "open index",
    "words",
    "meaning",
    "names and identifiers",
    "lineage",
    "kept exports",
    "short forms and near meaning",
    "the same text",
]

Reach: TypeAlias = Literal["private", "team", "org"]

RetentionTier: TypeAlias = Literal["ephemeral", "short_term", "medium_term", "long_term", "sensitive"]

Role: TypeAlias = Literal["user", "reader", "admin", "agent", "service"]

Sensitivity: TypeAlias = Literal[
    "health",
    "financial",
    "biometric",
    "location",
    "political_religious",
    "relationships",
    "professional",
    "preferences",
]

SessionState: TypeAlias = Literal["open", "ended"]

SourceType: TypeAlias = Literal["user_message", "tool_output", "ai_inference", "explicit_save"]

Speaker: TypeAlias = Literal["user", "assistant", "tool"]

Tier: TypeAlias = Literal["working", "episodic", "semantic"]

Trust: TypeAlias = Literal["low", "medium", "high"]

Verb: TypeAlias = Literal["accept", "edit", "anonymise", "reject"]

Wait: TypeAlias = Literal["confirmation", "quarantine", "approval", "contradiction", "dangling", "consent"]


class AnonymousForm(TypedDict):
    """A memory in which "someone" replaces the people that it mentions."""

    content: str
    memory_id: str


class AppendRequest(TypedDict):
    """Turns to append, in their order."""

    #: The number that the first of them is to get. An append that is sent again with it is not doubled; when
    #: another text has the number, it is a conflict.
    expected_turn: NotRequired[int | None]
    #: The vault that the session is remembered in; the caller's own when absent.
    scope: NotRequired[str | None]
    #: From 1 to 1,000; a turn that is sent in pieces comes alone.
    turns: list[NewTurn]


class Appended(TypedDict):
    """Result of an append."""

    #: The number that the next turn gets.
    next_turn: int
    #: Pieces held of an unfinished turn. They are in RAM only.
    pieces: NotRequired[int | None]
    scope: str
    session_id: str
    #: Results of each turn; empty while a turn is unfinished.
    turns: list[AppendedTurn]


#: One turn of an append. One that was refused, or is asked about, keeps its number.
AppendedTurn: TypeAlias = Union["AppendedTurnStored", "AppendedTurnAsked", "AppendedTurnRefused"]


class AppendedTurnAsked(TypedDict):
    """A text that is not stored until it is confirmed."""

    #: Send the same text again with this as `confirm`.
    confirm: str
    expires_at: str
    gate: GateReport
    held: NotRequired[Held | None]
    outcome: Literal["asked"]
    #: `possible_secret` or `consent`.
    questions: list[str]
    turn: int


class AppendedTurnRefused(TypedDict):
    """A text that the gate refused."""

    #: One of the codes of docs/errors.md.
    code: str
    gate: GateReport
    outcome: Literal["refused"]
    reason: str
    turn: int


class AppendedTurnStored(TypedDict):
    """Result for one text."""

    #: Memories that say nearly the same, or may contradict it.
    alike: NotRequired[list[str]]
    #: The time from which its owner is asked whether to keep it.
    asks_at: NotRequired[str | None]
    #: `sha256:` and the digest of the text as it was stored.
    content_hash: str
    created_at: str
    #: True if it can be found by meaning from now on.
    embedding_generated: bool
    #: The model of that embedding; a better one may follow in the background.
    embedding_model: str
    #: The gate's work on the text.
    gate: GateReport
    held: NotRequired[Held | None]
    #: True for a note of an assistant: it is found, labelled as not confirmed, and is no fact.
    is_note: NotRequired[bool]
    #: Reason why its time ends: a category, a tier, a rule of its owner.
    kept_because: NotRequired[str | None]
    #: The time until which it is kept; absent when nothing ends its time, or when it was there before.
    kept_until: NotRequired[str | None]
    lane: Lane
    memory_id: str
    outcome: Literal["stored"]
    privacy_class: PrivacyClass
    #: Number of times that this very text had been written before; above 0 nothing new was stored.
    repeats: int
    salience: float
    #: The vault that it is in.
    scope: str
    sensitivity: list[Sensitivity]
    #: `candidate` waits for a review, `approved` for its grace period; only `active` is found.
    state: Lifecycle
    #: Memories that were erased because this one replaces them.
    supersedes: NotRequired[list[str]]
    #: `working` is held in RAM until its session ends, and stored nowhere.
    tier: Tier
    turn: int
    waits: NotRequired[Wait | None]


class Asked(TypedDict):
    """A text that is not stored until it is confirmed."""

    #: Send the same text again with this as `confirm`.
    confirm: str
    expires_at: str
    gate: GateReport
    held: NotRequired[Held | None]
    #: `possible_secret` or `consent`.
    questions: list[str]


class CompactAnswer(TypedDict):
    """A plan, or the result."""

    done: NotRequired[Compacted | None]
    plan: NotRequired[CompactionPlan | None]
    scope: str


class CompactRequest(TypedDict):
    """Turns to summarise and archive. Without a session, a time or `force`, the policy's thresholds
    decide."""

    #: Only turns from before this moment.
    before: NotRequired[str | None]
    #: Report what would be compacted, and change nothing.
    dry_run: NotRequired[bool]
    #: Compact even below the thresholds.
    force: NotRequired[bool]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    #: Only turns of this session; its last ones stay, unless `before` is given.
    session: NotRequired[str | None]


class Compacted(TypedDict):
    cancelled: bool
    duplicates: int
    facts: list[str]
    #: Turns that stay as they are, because the gate took no summary of them.
    kept: int
    #: The memories that replaced them.
    summaries: list[str]
    tokens_after: int
    #: Tokens of the turns before and of the memories that replaced them, estimated.
    tokens_before: int
    #: Turns that were archived: out of search, in exports.
    turns: int
    unread_facts: int
    #: Facts of these that wait in the review.
    waiting: int


class CompactionPlan(TypedDict):
    #: Facts that another one repeats word for word.
    duplicates: int
    sessions: int
    #: Tokens of these turns, estimated.
    tokens: int
    turns: int
    #: Facts that nobody has read for as long as the policy names.
    unread_facts: int
    #: As ISO 8601 writes them: `2026-W12`.
    weeks: list[str]


class Context(TypedDict):
    """Memories for a turn: as a section for a prompt, and as data."""

    #: The word that marks both ends of the section.
    boundary: str
    #: Instruction of the section to an assistant where a memory is silent.
    confabulation: Confabulation
    #: Memories that could have been shown.
    considered: int
    #: Of those, the number that rest because they were shown lately.
    cooling: int
    #: Memories of the section, best first.
    items: list[ContextItem]
    #: Of the best, the number that found no room.
    left_out: int
    max_tokens: int
    query_time_ms: float
    #: The section, ready for a prompt; empty when no memory fits.
    text: str
    tokens: int
    understood: Understood


class ContextItem(TypedDict):
    """A memory in a section."""

    #: True if it is in the session's working memory and stored nowhere.
    at_hand: NotRequired[bool]
    #: The summary that this turn of a compacted conversation stands behind; absent for active memories.
    behind: NotRequired[str | None]
    created_at: str
    from_external_content: bool
    #: Label in the section.
    label: str
    marks: list[Mark]
    memory_id: str
    recency: float
    relevance: float
    salience: float
    #: Vault of the memory.
    scope: str
    #: Rank: the four parts below, by the policy's weights.
    score: float
    #: Label in the section for a source that is not fully trusted.
    source_label: NotRequired[str | None]
    source_type: SourceType
    #: Text in the section.
    text: str
    tokens: int
    topic: float
    trust: Trust


class ContextRequest(TypedDict):
    """A turn of a conversation for which memories are wanted. Nothing is required."""

    category_filter: NotRequired[list[Category]]
    #: Turns for which a shown memory rests, instead of the policy's number.
    cooldown_turns: NotRequired[int | None]
    #: True lets the words of the turn ("my", "our", "the docs") narrow the lanes, unless `lane_filter` names
    #: some; false does not; as the policy says when absent.
    intent: NotRequired[bool | None]
    lane_filter: NotRequired[list[Lane]]
    #: Memories in the section, instead of the policy's limit.
    max_memories: NotRequired[int | None]
    #: Tokens of the whole section, instead of the policy's limit.
    max_tokens: NotRequired[int | None]
    #: The conversation's own vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when
    #: absent. With `auto` the words of the turn choose the vault, and narrow the lanes.
    scope: NotRequired[str | None]
    #: True finds memories by their secondary lanes as well; a filter means the primary lane alone otherwise.
    secondary_lanes: NotRequired[bool]
    #: The conversation: with it, memories shown lately are not shown again, and its working memory comes
    #: first.
    session_id: NotRequired[str | None]
    #: Further vaults to ask, each by itself; memories from them are labelled.
    shared: NotRequired[list[str]]
    #: Only memories with all of these tags.
    tag_filter: NotRequired[list[str]]
    tier_filter: NotRequired[list[Tier]]
    time_range: NotRequired[TimeRange]
    #: Topics of the conversation: memories with these tags rank higher.
    topics: NotRequired[list[str]]
    #: The user's words; empty at the start of a conversation.
    turn: NotRequired[str]


class CorrectRequest(TypedDict):
    """The wrong memory, and the right text. Exactly one of `memory_id` and `about`."""

    #: Subject of the memory, in plain words: "where I live".
    about: NotRequired[str | None]
    #: The token of an earlier answer that asked about this very text.
    confirm: NotRequired[str | None]
    consent_basis: NotRequired[ConsentBasis | None]
    #: The right text. It passes the gate like every text.
    content: str
    memory_id: NotRequired[str | None]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class Corrected(TypedDict):
    """Result of a correction."""

    #: Memories that may be meant, the likeliest first: ask again with one of their ids.
    candidates: list[str]
    #: True if the other half of the old sentence lives on as a memory of its own.
    left_some: bool
    memory: NotRequired[Remembered | None]
    #: `corrected`; `waiting` when the new text waits for review; `which_one` when several may be meant, or
    #: none.
    outcome: str
    #: The receipt of its erasure: `GET /v1/receipts/{receipt}` returns all of it.
    receipt: NotRequired[str | None]
    #: The erased memory that it replaced.
    replaced: NotRequired[str | None]
    scope: str


class Decided(TypedDict):
    #: `accepted`, `edited`, `anonymised` or `rejected`.
    decided: str
    #: The memory that replaced it, when it was edited or anonymised.
    into: NotRequired[str | None]
    memory_id: str
    #: The receipt of the erasure of its earlier text, when it was anonymised.
    receipt: NotRequired[str | None]
    state: NotRequired[Lifecycle | None]
    #: Memories that were erased because this one replaces them.
    supersedes: NotRequired[list[str]]


class Decision(TypedDict):
    #: The corrected text, for `edit`.
    content: NotRequired[str | None]
    decision: Verb
    #: For `accept`: true keeps the older fact that it contradicts as well.
    keep_both: NotRequired[bool]
    memory_id: str


class Deferred(TypedDict):
    """Memories whose erasure waits for the end of a hold."""

    holds: list[str]
    memory_ids: list[str]
    #: The number of the recorded request.
    number: int
    until: str


class Detail(TypedDict):
    #: From 0 to 1.
    brightness: NotRequired[float]
    #: At most 200 characters.
    content: str


class Entity(TypedDict):
    name: str
    #: True if the memory is about it, rather than mentioning it.
    primary: NotRequired[bool]
    relation: NotRequired[str | None]
    #: Such as `person`, `place`, `organisation`.
    type: str


class ExpiryRequest(TypedDict):
    """Another expiry for memories."""

    #: The time at which they are gone; the rules alone decide when absent.
    expires_at: NotRequired[str | None]
    memory_ids: list[str]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class Explanation(TypedDict):
    """Reasons of a score."""

    #: The same with its neighbours in the conversation.
    context: float
    #: Features of the memory, each with its part in the relevance.
    features: list[Feature]
    #: The question's words that the memory says.
    matched: list[str]
    meaning: NotRequired[Meaning | None]
    recency: float
    #: Meaning and words together, before the rest shapes them.
    relevance: float
    salience: float
    second_meaning: NotRequired[Meaning | None]
    tags: float
    #: The memory's own words against the question's.
    words: float


class Export(TypedDict):
    """A link to an export. Nothing is stored for it: the export is made when the link is followed."""

    #: Memories that cannot be opened.
    damaged: int
    #: On this server. Anyone who has it can read the export until it expires, without any other token.
    download_url: str
    expires_at: str
    export_id: str
    generated_at: str
    #: Memories about health that it leaves out.
    health_left_out: int
    #: Records of the export at this moment.
    record_count: int
    #: The vault.
    scope: str
    total_size_bytes: int


class ExportRequest(TypedDict):
    """Options of an export. By default everything but health, as JSON."""

    #: All of them when empty.
    categories: NotRequired[list[Category]]
    format: NotRequired[ExportFormat]
    #: True includes memories about health.
    include_health: NotRequired[bool]
    #: Facets, sources, lineage and history, without which an import has to guess; true when absent.
    include_metadata: NotRequired[bool | None]
    #: The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: NotRequired[str | None]


class Facets(TypedDict):
    """Everything about a memory but its text."""

    category: Category
    consent_basis: ConsentBasis
    content_type: ContentType
    derived_from: list[Lineage]
    entities: list[Entity]
    expires_at: NotRequired[str | None]
    kind: PersonaKind
    lane: Lane
    pinned: bool
    privacy_class: PrivacyClass
    retention: RetentionTier
    salience: float
    secondary_lanes: list[Lane]
    sensitivity: list[Sensitivity]
    source: Source
    tags: list[str]
    tier: Tier
    valence: float


class Feature(TypedDict):
    #: The value by its weight, in log-odds.
    contribution: float
    name: str
    value: float


class ForgetConfirmation(TypedDict):
    """Confirmation of a plan."""

    #: Only the direct matches, not those that merely seem to be about it.
    direct_only: NotRequired[bool]
    #: Only these of the matches.
    only: NotRequired[list[str] | None]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    token: str


class ForgetFall(TypedDict):
    gist: str
    memory_id: str
    #: True if it is made anew from its other sources.
    rebuilt: bool


class ForgetMatch(TypedDict):
    #: `direct` states it, `indirect` only seems to be about it.
    closeness: str
    created_at: str
    gist: str
    #: Remaining text, when only a part goes.
    leaves: NotRequired[str | None]
    memory_id: str
    #: True for a match that goes only when the confirmation names it in `only`.
    offered: NotRequired[bool]
    reason: str


class ForgetPlan(TypedDict):
    """Plan of a request, or a question that must be answered first."""

    #: Number of confirmations that it needs.
    confirmations: int
    #: Derivatives of those memories: they are erased too, or made anew from their other sources.
    derived: list[ForgetFall]
    direct: int
    expires_at: NotRequired[str | None]
    falls: int
    indirect: int
    #: The part of the language model, where the plan asked one: `answered` or `unanswered`. Its proposals are
    #: offered.
    language_model: NotRequired[str | None]
    #: The first 500 matches.
    matches: list[ForgetMatch]
    mode: NotRequired[Mode | None]
    #: The nearest memories when no match is direct. They are no part of the plan: name their ids to forget
    #: them.
    nearest: NotRequired[list[ForgetMatch]]
    #: Matches that another person wrote, and that the caller may not erase.
    not_yours: int
    #: Matches that may be meant, and that go only when the confirmation names them in `only`.
    offered: NotRequired[int]
    #: `plan`, `unclear` or `which_one`.
    outcome: str
    #: The people of that name: ask again with `who`.
    people: NotRequired[list[Namesake]]
    #: Advice when the words were not understood.
    question: NotRequired[str | None]
    rebuilt: int
    scope: str
    #: Token to confirm with; absent when nothing matches.
    token: NotRequired[str | None]
    #: Working memories of running sessions, in RAM only, that go as well.
    working: int


class ForgetRequest(TypedDict):
    """Request to forget. Exactly one target; `after` and `before` go together."""

    #: Everything from this moment on.
    after: NotRequired[str | None]
    #: Everything before this moment.
    before: NotRequired[str | None]
    #: A person, place, organisation or thing by name.
    entity: NotRequired[str | None]
    #: Everything there is.
    everything: NotRequired[bool]
    memory_ids: NotRequired[list[str] | None]
    mode: NotRequired[Mode | None]
    #: Cut a memory that also says something else, instead of erasing all of it.
    partial: NotRequired[bool]
    #: With `entity`: only memories that are about it, not those that merely mention it.
    primary_only: NotRequired[bool]
    #: Words and meaning together, as a search.
    query: NotRequired[str | None]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    sensitivity: NotRequired[Sensitivity | None]
    session_id: NotRequired[str | None]
    source: NotRequired[SourceType | None]
    tags: NotRequired[list[str] | None]
    tier: NotRequired[Tier | None]
    #: Time zone of "yesterday", such as `Europe/Lisbon`; UTC when absent.
    time_zone: NotRequired[str | None]
    #: One of several people of the same name, counted from 1, as an earlier answer listed them.
    who: NotRequired[int | None]
    #: Plain words: "forget everything about my dentist", "clear all health information".
    words: NotRequired[str | None]


class Forgotten(TypedDict):
    """Result of forgetting, with the proof."""

    #: The audit entry that announced it.
    audit_seq: int
    #: Memories that live on without a part of their text.
    cut: list[Remade]
    deferred: NotRequired[Deferred | None]
    expires_at: NotRequired[str | None]
    #: Derivatives of those memories that were erased with them.
    fell: list[str]
    #: Memories that wait in the review, because they depend on an erased one.
    held_back: list[str]
    #: Memories that may still speak of it: by a short form, an attribute, by meaning, or in the same words.
    may_still_speak: NotRequired[list[str]]
    memory_ids: list[str]
    #: `done`, or `again`: erasing everything needs a second confirmation, with this token.
    outcome: str
    #: Memories that were made anew from their other sources.
    rebuilt: list[Remade]
    receipts: list[Receipt]
    #: Deadline for restoring, when it is hidden and not erased.
    restorable_until: NotRequired[str | None]
    scope: str
    token: NotRequired[str | None]


class FoundMemory(TypedDict):
    #: The author, in a vault that several people share.
    author: NotRequired[str | None]
    #: The summary that this turn of a compacted conversation stands behind; absent for active memories.
    behind: NotRequired[str | None]
    category: Category
    content: str
    content_type: ContentType
    created_at: str
    explanation: NotRequired[Explanation | None]
    #: True if it quotes a file, a web page or something else from outside.
    from_external_content: bool
    memory_id: str
    #: The object that its program gave it.
    metadata: NotRequired[dict[str, Any] | None]
    salience: float
    #: Rank by meaning, words, salience, recency and tags.
    score: float
    #: True if `content` is the gist, because the whole text did not fit into the tokens or is damaged.
    shortened: NotRequired[bool]
    #: Closeness in meaning, from 0 to 1, comparable across questions and models.
    similarity_score: float
    #: The label to show beside it, such as "noted by the assistant, not confirmed"; absent for the owner's
    #: own word.
    source_label: NotRequired[str | None]
    tags: list[str]
    #: `working` is known to its session only, and gone with it.
    tier: Tier
    #: Trust in its source. A program that shows it to an assistant should say so when it is not high.
    trust: Trust
    #: True if it is no closer to the question than some unrelated texts are; absent otherwise.
    weak: NotRequired[bool]


class FreezeRequest(TypedDict):
    frozen: bool
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class GateReport(TypedDict):
    """The gate's work on a text; never a word of it."""

    #: Other changes, as `field: rule`.
    changes: NotRequired[list[str]]
    #: True if a part was cut that stays when the text is sent with `consent_basis` `explicit-consent`: an
    #: address, or a number that a state gives to a person.
    consent_keeps: NotRequired[bool]
    #: The gate's judgements.
    judgements: list[Judgement]
    #: Secrets that were found.
    redactions: NotRequired[list[Redaction]]
    #: The rules by which it looks like an instruction to an assistant.
    suspicions: NotRequired[list[str]]
    #: True if the text was cut to fit.
    truncated: bool


class Health(TypedDict):
    status: str
    version: str


class Held(TypedDict):
    """A text that is held sealed until its owner consents. No search finds it."""

    #: The consents that it needs: sensitive categories, or `patterns`.
    categories: list[ConsentTopic]
    memory_id: str
    #: The time at which it is gone without a consent.
    until: str


ImportReport = TypedDict(
    "ImportReport",
    {
        "asked": "int",
        "changed": "int",
        "dry_run": "bool",
        "from": "str",
        "links_dropped": "int",
        "records": "NotRequired[list[Imported]]",
        "refused": "int",
        "repeated": "int",
        "scope": "str",
        "stored": "int",
        "unproven": "int",
        "waiting": "int",
    },
)


class Imported(TypedDict):
    """Result for one record."""

    #: True if something was removed from its text.
    changed: bool
    #: Reason of the refusal.
    code: NotRequired[str | None]
    #: Links to memories that are not here.
    links_dropped: int
    #: Its memory.
    memory_id: NotRequired[str | None]
    #: `stored`, `waiting` (stored, until a review), `repeated` (it was here), `asked` (not stored: it needs a
    #: person's confirmation) or `refused`.
    outcome: str
    #: Questions to confirm.
    questions: NotRequired[list[str]]
    reason: NotRequired[str | None]
    #: Its number in the file, from 1.
    record: int
    state: NotRequired[Lifecycle | None]
    #: True if this installation did not write the record as it stands: it has medium trust at most.
    unproven: bool
    waits: NotRequired[Wait | None]


class Judgement(TypedDict):
    #: From 0 to 1.
    confidence: float
    facet: str
    #: True if the caller's own value was used instead.
    overridden: bool
    #: The rule that matched.
    reason: str
    value: str


class Lineage(TypedDict):
    contribution: Contribution
    memory_id: str


class Meaning(TypedDict):
    cosine: float
    model: str
    similarity: float


class Memory(Facets):
    """One memory, whole."""

    #: Memories that say nearly the same, or may contradict it.
    alike: NotRequired[list[str]]
    #: The author, in a vault that several people share.
    author: NotRequired[str | None]
    content: str
    content_hash: str
    created_at: str
    details: list[Detail]
    gist: str
    #: Reason why its time ends at `expires_at`: a category, a tier, a rule of its owner.
    kept_because: NotRequired[str | None]
    memory_id: str
    #: The object that its program gave it.
    metadata: NotRequired[dict[str, Any] | None]
    promotion: NotRequired[Promotion | None]
    #: Number of times that the same text was written again.
    repeats: int
    #: The vault that it is in.
    scope: str
    #: The label to show beside it, such as "noted by the assistant, not confirmed"; absent for the owner's
    #: own word.
    source_label: NotRequired[str | None]
    state: Lifecycle
    #: Erased memories that it replaced.
    supersedes: NotRequired[list[str]]
    updated_at: str
    waits: NotRequired[Wait | None]


class MemoryPage(TypedDict):
    """One page of a list, newest first."""

    memories: list[MemorySummary]
    #: Pass it as `cursor` to get the next page; absent on the last one.
    next_cursor: NotRequired[str | None]
    #: The vault that was listed.
    scope: str


class MemorySummary(TypedDict):
    """A memory on a list: its gist, and its full text where the call asks for it."""

    #: The author, in a vault that several people share.
    author: NotRequired[str | None]
    category: Category
    #: The full text, with `full=true`.
    content: NotRequired[str | None]
    content_type: ContentType
    created_at: str
    #: The time until which it is kept; absent when nothing ends its time.
    expires_at: NotRequired[str | None]
    gist: str
    #: Reason why its time ends: a category, a tier, a rule of its owner.
    kept_because: NotRequired[str | None]
    memory_id: str
    #: The object that its program gave it.
    metadata: NotRequired[dict[str, Any] | None]
    salience: float
    #: True if `content` is the gist, because the whole text is damaged.
    shortened: NotRequired[bool]
    #: The label to show beside it; absent for the owner's own word.
    source_label: NotRequired[str | None]
    state: Lifecycle
    tags: list[str]


class MemoryToolAnswer(TypedDict):
    """The tool's answer to the model."""

    #: The content of the tool's result.
    content: str
    #: True if it is to be sent as an error.
    is_error: bool


#: A command as the model sends it.
MemoryToolCommand: TypeAlias = Union[
    "MemoryToolCommandView",
    "MemoryToolCommandCreate",
    "MemoryToolCommandStrReplace",
    "MemoryToolCommandInsert",
    "MemoryToolCommandDelete",
    "MemoryToolCommandRename",
]


class MemoryToolCommandCreate(TypedDict):
    """Make a new file."""

    command: Literal["create"]
    file_text: str
    path: str


class MemoryToolCommandDelete(TypedDict):
    """Erase a file or a folder."""

    command: Literal["delete"]
    path: str


class MemoryToolCommandInsert(TypedDict):
    """Put a text after a line; after line 0 is at the top."""

    command: Literal["insert"]
    insert_line: int
    insert_text: str
    path: str


class MemoryToolCommandRename(TypedDict):
    """Move a file or a folder."""

    command: Literal["rename"]
    new_path: str
    old_path: str


class MemoryToolCommandStrReplace(TypedDict):
    """Put a text in the place of another, which must stand there once."""

    command: Literal["str_replace"]
    new_str: NotRequired[str]
    old_str: str
    path: str


class MemoryToolCommandView(TypedDict):
    """Show a file with line numbers, or what is in a folder."""

    command: Literal["view"]
    path: str
    #: The first and the last line; -1 is the end.
    view_range: NotRequired[list[int] | None]


class MoveRequest(TypedDict):
    """Target of a move."""

    #: The reason, in at most 500 characters. It is sealed with the memory and stands in no log and no audit
    #: entry.
    justification: NotRequired[str | None]
    #: Its author's yes to sharing a memory about health, money, belief or biometrics; without it, such a one
    #: stays.
    lift_sensitivity: NotRequired[bool]
    #: Its present scope: `user`, `team:NAME` or `org`; the caller's own vault when absent.
    scope: NotRequired[str | None]
    #: `team:NAME` or `org` to promote; `team:NAME` or `user:NAME` to demote.
    to: str


class Moved(TypedDict):
    """Result of a move."""

    #: Its id in the new scope.
    memory_id: str
    #: Its id in the old scope.
    previous_id: str
    promotion: Promotion
    scope: str
    #: `active`; `candidate` if it waits for approval, as a direct write there would; `approved` during a
    #: grace period.
    state: Lifecycle


class NamedReceipt(TypedDict):
    at: str
    receipt: str


class Namesake(TypedDict):
    """One of several people of one name."""

    label: str
    memories: int
    who: int


class NamespaceList(TypedDict):
    """Namespaces that hold records, in order."""

    namespaces: list[list[str]]
    scope: str


class NamespacesRequest(TypedDict):
    """A question for namespaces."""

    #: Namespaces in the answer; 100 when absent.
    limit: NotRequired[int | None]
    #: Labels that are shown of each.
    max_depth: NotRequired[int | None]
    offset: NotRequired[int]
    #: The first labels, where `*` is any.
    prefix: NotRequired[list[str]]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    #: The last labels, where `*` is any.
    suffix: NotRequired[list[str]]


class NewTurn(TypedDict):
    """One turn, or a piece of one that is still being said."""

    #: Time at which it was said, if not now.
    at: NotRequired[str | None]
    #: The token of an earlier answer that asked about this very text.
    confirm: NotRequired[str | None]
    #: True if it quotes a file, a web page or something else from outside.
    from_external_content: NotRequired[bool]
    message_id: NotRequired[str | None]
    #: True if more pieces of the turn follow. The turn is stored with its last one.
    partial: NotRequired[bool]
    #: The position of a piece among those of its turn, from 0.
    piece: NotRequired[int | None]
    role: Speaker
    text: str
    #: The tool whose output it is.
    tool: NotRequired[str | None]


#: Result for one text of a batch.
Outcome: TypeAlias = Union["OutcomeStored", "OutcomeAsked", "OutcomeRefused"]


class OutcomeAsked(TypedDict):
    """A text that is not stored until it is confirmed."""

    #: Send the same text again with this as `confirm`.
    confirm: str
    expires_at: str
    gate: GateReport
    held: NotRequired[Held | None]
    outcome: Literal["asked"]
    #: `possible_secret` or `consent`.
    questions: list[str]


class OutcomeRefused(TypedDict):
    """A text that the gate refused."""

    #: One of the codes of docs/errors.md.
    code: str
    gate: GateReport
    outcome: Literal["refused"]
    reason: str


class OutcomeStored(TypedDict):
    """Result for one text."""

    #: Memories that say nearly the same, or may contradict it.
    alike: NotRequired[list[str]]
    #: The time from which its owner is asked whether to keep it.
    asks_at: NotRequired[str | None]
    #: `sha256:` and the digest of the text as it was stored.
    content_hash: str
    created_at: str
    #: True if it can be found by meaning from now on.
    embedding_generated: bool
    #: The model of that embedding; a better one may follow in the background.
    embedding_model: str
    #: The gate's work on the text.
    gate: GateReport
    held: NotRequired[Held | None]
    #: True for a note of an assistant: it is found, labelled as not confirmed, and is no fact.
    is_note: NotRequired[bool]
    #: Reason why its time ends: a category, a tier, a rule of its owner.
    kept_because: NotRequired[str | None]
    #: The time until which it is kept; absent when nothing ends its time, or when it was there before.
    kept_until: NotRequired[str | None]
    lane: Lane
    memory_id: str
    outcome: Literal["stored"]
    privacy_class: PrivacyClass
    #: Number of times that this very text had been written before; above 0 nothing new was stored.
    repeats: int
    salience: float
    #: The vault that it is in.
    scope: str
    sensitivity: list[Sensitivity]
    #: `candidate` waits for a review, `approved` for its grace period; only `active` is found.
    state: Lifecycle
    #: Memories that were erased because this one replaces them.
    supersedes: NotRequired[list[str]]
    #: `working` is held in RAM until its session ends, and stored nowhere.
    tier: Tier
    waits: NotRequired[Wait | None]


class PinRequest(TypedDict):
    """Memories to pin, or to unpin."""

    #: From 1 to 1,000; all of them, or none.
    memory_ids: list[str]
    pinned: bool
    #: The vault they are in; the caller's own when absent.
    scope: NotRequired[str | None]


class Problem(TypedDict):
    """A failure and its remedy. `code` is stable; the texts are for people."""

    asked: NotRequired[Asked | None]
    #: The stable name of the error; docs/errors.md lists them all.
    code: str
    #: Details of this case.
    detail: str
    #: The field at fault.
    field: NotRequired[str | None]
    gate: NotRequired[GateReport | None]
    #: The next step for the caller.
    remedy: str
    #: The id of the request, as in the header `X-Request-Id`; the log has it as well.
    request_id: NotRequired[str | None]
    status: int
    #: The meaning of the code.
    title: str


class Promotion(TypedDict):
    """Move of a memory from one scope into another."""

    current_scope: str
    justification: NotRequired[str | None]
    original_author_id: str
    original_created_at: str
    previous_scope: str
    promoted_at: str
    promoted_by_id: str


class Receipt(TypedDict):
    """The proof of an erasure. It records the act and never the erased content; `signature` is Ed25519
    over all the rest, under `key`."""

    at: str
    audit_hash: str
    #: Position of the audit chain after the commit that announced it.
    audit_seq: int
    #: Full backups that still hold copies, and until when.
    backups: list[ReceiptBackup]
    cause: Cause
    counts: ReceiptCounts
    key: str
    #: One hash over the ids of all erased memories.
    memories_hash: str
    #: Method that made it unreadable.
    method: str
    mode: Mode
    number: int
    org: str
    #: Searches made afterwards, and their results.
    probes: list[ReceiptProbe]
    #: As people quote it: `DEL-2026-000123`.
    receipt: str
    request: NotRequired[int | None]
    #: Hashes of the target, under a key that only the vault has.
    scope_hashes: list[str]
    signature: str
    #: Kind of target: ids, subject, session and so on.
    target: Named
    #: The vault, as 32 hex digits.
    vault: str


class ReceiptBackup(TypedDict):
    number: int
    until: str


class ReceiptCounts(TypedDict):
    cut: int
    direct: int
    fell: int
    held_back: int
    indirect: int
    keys_destroyed: int
    rebuilt: int


class ReceiptList(TypedDict):
    """Receipts, oldest first."""

    #: The key that signs this installation's receipts. Keep it apart from them.
    key: str
    receipts: list[Receipt]
    scope: str


class ReceiptProbe(TypedDict):
    found: int
    looked_for: int
    path: ProbePath


class RecordBatchKept(TypedDict):
    """Records that were put at their places, in the order given."""

    records: list[RecordKept]
    scope: str


class RecordBatchRequest(TypedDict):
    """Values for several places, all of them in one commit, or none."""

    records: list[RecordPutRequest]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class RecordEraseRequest(TypedDict):
    """Records to erase: all under a namespace that meet a condition."""

    #: A condition on the metadata; all of them when absent.
    filter: NotRequired[dict[str, Any] | None]
    #: The first labels of their namespaces.
    namespace_prefix: list[str]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class RecordKept(TypedDict):
    """A record that was put at its place."""

    created_at: str
    expires_at: NotRequired[str | None]
    #: True when nothing stood at its place.
    is_new: bool
    #: It stays when the value changes.
    record_id: str
    updated_at: str


class RecordPage(TypedDict):
    """A page of records."""

    #: Pass it as `offset` to get the next page; absent on the last one.
    next_offset: NotRequired[int | None]
    records: list[StoredRecord]
    scope: str
    #: The number of all records that meet the conditions.
    total: int


class RecordPutRequest(TypedDict):
    """A value with its place."""

    consent_basis: NotRequired[ConsentBasis | None]
    #: Paths to the text that it is searched by; every text of the value when absent, none when empty.
    index: NotRequired[list[str] | None]
    keep_possible_secrets: NotRequired[bool]
    key: str
    #: An object of your own, up to 16 KiB, to filter by.
    metadata: NotRequired[dict[str, Any] | None]
    #: The labels of the namespace, the widest first.
    namespace: list[str]
    source: NotRequired[Source | None]
    #: Seconds until it is gone; it stays when absent.
    ttl_seconds: NotRequired[float | None]
    #: Any JSON value, up to 1 MiB. It is kept as it is written, or refused.
    value: Any


class RecordRequest(TypedDict):
    """A value for a place."""

    consent_basis: NotRequired[ConsentBasis | None]
    #: Paths to the text that it is searched by, such as `title` or `turns[*].text`; every text of the value
    #: when absent, none when empty.
    index: NotRequired[list[str] | None]
    #: True when texts that look like secrets are none, such as ids. Certain secrets are refused all the same.
    keep_possible_secrets: NotRequired[bool]
    #: An object of your own, up to 16 KiB, to filter by.
    metadata: NotRequired[dict[str, Any] | None]
    source: NotRequired[Source | None]
    #: Seconds until it is gone, from this write or the last refreshing on; it stays when absent.
    ttl_seconds: NotRequired[float | None]
    #: Any JSON value, up to 1 MiB. It is kept as it is written, or refused.
    value: Any


class RecordSearchRequest(TypedDict):
    """A search for records."""

    #: A condition on the metadata: `{"colour": "red", "score": {"$gte": 4}}`, with `$eq $ne $gt $gte $lt $lte
    #: $in $nin $contains $icontains $exists`, and `AND`, `OR`, `NOT`.
    filter: NotRequired[dict[str, Any] | None]
    #: Records in the answer; 10 when absent.
    limit: NotRequired[int | None]
    #: Leave out records that are less similar to the question.
    min_similarity: NotRequired[float | None]
    #: The first labels of the namespaces to search; all when absent.
    namespace_prefix: NotRequired[list[str]]
    #: Records to pass over.
    offset: NotRequired[int]
    #: Find by words and meaning; the last written come first when absent.
    query: NotRequired[str | None]
    #: Let the time to live of what is found begin anew.
    refresh_ttl: NotRequired[bool]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    #: A condition on the value, in the same words.
    value_filter: NotRequired[dict[str, Any] | None]


class RecordTtlRequest(TypedDict):
    """Another time to live for a record."""

    key: str
    namespace: list[str]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    #: Seconds from now on; it stays when absent.
    ttl_seconds: NotRequired[float | None]


class Redaction(TypedDict):
    end: int
    field: str
    #: `definite`, `probable` or `possible`.
    level: str
    #: True if it was removed.
    removed: bool
    rule: str
    #: The first character and the one after the last, in the field as it was sent.
    start: int


class Remade(TypedDict):
    memory_id: str
    previous_id: str


class RememberBatch(TypedDict):
    """Many memories. A field out of bounds refuses all of them; the rules of the gate decide one by one."""

    #: From 1 to 2,000.
    memories: list[RememberRequest]
    #: The vault to write all of them to; the caller's own when absent.
    scope: NotRequired[str | None]


class RememberRequest(TypedDict):
    """A text to remember. Only `content` is required."""

    category: NotRequired[Category | None]
    #: The `confirm` of an earlier answer that asked about this very text.
    confirm: NotRequired[str | None]
    consent_basis: NotRequired[ConsentBasis | None]
    #: The text. Beyond 10,000 characters it is cut and marked; transcripts may have 1,000,000.
    content: str
    content_type: NotRequired[ContentType | None]
    #: Time of the event; the moment of writing when absent.
    created_at: NotRequired[str | None]
    derived_from: NotRequired[list[Lineage]]
    details: NotRequired[list[Detail]]
    entities: NotRequired[list[Entity]]
    expires_at: NotRequired[str | None]
    #: True refuses a text that holds a secret, instead of storing it without.
    fail_on_secret: NotRequired[bool]
    #: Its core in at most 280 characters; made from the text when absent.
    gist: NotRequired[str | None]
    kind: NotRequired[PersonaKind | None]
    lane: NotRequired[Lane | None]
    #: An object of your own, up to 16 KiB, to filter by. It is kept as it is written, or refused.
    metadata: NotRequired[dict[str, Any] | None]
    pinned: NotRequired[bool]
    privacy_class: NotRequired[PrivacyClass | None]
    retention: NotRequired[RetentionTier | None]
    #: Importance from 0 to 1; judged from the text when absent.
    salience: NotRequired[float | None]
    #: The vault to write to: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: NotRequired[str | None]
    secondary_lanes: NotRequired[list[Lane]]
    sensitivity: NotRequired[list[Sensitivity]]
    source: NotRequired[Source | None]
    tags: NotRequired[list[str]]
    tier: NotRequired[Tier | None]
    #: Pleasantness, from -1 to 1.
    valence: NotRequired[float | None]


class Remembered(TypedDict):
    """Result for one text."""

    #: Memories that say nearly the same, or may contradict it.
    alike: NotRequired[list[str]]
    #: The time from which its owner is asked whether to keep it.
    asks_at: NotRequired[str | None]
    #: `sha256:` and the digest of the text as it was stored.
    content_hash: str
    created_at: str
    #: True if it can be found by meaning from now on.
    embedding_generated: bool
    #: The model of that embedding; a better one may follow in the background.
    embedding_model: str
    #: The gate's work on the text.
    gate: GateReport
    held: NotRequired[Held | None]
    #: True for a note of an assistant: it is found, labelled as not confirmed, and is no fact.
    is_note: NotRequired[bool]
    #: Reason why its time ends: a category, a tier, a rule of its owner.
    kept_because: NotRequired[str | None]
    #: The time until which it is kept; absent when nothing ends its time, or when it was there before.
    kept_until: NotRequired[str | None]
    lane: Lane
    memory_id: str
    privacy_class: PrivacyClass
    #: Number of times that this very text had been written before; above 0 nothing new was stored.
    repeats: int
    salience: float
    #: The vault that it is in.
    scope: str
    sensitivity: list[Sensitivity]
    #: `candidate` waits for a review, `approved` for its grace period; only `active` is found.
    state: Lifecycle
    #: Memories that were erased because this one replaces them.
    supersedes: NotRequired[list[str]]
    #: `working` is held in RAM until its session ends, and stored nowhere.
    tier: Tier
    waits: NotRequired[Wait | None]


class RememberedBatch(TypedDict):
    """Results of a batch, in its order."""

    memories: list[Outcome]
    scope: str


class ReplaceRequest(TypedDict):
    """A text that takes the place of a memory. What is not sent stays as it was."""

    #: The token of an earlier answer that asked about this very text.
    confirm: NotRequired[str | None]
    consent_basis: NotRequired[ConsentBasis | None]
    #: The new text. It passes the gate like every text.
    content: str
    expires_at: NotRequired[str | None]
    #: An object of your own, up to 16 KiB, to filter by; `{}` takes the old one away.
    metadata: NotRequired[dict[str, Any] | None]
    source: NotRequired[Source | None]
    tags: NotRequired[list[str] | None]


class ReviewPage(TypedDict):
    """Memories that wait for a decision, newest first."""

    #: Results of `anonymise` for memories that depend on a forgotten one, where it is possible.
    anonymous: list[AnonymousForm]
    memories: list[Memory]
    next_cursor: NotRequired[str | None]
    scope: str


class ReviewRequest(TypedDict):
    """Decisions about memories that wait, carried out in their order."""

    #: True accepts every note and everything that waits for confirmation only. Send no decisions with it.
    accept_all: NotRequired[bool]
    #: From 1 to 1,000, unless `accept_all` is set.
    decisions: NotRequired[list[Decision]]
    #: The vault they are in; the caller's own when absent.
    scope: NotRequired[str | None]


class Reviewed(TypedDict):
    """Results of the decisions, in their order."""

    decided: list[Decided]
    scope: str


class ScopeList(TypedDict):
    """Vaults, in the words that every call takes for its scope."""

    scopes: list[str]


class SearchRequest(TypedDict):
    """A question. Only `query` is required."""

    #: The moment from which "yesterday" and "last Friday" in the question count; now when absent.
    as_of: NotRequired[str | None]
    category_filter: NotRequired[list[Category]]
    #: True adds the reasons of every score.
    explain: NotRequired[bool]
    #: A condition on `metadata`, such as `{"project": "halcyon", "score": {"$gte": 4}}`; `created_at`,
    #: `updated_at` and `expires_at` are compared too.
    filter: NotRequired[dict[str, Any] | None]
    include_archived: NotRequired[bool]
    #: True lets the words of the question ("my", "our", "the docs") narrow the lanes, unless `lane_filter`
    #: names some; false does not; as the policy says when absent.
    intent: NotRequired[bool | None]
    lane_filter: NotRequired[list[Lane]]
    #: Memories at most; when absent, ten of events and twenty of facts.
    max_results: NotRequired[int | None]
    #: Tokens of all texts together; 4,000 when absent.
    max_tokens: NotRequired[int | None]
    #: From 0 to 1; the same value means the same under every model.
    min_similarity: NotRequired[float | None]
    #: Tags that raise a memory which bears them.
    prefer_tags: NotRequired[list[str]]
    query: str
    #: Weight of recency, from 0 to 1; 0.3 when absent.
    recency_weight: NotRequired[float | None]
    #: True counts found memories as rehearsed, so that they fade later.
    rehearse: NotRequired[bool]
    #: The vault to search: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    #: With `auto` the words of the question choose the vault, and narrow the lanes.
    scope: NotRequired[str | None]
    #: True finds memories by their secondary lanes as well; a filter means the primary lane alone otherwise.
    secondary_lanes: NotRequired[bool]
    #: The session under way: its working memory takes part.
    session: NotRequired[str | None]
    session_id: NotRequired[str | None]
    #: True leaves out weak hits; otherwise the best are always shown, however weak.
    strong_only: NotRequired[bool]
    #: Only memories with all of these tags.
    tag_filter: NotRequired[list[str]]
    tier_filter: NotRequired[list[Tier]]
    time_range: NotRequired[TimeRange]


class SearchResponse(TypedDict):
    """Found memories, best first."""

    #: Memories that could not be searched because they are damaged.
    damaged: int
    #: Advice when nothing was found.
    hint: NotRequired[str | None]
    #: Memories that were found and did not fit into the tokens.
    left_out: int
    memories: list[FoundMemory]
    #: The models whose vectors took part; empty when only words did.
    models: list[str]
    query_time_ms: float
    #: The vault that was searched.
    scope: str
    total_searched: int
    understood: NotRequired[Understood | None]


class Session(TypedDict):
    """A conversation."""

    began_at: str
    #: Time of its last turn.
    last_at: str
    next_turn: int
    #: The vault that it is remembered in.
    scope: str
    session_id: str
    state: SessionState
    #: The memories that hold its sealed transcripts.
    transcripts: list[str]
    #: Number of turns shown.
    turn_count: int


class SessionEnded(Session):
    """A session that has ended."""

    #: The transcripts that were made now; none when it had ended before.
    archived: list[str]


class SessionPage(TypedDict):
    """One page of a list of sessions, the last used first."""

    #: Pass it as `cursor` to get the next page; absent on the last one.
    next_cursor: NotRequired[str | None]
    #: The vault that was listed.
    scope: str
    sessions: list[Session]


class SessionRequest(TypedDict):
    """A session to start, or to go on with."""

    #: The vault that it is remembered in; the caller's own when absent.
    scope: NotRequired[str | None]
    #: The caller's own name for it; one is made when absent.
    session_id: NotRequired[str | None]


class SessionShown(Session):
    """A session with some of its turns, in their order."""

    #: Pass it as `cursor` to get the next page; absent on the last one.
    next_cursor: NotRequired[str | None]
    turns: list[Turn]


class Source(TypedDict):
    """Source of a memory."""

    channel: NotRequired[str | None]
    deployment: NotRequired[str | None]
    from_external_content: NotRequired[bool]
    message_id: NotRequired[str | None]
    session_id: NotRequired[str | None]
    tool: NotRequired[str | None]
    trust: NotRequired[Trust | None]
    turn: NotRequired[int | None]
    type: NotRequired[SourceType | None]


class StateRequest(TypedDict):
    """Memories to move to another state."""

    #: From 1 to 1,000; all of them move, or none.
    memory_ids: list[str]
    #: The vault they are in; the caller's own when absent.
    scope: NotRequired[str | None]
    #: `deleted` hides, `active` restores, `archived` sets aside.
    state: Lifecycle


class StoredRecord(TypedDict):
    """A record."""

    created_at: str
    expires_at: NotRequired[str | None]
    key: str
    metadata: NotRequired[dict[str, Any] | None]
    namespace: list[str]
    #: It stays when the value changes.
    record_id: str
    #: The rank in this answer, from 0 to 1; absent without a question, or without a text to search.
    score: NotRequired[float | None]
    #: The similarity to the question, comparable across questions.
    similarity: NotRequired[float | None]
    updated_at: str
    value: Any


class TimeRange(TypedDict):
    """From `after` (inclusive) to `before` (exclusive)."""

    after: NotRequired[str | None]
    before: NotRequired[str | None]


class Token(TypedDict):
    """A token without its secret."""

    created_at: str
    expires_at: NotRequired[str | None]
    label: str
    #: Operations that a service may carry out for people.
    operations: NotRequired[list[Operation]]
    revoked_at: NotRequired[str | None]
    roles: list[Role]
    token_id: str
    user: str
    #: Sensitive categories that it is not for.
    without: NotRequired[list[Sensitivity]]


class TokenCreated(Token):
    """A new token with its secret, which is shown this once."""

    #: Send it as `Authorization: Bearer …`. It cannot be shown again.
    secret: str


class TokenList(TypedDict):
    tokens: list[Token]


class TokenRequest(TypedDict):
    """Settings of a new token."""

    expires_at: NotRequired[str | None]
    label: NotRequired[str]
    #: Operations that a token of the role `service` may carry out for people; other roles have none.
    operations: NotRequired[list[Operation]]
    roles: list[Role]
    #: The user whom the bearer speaks for.
    user: str
    #: Sensitive categories that the token is not for: their memories look missing to its bearer. For the
    #: roles `agent`, `reader` and `service`.
    without: NotRequired[list[Sensitivity]]


class Turn(TypedDict):
    """A turn as it was said, and as the gate let it in."""

    at: str
    memory_id: str
    role: Speaker
    state: Lifecycle
    text: str
    tool: NotRequired[str | None]
    turn: int


class Understood(TypedDict):
    """Interpretation of the words of a question."""

    #: True if the words are ambiguous, so that an assistant should ask back.
    ask: bool
    #: The phrases that led to it; none when no rule matched.
    because: list[str]
    #: Next question, or ways to search further.
    broaden: list[str]
    lane: NotRequired[Lane | None]
    #: True if only that lane was searched.
    narrowed: bool
    scope: NotRequired[Reach | None]


class VaultState(TypedDict):
    """State of a vault for writes."""

    #: Time since which writes are refused; absent while they are taken.
    frozen_since: NotRequired[str | None]
    scope: str


class VerifiedForgotten(TypedDict):
    """Remaining memories about a subject, and earlier requests to forget it."""

    #: Memories that state it, and memories that may still speak of it: by a short form of a name, by an
    #: attribute or by meaning.
    direct: list[str]
    #: True if no memory states it and none may still speak of it.
    forgotten: bool
    indirect: list[str]
    #: Requests to forget the very same, newest first.
    receipts: list[NamedReceipt]
    scope: str


class VerifyForgotten(TypedDict):
    """Subject of a check for remaining memories."""

    #: A question or a subject: "Do you remember anything about my diabetes?", "my diabetes".
    about: str
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class RememberOptions(TypedDict):
    """Options of RememberRequest."""

    category: NotRequired[Category | None]
    #: The `confirm` of an earlier answer that asked about this very text.
    confirm: NotRequired[str | None]
    consent_basis: NotRequired[ConsentBasis | None]
    content_type: NotRequired[ContentType | None]
    #: Time of the event; the moment of writing when absent.
    created_at: NotRequired[str | None]
    derived_from: NotRequired[list[Lineage]]
    details: NotRequired[list[Detail]]
    entities: NotRequired[list[Entity]]
    expires_at: NotRequired[str | None]
    #: True refuses a text that holds a secret, instead of storing it without.
    fail_on_secret: NotRequired[bool]
    #: Its core in at most 280 characters; made from the text when absent.
    gist: NotRequired[str | None]
    kind: NotRequired[PersonaKind | None]
    lane: NotRequired[Lane | None]
    #: An object of your own, up to 16 KiB, to filter by. It is kept as it is written, or refused.
    metadata: NotRequired[dict[str, Any] | None]
    pinned: NotRequired[bool]
    privacy_class: NotRequired[PrivacyClass | None]
    retention: NotRequired[RetentionTier | None]
    #: Importance from 0 to 1; judged from the text when absent.
    salience: NotRequired[float | None]
    #: The vault to write to: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: NotRequired[str | None]
    secondary_lanes: NotRequired[list[Lane]]
    sensitivity: NotRequired[list[Sensitivity]]
    source: NotRequired[Source | None]
    tags: NotRequired[list[str]]
    tier: NotRequired[Tier | None]
    #: Pleasantness, from -1 to 1.
    valence: NotRequired[float | None]


class SearchOptions(TypedDict):
    """Options of SearchRequest."""

    #: The moment from which "yesterday" and "last Friday" in the question count; now when absent.
    as_of: NotRequired[str | None]
    category_filter: NotRequired[list[Category]]
    #: True adds the reasons of every score.
    explain: NotRequired[bool]
    #: A condition on `metadata`, such as `{"project": "halcyon", "score": {"$gte": 4}}`; `created_at`,
    #: `updated_at` and `expires_at` are compared too.
    filter: NotRequired[dict[str, Any] | None]
    include_archived: NotRequired[bool]
    #: True lets the words of the question ("my", "our", "the docs") narrow the lanes, unless `lane_filter`
    #: names some; false does not; as the policy says when absent.
    intent: NotRequired[bool | None]
    lane_filter: NotRequired[list[Lane]]
    #: Memories at most; when absent, ten of events and twenty of facts.
    max_results: NotRequired[int | None]
    #: Tokens of all texts together; 4,000 when absent.
    max_tokens: NotRequired[int | None]
    #: From 0 to 1; the same value means the same under every model.
    min_similarity: NotRequired[float | None]
    #: Tags that raise a memory which bears them.
    prefer_tags: NotRequired[list[str]]
    #: Weight of recency, from 0 to 1; 0.3 when absent.
    recency_weight: NotRequired[float | None]
    #: True counts found memories as rehearsed, so that they fade later.
    rehearse: NotRequired[bool]
    #: The vault to search: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    #: With `auto` the words of the question choose the vault, and narrow the lanes.
    scope: NotRequired[str | None]
    #: True finds memories by their secondary lanes as well; a filter means the primary lane alone otherwise.
    secondary_lanes: NotRequired[bool]
    #: The session under way: its working memory takes part.
    session: NotRequired[str | None]
    session_id: NotRequired[str | None]
    #: True leaves out weak hits; otherwise the best are always shown, however weak.
    strong_only: NotRequired[bool]
    #: Only memories with all of these tags.
    tag_filter: NotRequired[list[str]]
    tier_filter: NotRequired[list[Tier]]
    time_range: NotRequired[TimeRange]


class ContextOptions(TypedDict):
    """Options of ContextRequest."""

    category_filter: NotRequired[list[Category]]
    #: Turns for which a shown memory rests, instead of the policy's number.
    cooldown_turns: NotRequired[int | None]
    #: True lets the words of the turn ("my", "our", "the docs") narrow the lanes, unless `lane_filter` names
    #: some; false does not; as the policy says when absent.
    intent: NotRequired[bool | None]
    lane_filter: NotRequired[list[Lane]]
    #: Memories in the section, instead of the policy's limit.
    max_memories: NotRequired[int | None]
    #: Tokens of the whole section, instead of the policy's limit.
    max_tokens: NotRequired[int | None]
    #: The conversation's own vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when
    #: absent. With `auto` the words of the turn choose the vault, and narrow the lanes.
    scope: NotRequired[str | None]
    #: True finds memories by their secondary lanes as well; a filter means the primary lane alone otherwise.
    secondary_lanes: NotRequired[bool]
    #: The conversation: with it, memories shown lately are not shown again, and its working memory comes
    #: first.
    session_id: NotRequired[str | None]
    #: Further vaults to ask, each by itself; memories from them are labelled.
    shared: NotRequired[list[str]]
    #: Only memories with all of these tags.
    tag_filter: NotRequired[list[str]]
    tier_filter: NotRequired[list[Tier]]
    time_range: NotRequired[TimeRange]
    #: Topics of the conversation: memories with these tags rank higher.
    topics: NotRequired[list[str]]


class CorrectOptions(TypedDict):
    """Options of CorrectRequest."""

    #: Subject of the memory, in plain words: "where I live".
    about: NotRequired[str | None]
    #: The token of an earlier answer that asked about this very text.
    confirm: NotRequired[str | None]
    consent_basis: NotRequired[ConsentBasis | None]
    memory_id: NotRequired[str | None]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class ReplaceOptions(TypedDict):
    """Options of ReplaceRequest."""

    #: The token of an earlier answer that asked about this very text.
    confirm: NotRequired[str | None]
    consent_basis: NotRequired[ConsentBasis | None]
    expires_at: NotRequired[str | None]
    #: An object of your own, up to 16 KiB, to filter by; `{}` takes the old one away.
    metadata: NotRequired[dict[str, Any] | None]
    source: NotRequired[Source | None]
    tags: NotRequired[list[str] | None]


class ForgetOptions(TypedDict):
    """Options of ForgetRequest."""

    #: Everything from this moment on.
    after: NotRequired[str | None]
    #: Everything before this moment.
    before: NotRequired[str | None]
    #: A person, place, organisation or thing by name.
    entity: NotRequired[str | None]
    #: Everything there is.
    everything: NotRequired[bool]
    memory_ids: NotRequired[list[str] | None]
    mode: NotRequired[Mode | None]
    #: Cut a memory that also says something else, instead of erasing all of it.
    partial: NotRequired[bool]
    #: With `entity`: only memories that are about it, not those that merely mention it.
    primary_only: NotRequired[bool]
    #: Words and meaning together, as a search.
    query: NotRequired[str | None]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    sensitivity: NotRequired[Sensitivity | None]
    session_id: NotRequired[str | None]
    source: NotRequired[SourceType | None]
    tags: NotRequired[list[str] | None]
    tier: NotRequired[Tier | None]
    #: Time zone of "yesterday", such as `Europe/Lisbon`; UTC when absent.
    time_zone: NotRequired[str | None]
    #: One of several people of the same name, counted from 1, as an earlier answer listed them.
    who: NotRequired[int | None]


class ConfirmOptions(TypedDict):
    """Options of ForgetConfirmation."""

    #: Only the direct matches, not those that merely seem to be about it.
    direct_only: NotRequired[bool]
    #: Only these of the matches.
    only: NotRequired[list[str] | None]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]


class ExportOptions(TypedDict):
    """Options of ExportRequest."""

    #: All of them when empty.
    categories: NotRequired[list[Category]]
    format: NotRequired[ExportFormat]
    #: True includes memories about health.
    include_health: NotRequired[bool]
    #: Facets, sources, lineage and history, without which an import has to guess; true when absent.
    include_metadata: NotRequired[bool | None]
    #: The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: NotRequired[str | None]


class CompactOptions(TypedDict):
    """Options of CompactRequest."""

    #: Only turns from before this moment.
    before: NotRequired[str | None]
    #: Report what would be compacted, and change nothing.
    dry_run: NotRequired[bool]
    #: Compact even below the thresholds.
    force: NotRequired[bool]
    #: The vault; the caller's own when absent.
    scope: NotRequired[str | None]
    #: Only turns of this session; its last ones stay, unless `before` is given.
    session: NotRequired[str | None]


class ListOptions(TypedDict):
    """Options of list_memories."""

    #: The `next_cursor` of the page before.
    cursor: NotRequired[str]
    #: Memories on one page; 50 when absent.
    limit: NotRequired[int]
    #: May repeat.
    category: NotRequired[list[Category]]
    #: May repeat.
    tier: NotRequired[list[Tier]]
    #: May repeat.
    lane: NotRequired[list[Lane]]
    #: True finds memories by their secondary lanes as well.
    secondary_lanes: NotRequired[bool]
    #: May repeat: only memories with all of them.
    tag: NotRequired[list[str]]
    session_id: NotRequired[str]
    #: Created at this time or later.
    after: NotRequired[str]
    #: Created before this time.
    before: NotRequired[str]
    include_archived: NotRequired[bool]
    #: True adds the full texts, as many as fit on a page of 8 MiB.
    full: NotRequired[bool]
    #: A condition on `metadata`, as JSON: `{"project": "halcyon", "score": {"$gte": 4}}`.
    filter: NotRequired[str]
    #: May repeat: only memories in these states, such as `deleted` for those that can be restored.
    state: NotRequired[list[Lifecycle]]
    #: The vault to list: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: NotRequired[str]

"""The blocking client."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar

from . import _call, _wire
from ._connection import Connection, Holder
from ._local import LocalServer
from .errors import UsageError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from . import types as t

T = TypeVar("T")


class Lacuna:
    """A memory, for one person. One client may be shared by threads.

    `Lacuna()` starts a server of its own on a free loopback port, and stops it when the client closes. Its data folder
    is `data`, else the one that the command `lacuna` uses too. Its program is `binary`, else the one that the variable
    LACUNA_BIN names, else `lacuna` in PATH. `Lacuna(url, token)` speaks to a running server.

    `user` is the person; if absent, the token's own user. A token of the role service may act for others.
    `timeout` is the longest wait for an answer in seconds. `retries` is the number of further attempts after a failure
    that may pass. `ca_file` names certificates to trust in place of the system's.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        user: str | None = None,
        data: str | os.PathLike[str] | None = None,
        binary: str | None = None,
        timeout: float = _wire.TIMEOUT_SECONDS_DEFAULT,
        retries: int = _wire.RETRIES_DEFAULT,
        ca_file: str | None = None,
        allow_plain_http: bool = False,
    ) -> None:
        if url is not None and (data is not None or binary is not None):
            raise UsageError("data and binary belong to a server of one's own.", "Leave out either them or the URL.")
        held = _wire.secret(token)
        self._options: dict[str, Any] = {"timeout": timeout, "retries": retries, "ca_file": ca_file}
        self._place: dict[str, Any] = {"data": data, "binary": binary}
        server = None
        if url is None:
            server = LocalServer(binary, data, user if held is None else None)
            url = server.url
        else:
            url = _wire.checked_url(url, allow_plain_http=allow_plain_http)
        self._connection = Connection(url, held, server=server, **self._options)
        starts_as_user = server is not None and held is None
        self._holder: Holder | None = None if user is None or starts_as_user else (user, _wire.LENT_ROLES)
        self._user, self._owns_connection = user, True

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._connection.url

    def for_user(self, user: str, *, roles: Sequence[t.Role] = _wire.LENT_ROLES) -> Lacuna:
        """Returns a client that acts for a person.

        A token of the role service names the person in each call; the person must have been provisioned. A token of the
        role admin makes a token for the person, renews it, and revokes it when the client closes. Without a token, a
        server of one's own is started once more for the person, and that client has to be closed too.
        """
        if self._connection.server is not None and self._connection.token is None:
            return Lacuna(user=user, **self._place, **self._options)
        other = Lacuna.__new__(Lacuna)
        other._options, other._place, other._connection = self._options, self._place, self._connection
        other._holder, other._user, other._owns_connection = (user, tuple(roles)), user, False
        return other

    def close(self) -> None:
        """Closes connections, revokes tokens that were made for people, and stops the server that it started."""
        if self._owns_connection:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(url={self.url!r}, user={self._user!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client holds a token and connections: make another one instead of copying it")

    def _send(self, call: _call.Call[T]) -> T:
        return self._connection.send(call, self._holder)

    # Remembering and finding

    def remember(
        self, content: str, *, idempotency_key: str | None = None, **options: Unpack[t.RememberOptions]
    ) -> t.Remembered:
        """Remembers a text. Raises `NeedsConfirmation` if a person must say yes first."""
        return self._send(_call.remember(content, options, idempotency_key))

    def remember_batch(
        self,
        memories: Iterable[str | t.RememberRequest],
        *,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.RememberedBatch:
        """Remembers many texts in one request. Each is answered with `stored`, `asked` or `refused`."""
        return self._send(_call.remember_batch(memories, scope, idempotency_key))

    def search(self, query: str, **options: Unpack[t.SearchOptions]) -> t.SearchResponse:
        """Finds memories by meaning and words, the best first."""
        return self._send(_call.search(query, options))

    def context(self, turn: str, **options: Unpack[t.ContextOptions]) -> t.Context:
        """Picks the memories that matter for a turn of a conversation; `text` is the section for the prompt."""
        return self._send(_call.context(turn, options))

    def list_memories(self, **options: Unpack[t.ListOptions]) -> t.MemoryPage:
        """Lists one page of memories, the newest first."""
        return self._send(_call.list_memories(options))

    def iter_memories(self, **options: Unpack[t.ListOptions]) -> Iterator[t.MemorySummary]:
        """Yields memories of all pages."""
        while True:
            page = self.list_memories(**options)
            yield from page["memories"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return
            options["cursor"] = cursor

    def get_memory(self, memory_id: str, *, scope: str | None = None) -> t.Memory:
        """Returns one memory, whole."""
        return self._send(_call.get_memory(memory_id, scope))

    def correct(
        self, content: str, *, idempotency_key: str | None = None, **options: Unpack[t.CorrectOptions]
    ) -> t.Corrected:
        """Puts a new text in the place of a wrong one, which is erased: `memory_id`, or what the memory is `about`."""
        return self._send(_call.correct(content, options, idempotency_key))

    def replace_memory(
        self, memory_id: str, content: str, *, scope: str | None = None, **options: Unpack[t.ReplaceOptions]
    ) -> t.Corrected:
        """Puts a new text in the place of a memory, which keeps its id. The old text is erased with a receipt."""
        return self._send(_call.replace_memory(memory_id, content, options, scope))

    def set_expiry(
        self,
        memory_ids: Sequence[str],
        expires_at: str | None,
        *,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Sets the time at which memories expire; `None` lets the rules of the vault alone decide."""
        return self._send(_call.set_expiry(memory_ids, expires_at, scope, idempotency_key))

    def pin(
        self,
        memory_ids: Sequence[str],
        pinned: bool = True,
        *,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Keeps memories from fading, or lets them fade again."""
        return self._send(_call.pin(memory_ids, pinned, scope, idempotency_key))

    def set_state(
        self,
        memory_ids: Sequence[str],
        state: t.Lifecycle,
        *,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Moves memories to another state, such as `archived`."""
        return self._send(_call.set_state(memory_ids, state, scope, idempotency_key))

    def promote_memory(
        self,
        memory_id: str,
        to: str,
        *,
        justification: str | None = None,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.Moved:
        """Moves a memory into a wider vault, where it has another id."""
        return self._send(_call.move("promote", memory_id, to, justification, scope, idempotency_key))

    def demote_memory(
        self,
        memory_id: str,
        to: str,
        *,
        justification: str | None = None,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.Moved:
        """Makes a new memory in a narrower vault, and archives the old one."""
        return self._send(_call.move("demote", memory_id, to, justification, scope, idempotency_key))

    # Forgetting

    def plan_forget(self, words: str | None = None, **options: Unpack[t.ForgetOptions]) -> t.ForgetPlan:
        """Plans what to erase, by plain words or by what the options name. Nothing is erased."""
        return self._send(_call.plan_forget(words, options))

    def confirm_forget(
        self, token: str, *, idempotency_key: str | None = None, **options: Unpack[t.ConfirmOptions]
    ) -> t.Forgotten:
        """Carries out a plan. If the outcome is `again`, the answer's token wants a second confirmation."""
        return self._send(_call.confirm_forget(token, options, idempotency_key))

    def erase_memory(self, memory_id: str, *, scope: str | None = None) -> t.Forgotten:
        """Erases one memory and its derivatives at once."""
        return self._send(_call.erase_memory(memory_id, scope))

    def verify_forgotten(self, about: str, *, scope: str | None = None) -> t.VerifiedForgotten:
        """Looks for what is still known about something, and for receipts of its erasure."""
        return self._send(_call.verify_forgotten(about, scope))

    def list_receipts(self, *, after: int | None = None, scope: str | None = None) -> t.ReceiptList:
        """Lists receipts of erasures, with the key that signed them."""
        return self._send(_call.list_receipts(after, scope))

    def get_receipt(self, receipt: str, *, scope: str | None = None) -> t.Receipt:
        """Returns one receipt by its name, such as `DEL-2026-000001`."""
        return self._send(_call.get_receipt(receipt, scope))

    # Conversations

    def start_session(
        self, session_id: str | None = None, *, scope: str | None = None, idempotency_key: str | None = None
    ) -> t.Session:
        """Starts a conversation, or returns the one that has this id."""
        return self._send(_call.start_session(session_id, scope, idempotency_key))

    def append_turns(
        self,
        session_id: str,
        turns: Iterable[t.NewTurn],
        *,
        expected_turn: int | None = None,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.Appended:
        """Adds turns to a conversation, which starts with its first turn."""
        return self._send(_call.append_turns(session_id, turns, expected_turn, scope, idempotency_key))

    def list_sessions(
        self, *, cursor: str | None = None, limit: int | None = None, scope: str | None = None
    ) -> t.SessionPage:
        """Lists one page of conversations."""
        return self._send(_call.list_sessions(cursor, limit, scope))

    def show_session(
        self, session_id: str, *, cursor: str | None = None, limit: int | None = None, scope: str | None = None
    ) -> t.SessionShown:
        """Returns a conversation with one page of its turns."""
        return self._send(_call.show_session(session_id, cursor, limit, scope))

    def iter_turns(self, session_id: str, *, limit: int | None = None, scope: str | None = None) -> Iterator[t.Turn]:
        """Yields all turns of a conversation; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = self.show_session(session_id, cursor=cursor, limit=limit, scope=scope)
            yield from page["turns"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def end_session(
        self, session_id: str, *, scope: str | None = None, idempotency_key: str | None = None
    ) -> t.SessionEnded:
        """Ends a conversation: its working memory goes, its turns are archived as a transcript."""
        return self._send(_call.end_session(session_id, scope, idempotency_key))

    def compact(self, *, idempotency_key: str | None = None, **options: Unpack[t.CompactOptions]) -> t.CompactAnswer:
        """Summarises old turns of conversations, and archives them."""
        return self._send(_call.compact(options, idempotency_key))

    # Review

    def list_review(
        self, *, cursor: str | None = None, limit: int | None = None, scope: str | None = None
    ) -> t.ReviewPage:
        """Lists one page of memories that wait for a decision."""
        return self._send(_call.list_review(cursor, limit, scope))

    def review(
        self,
        decisions: Iterable[t.Decision],
        *,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.Reviewed:
        """Accepts, edits, anonymises or rejects memories that wait."""
        return self._send(_call.review(decisions, scope, idempotency_key))

    # Taking memories along

    def create_export(self, *, idempotency_key: str | None = None, **options: Unpack[t.ExportOptions]) -> t.Export:
        """Makes a link to an export. Whoever has the link can read the export for a day."""
        return self._send(_call.create_export(options, idempotency_key))

    def export(self, **options: Unpack[t.ExportOptions]) -> Iterator[bytes]:
        """Yields an export piece by piece while the server writes it, whatever its size."""
        yield from self._connection.download(self.create_export(**options)["download_url"])

    def export_to(self, path: str | os.PathLike[str], **options: Unpack[t.ExportOptions]) -> None:
        """Writes an export to a new file that only this account can read. A broken export leaves no file."""
        # The file is plain text: nobody else may open it, and no file that is there is written over.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                for piece in self.export(**options):
                    file.write(piece)
        except BaseException:
            os.unlink(path)
            raise

    def import_memories(
        self,
        content: bytes,
        *,
        source: str | None = None,
        duplicates: Literal["merge", "refuse"] | None = None,
        dry_run: bool = False,
        scope: str | None = None,
        passphrase: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.ImportReport:
        """Brings in an export of Lacuna or of another program, which `source` names if its file does not show it."""
        return self._send(
            _call.import_memories(content, source, duplicates, dry_run, scope, passphrase, idempotency_key)
        )

    # Records

    def put_record(
        self, namespace: Sequence[str], key: str, value: Any, *, scope: str | None = None, **options: Any
    ) -> dict[str, Any]:
        """Keeps a JSON value under a place, word for word. Options: metadata, index, ttl_seconds, source,
        consent_basis, keep_possible_secrets."""
        return self._send(_call.put_record(namespace, key, value, options, scope))

    def put_records(
        self, records: Iterable[Mapping[str, Any]], *, scope: str | None = None, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Keeps several values, each with its namespace and key, in one commit."""
        return self._send(_call.put_records(records, scope, idempotency_key))

    def get_record(
        self, namespace: Sequence[str], key: str, *, refresh_ttl: bool = False, scope: str | None = None
    ) -> dict[str, Any]:
        """Returns one record with its value."""
        return self._send(_call.get_record(namespace, key, refresh_ttl, scope))

    def erase_record(self, namespace: Sequence[str], key: str, *, scope: str | None = None) -> t.Forgotten:
        """Erases one record for good. The answer carries the signed receipt."""
        return self._send(_call.erase_record(namespace, key, scope))

    def search_records(self, **options: Any) -> dict[str, Any]:
        """Finds records. Options: namespace_prefix, query, filter, value_filter, min_similarity, limit, offset,
        refresh_ttl, scope."""
        return self._send(_call.search_records(options))

    def list_namespaces(self, **options: Any) -> dict[str, Any]:
        """Lists namespaces that hold records. Options: prefix, suffix, max_depth, limit, offset, scope."""
        return self._send(_call.list_namespaces(options))

    def erase_records(
        self,
        namespace_prefix: Sequence[str],
        *,
        filter: Mapping[str, Any] | None = None,
        scope: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.Forgotten:
        """Erases every record under a namespace whose metadata meets the filter."""
        return self._send(_call.erase_records(namespace_prefix, filter, scope, idempotency_key))

    def set_record_ttl(
        self, namespace: Sequence[str], key: str, ttl_seconds: float | None, *, scope: str | None = None
    ) -> dict[str, Any]:
        """Gives a record another time to live from now on; `None` lets it stay."""
        return self._send(_call.set_record_ttl(namespace, key, ttl_seconds, scope))

    # The rest

    def memory_tool(
        self, command: t.MemoryToolCommand | Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> t.MemoryToolAnswer:
        """Carries out one command of Anthropic's memory tool."""
        return self._send(_call.memory_tool(command, idempotency_key))

    def list_scopes(self) -> t.ScopeList:
        """Lists the vaults that the caller may read."""
        return self._send(_call.list_scopes())

    def vault_state(self, *, scope: str | None = None) -> t.VaultState:
        """Tells whether the vault is frozen."""
        return self._send(_call.vault_state(scope))

    def freeze(self, frozen: bool = True, *, scope: str | None = None) -> t.VaultState:
        """Stops writes while reads go on, or takes writes again."""
        return self._send(_call.freeze(frozen, scope))

    def create_token(
        self,
        user: str,
        roles: Sequence[t.Role],
        *,
        label: str | None = None,
        expires_at: str | None = None,
        idempotency_key: str | None = None,
    ) -> t.TokenCreated:
        """Makes an API token. From the first one on, every call to the server needs one."""
        return self._send(_call.create_token(user, roles, label, expires_at, idempotency_key))

    def list_tokens(self) -> t.TokenList:
        """Lists API tokens, without their secrets."""
        return self._send(_call.list_tokens())

    def revoke_token(self, token_id: str) -> None:
        """Ends an API token with the next call."""
        return self._send(_call.revoke_token(token_id))

    def provision_user(self, user: str) -> None:
        """Makes a person, with a vault, so that services may act for them. A person who is there stays as they are."""
        return self._send(_call.provision_user(user))

    def remove_user(self, user: str) -> Any:
        """Revokes a person's tokens and destroys their vault for good. Returns the proof."""
        return self._send(_call.remove_user(user))

    def health(self) -> t.Health:
        """Tells that the server is alive, and its version."""
        return self._send(_call.health())

    def ready(self) -> t.Health:
        """Tells that the server can do its work; raises `Unavailable` if it cannot."""
        return self._send(_call.ready())

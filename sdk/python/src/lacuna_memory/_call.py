"""One request of the API as a value: both clients build it here, and send it each in their own way."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar
from urllib.parse import quote

from .errors import UsageError

if TYPE_CHECKING:
    from . import types as t

T = TypeVar("T")
Query = Sequence[tuple[str, str]]
KEY_BYTES = 16


@dataclass(frozen=True)
class Call(Generic[T]):
    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    json: Any = None
    content: bytes | None = None
    query: Query = ()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: The same request may be sent again although the first may have been carried out.
    repeatable: bool = True


def part(value: str) -> str:
    """Returns `value` as one segment of a path, which cannot lead anywhere else."""
    if value in ("", ".", ".."):
        raise UsageError("An id is empty or a relative path.", "Pass the id as the server gave it.")
    return quote(value, safe="")


def query(values: Mapping[str, Any]) -> Query:
    """Returns the pairs of a query string: a list repeats its name, and `None` is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        if value is None:
            continue
        for each in [value] if isinstance(value, (str, int, float)) else value:
            pairs.append((name, str(each).lower() if isinstance(each, bool) else str(each)))
    return pairs


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that the caller set."""
    return {name: value for name, value in values.items() if value is not None}


def read(path: str, **values: Any) -> Call[Any]:
    return Call("GET", path, query=query(values))


def ask(path: str, body: Mapping[str, Any]) -> Call[Any]:
    """A POST that changes nothing."""
    return Call("POST", path, json=given(body))


def write(path: str, body: Mapping[str, Any] | None, key: str | None, **more: Any) -> Call[Any]:
    """A POST that changes something. Its key lets the server answer a repetition without doing the work twice."""
    headers = {"Idempotency-Key": key or secrets.token_hex(KEY_BYTES), **more.pop("headers", {})}
    return Call("POST", path, json=None if body is None else given(body), headers=headers, **more)


def remember(content: str, options: t.RememberOptions, key: str | None) -> Call[t.Remembered]:
    return write("/v1/memories", {"content": content, **options}, key)


def remember_batch(
    memories: Iterable[str | t.RememberRequest], scope: str | None, key: str | None
) -> Call[t.RememberedBatch]:
    texts = [{"content": each} if isinstance(each, str) else each for each in memories]
    return write("/v1/memories/batch", {"memories": texts, "scope": scope}, key)


def search(text: str, options: t.SearchOptions) -> Call[t.SearchResponse]:
    return ask("/v1/search", {"query": text, **options})


def context(turn: str, options: t.ContextOptions) -> Call[t.Context]:
    return ask("/v1/context", {"turn": turn, **options})


def list_memories(options: t.ListOptions) -> Call[t.MemoryPage]:
    return read("/v1/memories", **options)


def get_memory(memory_id: str, scope: str | None) -> Call[t.Memory]:
    return read(f"/v1/memories/{part(memory_id)}", scope=scope)


def erase_memory(memory_id: str, scope: str | None) -> Call[t.Forgotten]:
    # A second DELETE would answer that there is no such memory, and hide that the first one erased it.
    return Call("DELETE", f"/v1/memories/{part(memory_id)}", query=query({"scope": scope}), repeatable=False)


def replace_memory(
    memory_id: str, content: str, options: t.ReplaceOptions, scope: str | None
) -> Call[t.Corrected]:
    body = {"content": content, **given(options)}
    return Call("PUT", f"/v1/memories/{part(memory_id)}", json=body, query=query({"scope": scope}))


def set_expiry(
    memory_ids: Sequence[str], expires_at: str | None, scope: str | None, key: str | None
) -> Call[None]:
    return write(
        "/v1/memories/expiry", {"memory_ids": list(memory_ids), "expires_at": expires_at, "scope": scope}, key
    )


def correct(content: str, options: t.CorrectOptions, key: str | None) -> Call[t.Corrected]:
    return write("/v1/correct", {"content": content, **options}, key)


def pin(memory_ids: Sequence[str], pinned: bool, scope: str | None, key: str | None) -> Call[None]:
    return write("/v1/memories/pin", {"memory_ids": list(memory_ids), "pinned": pinned, "scope": scope}, key)


def set_state(memory_ids: Sequence[str], state: t.Lifecycle, scope: str | None, key: str | None) -> Call[None]:
    return write("/v1/memories/state", {"memory_ids": list(memory_ids), "state": state, "scope": scope}, key)


def move(
    direction: Literal["promote", "demote"],
    memory_id: str,
    to: str,
    justification: str | None,
    scope: str | None,
    key: str | None,
) -> Call[t.Moved]:
    body = {"to": to, "justification": justification, "scope": scope}
    return write(f"/v1/memories/{part(memory_id)}/{direction}", body, key)


def plan_forget(words: str | None, options: t.ForgetOptions) -> Call[t.ForgetPlan]:
    return ask("/v1/forget", {"words": words, **options})


def confirm_forget(token: str, options: t.ConfirmOptions, key: str | None) -> Call[t.Forgotten]:
    return write("/v1/forget/confirm", {"token": token, **options}, key)


def verify_forgotten(about: str, scope: str | None) -> Call[t.VerifiedForgotten]:
    return ask("/v1/forgotten", {"about": about, "scope": scope})


def list_receipts(after: int | None, scope: str | None) -> Call[t.ReceiptList]:
    return read("/v1/receipts", after=after, scope=scope)


def get_receipt(receipt: str, scope: str | None) -> Call[t.Receipt]:
    return read(f"/v1/receipts/{part(receipt)}", scope=scope)


def start_session(session_id: str | None, scope: str | None, key: str | None) -> Call[t.Session]:
    return write("/v1/sessions", {"session_id": session_id, "scope": scope}, key)


def append_turns(
    session_id: str,
    turns: Iterable[t.NewTurn],
    expected_turn: int | None,
    scope: str | None,
    key: str | None,
) -> Call[t.Appended]:
    body = {"turns": list(turns), "expected_turn": expected_turn, "scope": scope}
    return write(f"/v1/sessions/{part(session_id)}/turns", body, key)


def list_sessions(cursor: str | None, limit: int | None, scope: str | None) -> Call[t.SessionPage]:
    return read("/v1/sessions", cursor=cursor, limit=limit, scope=scope)


def show_session(session_id: str, cursor: str | None, limit: int | None, scope: str | None) -> Call[t.SessionShown]:
    return read(f"/v1/sessions/{part(session_id)}", cursor=cursor, limit=limit, scope=scope)


def end_session(session_id: str, scope: str | None, key: str | None) -> Call[t.SessionEnded]:
    return write(f"/v1/sessions/{part(session_id)}/end", None, key, query=query({"scope": scope}))


def list_review(cursor: str | None, limit: int | None, scope: str | None) -> Call[t.ReviewPage]:
    return read("/v1/review", cursor=cursor, limit=limit, scope=scope)


def review(decisions: Iterable[t.Decision], scope: str | None, key: str | None) -> Call[t.Reviewed]:
    return write("/v1/review", {"decisions": list(decisions), "scope": scope}, key)


def create_export(options: t.ExportOptions, key: str | None) -> Call[t.Export]:
    return write("/v1/exports", options, key)


def import_memories(
    content: bytes,
    source: str | None,
    duplicates: Literal["merge", "refuse"] | None,
    dry_run: bool,
    scope: str | None,
    passphrase: str | None,
    key: str | None,
) -> Call[t.ImportReport]:
    headers = {"Content-Type": "application/octet-stream"}
    if passphrase is not None:
        headers["Lacuna-Passphrase"] = passphrase
    asked = {"from": source, "duplicates": duplicates, "dry_run": dry_run or None, "scope": scope}
    return write("/v1/import", None, key, content=content, query=query(asked), headers=headers)


def memory_tool(command: Mapping[str, Any], key: str | None) -> Call[t.MemoryToolAnswer]:
    return write("/v1/memory-tool", command, key)


def record_path(namespace: Sequence[str], key: str) -> str:
    """Returns the path of a record: labels and key joined by `/`, each with its own `/` and `~` escaped."""
    if not namespace or not key:
        raise UsageError("A record has a namespace and a key.", "Pass at least one label and a key.")
    escaped = (part.replace("~", "~0").replace("/", "~1") for part in (*namespace, key))
    return "/v1/records/" + quote("/".join(escaped), safe="")


def put_record(
    namespace: Sequence[str], key: str, value: Any, options: Mapping[str, Any], scope: str | None
) -> Call[dict[str, Any]]:
    body = {"value": value, **given(options)}
    return Call("PUT", record_path(namespace, key), json=body, query=query({"scope": scope}))


def put_records(
    records: Iterable[Mapping[str, Any]], scope: str | None, key: str | None
) -> Call[dict[str, Any]]:
    return write("/v1/records/batch", {"records": list(records), "scope": scope}, key)


def get_record(namespace: Sequence[str], key: str, refresh_ttl: bool, scope: str | None) -> Call[dict[str, Any]]:
    return read(record_path(namespace, key), refresh_ttl=refresh_ttl or None, scope=scope)


def erase_record(namespace: Sequence[str], key: str, scope: str | None) -> Call[t.Forgotten]:
    return Call("DELETE", record_path(namespace, key), query=query({"scope": scope}), repeatable=False)


def search_records(options: Mapping[str, Any]) -> Call[dict[str, Any]]:
    return ask("/v1/records/search", options)


def list_namespaces(options: Mapping[str, Any]) -> Call[dict[str, Any]]:
    return ask("/v1/records/namespaces", options)


def erase_records(
    namespace_prefix: Sequence[str], filter: Mapping[str, Any] | None, scope: str | None, key: str | None
) -> Call[t.Forgotten]:
    body = {"namespace_prefix": list(namespace_prefix), "filter": filter, "scope": scope}
    return write("/v1/records/erase", body, key)


def set_record_ttl(
    namespace: Sequence[str], key: str, ttl_seconds: float | None, scope: str | None
) -> Call[dict[str, Any]]:
    body = {"namespace": list(namespace), "key": key, "ttl_seconds": ttl_seconds, "scope": scope}
    return ask("/v1/records/ttl", body)


def compact(options: t.CompactOptions, key: str | None) -> Call[t.CompactAnswer]:
    return write("/v1/compact", options, key)


def list_scopes() -> Call[t.ScopeList]:
    return read("/v1/scopes")


def vault_state(scope: str | None) -> Call[t.VaultState]:
    return read("/v1/vault", scope=scope)


def freeze(frozen: bool, scope: str | None) -> Call[t.VaultState]:
    return Call("PUT", "/v1/vault", json=given({"frozen": frozen, "scope": scope}))


def create_token(
    user: str, roles: Sequence[t.Role], label: str | None, expires_at: str | None, key: str | None
) -> Call[t.TokenCreated]:
    body = {"user": user, "roles": list(roles), "label": label, "expires_at": expires_at}
    return write("/v1/tokens", body, key)


def list_tokens() -> Call[t.TokenList]:
    return read("/v1/tokens")


def revoke_token(token_id: str) -> Call[None]:
    return Call("DELETE", f"/v1/tokens/{part(token_id)}", repeatable=False)


def provision_user(user: str) -> Call[None]:
    return Call("PUT", f"/v1/users/{part(user)}")


def remove_user(user: str) -> Call[Any]:
    return Call("DELETE", f"/v1/users/{part(user)}", repeatable=False)


def for_person(call: Call[T], user: str | None) -> Call[T]:
    """Returns the call with the name of the person whom a service acts for."""
    if user is None:
        return call
    return replace(call, headers={**call.headers, "Lacuna-User": quote(user, safe="")})


def health() -> Call[t.Health]:
    return read("/healthz")


def ready() -> Call[t.Health]:
    return read("/readyz")

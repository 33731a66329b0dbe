"""A store for LangGraph, kept by Lacuna: sealed, searchable, and forgotten with a receipt.

store = LacunaStore(memory)
graph = builder.compile(store=store)
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from ..client import Lacuna
from ..errors import NotFound

SECONDS_PER_MINUTE = 60
#: The field of a record's metadata that says by which paths it was indexed.
INDEXED = "indexed"
#: Records that an embedding function of the caller's own ranks in one search.
RANKED_MAX = 1_000
#: Vectors of the caller's own embedding function that are kept in memory.
VECTORS_MAX = 10_000


class _Embeddings(Protocol):
    def embed_documents(self, texts: list[str]) -> list[list[float]]: ...

    def embed_query(self, text: str) -> list[float]: ...


class LacunaStore(BaseStore):
    """LangGraph's store over the records of one person.

    Searches by meaning need no configuration: Lacuna embeds the texts itself. `index` takes the fields to search, as for
    every store; with `embed` the ranking is done by that function instead, over at most `RANKED_MAX` records at a time.
    `prefix` is put before every namespace, so that several stores share a vault. `options` are sent with every
    record, such as `consent_basis` or `keep_possible_secrets`.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Lacuna,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        prefix: Sequence[str] = ("langgraph-store",),
        scope: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._memory, self._prefix, self._scope = memory, tuple(prefix), scope
        self._options = dict(options or {})
        self.ttl_config = ttl
        self.index_config = index.copy() if index else None
        embed = index.get("embed") if index else None
        self.embeddings: _Embeddings | None = ensure_embeddings(embed) if embed is not None else None
        self._vectors: OrderedDict[str, list[float]] = OrderedDict()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        results: list[Result] = [self._read(op) for op in ops]
        # Of several writes to one place the last one counts; reads see what was there before.
        writes = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        puts = [self._put(op) for op in writes.values() if op.value is not None]
        if puts:
            self._memory.put_records(puts, scope=self._scope)
        for op in writes.values():
            if op.value is None:
                self._erase(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return list(self._search(op))
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"an operation of an unknown type: {type(op).__name__}")

    def _place(self, namespace: Sequence[str]) -> list[str]:
        return [*self._prefix, *namespace]

    def _get(self, op: GetOp) -> Item | None:
        try:
            record = self._memory.get_record(
                self._place(op.namespace), op.key, refresh_ttl=op.refresh_ttl, scope=self._scope
            )
        except NotFound:
            return None
        return Item(**self._item(record))

    def _item(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "value": record["value"],
            "key": record["key"],
            "namespace": tuple(record["namespace"][len(self._prefix) :]),
            "created_at": _time(record["created_at"]),
            "updated_at": _time(record["updated_at"]),
        }

    def _paths(self, index: Sequence[str] | None) -> list[str] | None:
        """The paths of a record's text; `None` is all of it."""
        if index is not None:
            return list(index)
        fields = (self.index_config or {}).get("fields")
        return list(fields) if fields else None

    def _put(self, op: PutOp) -> dict[str, Any]:
        paths = [] if op.index is False else self._paths(op.index)
        record: dict[str, Any] = {
            **self._options,
            "namespace": self._place(op.namespace),
            "key": op.key,
            "value": op.value,
            "metadata": {INDEXED: paths},
        }
        if paths is not None:
            record["index"] = paths
        if op.ttl is not None:
            record["ttl_seconds"] = op.ttl * SECONDS_PER_MINUTE
        return record

    def _erase(self, op: PutOp) -> None:
        try:
            self._memory.erase_record(self._place(op.namespace), op.key, scope=self._scope)
        except NotFound:
            pass

    def _search(self, op: SearchOp) -> list[SearchItem]:
        options: dict[str, Any] = {
            "namespace_prefix": self._place(op.namespace_prefix),
            "value_filter": op.filter or None,
            "refresh_ttl": op.refresh_ttl,
            "scope": self._scope,
        }
        if op.query and self.embeddings is not None:
            found = self._memory.search_records(**options, limit=RANKED_MAX)["records"]
            ranked = self._ranked(op.query, found, self.embeddings)[op.offset : op.offset + op.limit]
            return [SearchItem(**self._item(record), score=score) for score, record in ranked]
        page = {"limit": op.limit, "offset": op.offset, "query": op.query or None}
        found = self._memory.search_records(**options, **page)["records"]
        return [SearchItem(**self._item(record), score=record.get("score")) for record in found]

    def _ranked(
        self, query: str, found: Sequence[Mapping[str, Any]], embeddings: _Embeddings
    ) -> list[tuple[float | None, Mapping[str, Any]]]:
        """The records by the similarity of their nearest text, then those without a text."""
        texts = [_texts(record) for record in found]
        self._embed([text for each in texts for text in each], embeddings)
        asked = embeddings.embed_query(query)
        scored = [
            (max((_cosine(asked, self._vectors[text]) for text in each), default=None), record)
            for each, record in zip(texts, found, strict=True)
        ]
        scored.sort(key=lambda pair: -math.inf if pair[0] is None else pair[0], reverse=True)
        while len(self._vectors) > VECTORS_MAX:
            self._vectors.popitem(last=False)
        return scored

    def _embed(self, texts: Sequence[str], embeddings: _Embeddings) -> None:
        unknown = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if unknown:
            self._vectors.update(zip(unknown, embeddings.embed_documents(unknown), strict=True))

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = {"prefix": list(self._prefix), "suffix": []}
        for condition in op.match_conditions or ():
            path = list(condition.path)
            conditions[condition.match_type] = self._place(path) if condition.match_type == "prefix" else path
        depth = None if op.max_depth is None else op.max_depth + len(self._prefix)
        answer = self._memory.list_namespaces(
            **conditions, max_depth=depth, limit=op.limit, offset=op.offset, scope=self._scope
        )
        return [tuple(labels[len(self._prefix) :]) for labels in answer["namespaces"]]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _texts(record: Mapping[str, Any]) -> list[str]:
    paths = record.get("metadata", {}).get(INDEXED)
    if paths is None:
        return list(get_text_at_path(record["value"], "$"))
    tokens = (path if path == "$" else tokenize_path(path) for path in paths)
    return [text for path in tokens for text in get_text_at_path(record["value"], path)]


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.sqrt(sum(a * a for a in one)) * math.sqrt(sum(b * b for b in other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0

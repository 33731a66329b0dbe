"""A session for the OpenAI Agents SDK, kept by Lacuna: every item as it is, sealed, and forgotten with a receipt.

result = await Runner.run(agent, "Hello", session=LacunaSession("desk-17", memory))
"""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Any

from agents import SessionSettings

from ..client import Lacuna
from ..errors import NotFound

PAGE = 1_000
_NUMBERS = itertools.count()


class LacunaSession:
    """The items of one conversation, as records of one person.

    Items hold ids that look like secrets, so that only certain secrets are refused. A text about health, say, needs the
    person's consent first; pass `consent_basis="explicit-consent"` in `options` if it was given. `session_settings` bounds
    the items that an agent is given, as in the SDK's own sessions.
    """

    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        memory: Lacuna,
        *,
        scope: str | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.session_id = session_id
        self.session_settings = SessionSettings().resolve(session_settings)
        self._memory, self._scope = memory, scope
        self._options: dict[str, Any] = {"keep_possible_secrets": True, **options}
        self._namespace = ["openai-agents", session_id]

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Returns the items, the oldest first; with a limit, or one in the settings, the latest of them."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        records = await asyncio.to_thread(self._records)
        items = [record["value"] for record in records]
        return items if limit is None else items[max(len(items) - limit, 0) :]

    async def add_items(self, items: list[Any]) -> None:
        """Adds items behind those that are there, all of them or none."""
        if items:
            records = [
                {**self._options, "namespace": self._namespace, "key": _next_key(), "value": item, "index": []}
                for item in items
            ]
            await asyncio.to_thread(self._memory.put_records, records, scope=self._scope)

    async def pop_item(self) -> Any | None:
        """Takes the latest item out, and erases it."""
        for record in reversed(await asyncio.to_thread(self._records)):
            try:
                await asyncio.to_thread(
                    self._memory.erase_record, self._namespace, record["key"], scope=self._scope
                )
            except NotFound:
                continue
            return record["value"]
        return None

    async def clear_session(self) -> None:
        """Erases every item."""
        await asyncio.to_thread(self._memory.erase_records, self._namespace, scope=self._scope)

    def _records(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        offset: int | None = 0
        while offset is not None:
            page = self._memory.search_records(
                namespace_prefix=self._namespace, limit=PAGE, offset=offset, scope=self._scope
            )
            found += page["records"]
            offset = page.get("next_offset")
        return sorted(found, key=lambda record: str(record["key"]))


def _next_key() -> str:
    """A key that sorts behind every earlier one."""
    return f"{time.time_ns():020d}-{next(_NUMBERS):09d}"

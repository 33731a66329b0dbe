"""A memory service for Google's ADK, kept by Lacuna: events as records of one person.

runner = Runner(agent=agent, app_name="desk", session_service=sessions, memory_service=LacunaMemoryService(memory))
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from ..client import Lacuna

FOUND_MAX = 10


class LacunaMemoryService(BaseMemoryService):
    """Keeps what was said in sessions, and finds it by words and meaning."""

    def __init__(self, memory: Lacuna, *, scope: str | None = None, **options: Any) -> None:
        self._memory, self._scope, self._options = memory, scope, options

    async def add_session_to_memory(self, session: Any) -> None:
        """Keeps the events of a session; those that are kept already stay as they are."""
        await self._keep(session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self, *, app_name: str, user_id: str, events: Any, session_id: str | None = None, **more: Any
    ) -> None:
        await self._keep(app_name, user_id, session_id or "", events)

    async def _keep(self, app_name: str, user_id: str, session_id: str, events: Iterable[Any]) -> None:
        records = []
        for event in events:
            text = "\n".join(part.text for part in (event.content.parts if event.content else None) or () if part.text)
            if text:
                value = {"text": text, "author": event.author, "timestamp": event.timestamp, "session": session_id}
                place = {"namespace": ["google-adk", app_name, user_id], "key": event.id}
                records.append({**self._options, **place, "value": value, "index": ["text"]})
        if records:
            await asyncio.to_thread(self._memory.put_records, records, scope=self._scope)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Finds what this user said in this app."""
        page = await asyncio.to_thread(
            self._memory.search_records,
            namespace_prefix=["google-adk", app_name, user_id],
            query=query,
            limit=FOUND_MAX,
            scope=self._scope,
        )
        return SearchMemoryResponse(memories=[_entry(record["value"]) for record in page["records"]])


def _entry(value: dict[str, Any]) -> MemoryEntry:
    said = types.Content(parts=[types.Part(text=value["text"])], role=value["author"])
    at = value.get("timestamp")
    written = datetime.fromtimestamp(at, timezone.utc).isoformat() if at else None
    return MemoryEntry(content=said, author=value["author"], timestamp=written)

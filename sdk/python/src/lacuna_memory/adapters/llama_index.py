"""A memory block for LlamaIndex: what was said and left the short-term memory, found again for the next turn.

memory = Memory.from_defaults(session_id="desk-17", memory_blocks=[LacunaMemoryBlock(memory=client, namespace=["desk"])])
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from llama_index.core.bridge.pydantic import ConfigDict, Field
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import BaseMemoryBlock

from ..client import Lacuna


class LacunaMemoryBlock(BaseMemoryBlock[str]):
    """Keeps messages as records of one person, and quotes those that fit the latest one."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = Field(default="Lacuna")
    memory: Lacuna = Field(exclude=True)
    namespace: list[str] = Field(default_factory=lambda: ["llama-index"])
    #: Messages that are quoted, at most.
    k: int = 5

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = next((message.content for message in reversed(messages or []) if message.content), None)
        if asked is None:
            return ""
        page = await asyncio.to_thread(
            self.memory.search_records, namespace_prefix=self.namespace, query=asked, limit=self.k
        )
        return "\n".join(f"{record['value']['role']}: {record['value']['text']}" for record in page["records"])

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = [(str(message.role.value), message.content) for message in messages if message.content]
        records = [
            {
                "namespace": self.namespace,
                "key": f"{time.time_ns():020d}-{number:06d}",
                "value": {"role": role, "text": text},
                "index": ["text"],
            }
            for number, (role, text) in enumerate(said)
        ]
        if records:
            await asyncio.to_thread(self.memory.put_records, records)

"""A retriever for LangChain: the memories of one person that fit a question, as documents.

retriever = LacunaRetriever(memory=memory, k=4)
documents = retriever.invoke("Who has the spare key?")
documents = retriever.invoke("Who has the spare key?", k=1)
"""

from __future__ import annotations

import asyncio

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from ..client import Lacuna


class LacunaRetriever(BaseRetriever):
    """Searches with a blocking client; `ainvoke` runs it in a thread."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Lacuna
    #: Most documents of an answer, unless a call gives its own `k`.
    k: int = 4
    #: The vault; the caller's own when absent.
    scope: str | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return self._documents(query, k)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return await asyncio.to_thread(self._documents, query, k)

    def _documents(self, query: str, k: int | None) -> list[Document]:
        answer = self.memory.search(query, max_results=self.k if k is None else k, scope=self.scope)
        return [
            Document(
                id=found["memory_id"],
                page_content=found["content"],
                metadata={name: found[name] for name in ("memory_id", "score", "trust", "tags", "created_at")},
            )
            for found in answer["memories"]
        ]

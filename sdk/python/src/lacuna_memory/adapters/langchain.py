"""A retriever for LangChain: the memories of one person that fit a question, as documents.

retriever = LacunaRetriever(memory=memory, k=4)
documents = retriever.invoke("Who has the spare key?")
"""

from __future__ import annotations

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from ..client import Lacuna


class LacunaRetriever(BaseRetriever):
    """Searches with a blocking client; LangChain runs it in a thread for `ainvoke`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Lacuna
    #: Most documents of an answer.
    k: int = 4
    #: The vault; the caller's own when absent.
    scope: str | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        answer = self.memory.search(query, max_results=self.k, scope=self.scope)
        return [
            Document(
                id=found["memory_id"],
                page_content=found["content"],
                metadata={name: found[name] for name in ("memory_id", "score", "trust", "tags", "created_at")},
            )
            for found in answer["memories"]
        ]

"""LangChain's standard tests of retrievers, on Lacuna's. The package `langchain-tests` has them.

python -m pytest langchain_retrievers.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from lacuna_memory import Lacuna
from lacuna_memory.adapters.langchain import LacunaRetriever

# More than any test asks for, so that a bound that is passed over shows.
KEYS = ("Ingrid", "the baker", "the porter", "my sister", "the neighbours", "the harbour office")


class TestLacunaRetriever(RetrieversIntegrationTests):
    memory: Lacuna

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def served(cls) -> Iterator[None]:
        with tempfile.TemporaryDirectory(prefix="lacuna-retriever-") as folder:
            with Lacuna(data=Path(folder) / "data") as memory:
                for keeper in KEYS:
                    memory.remember(f"A spare key is with {keeper}.")
                cls.memory = memory
                yield

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return LacunaRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory}

    @property
    def retriever_query_example(self) -> str:
        return "Who has a spare key?"

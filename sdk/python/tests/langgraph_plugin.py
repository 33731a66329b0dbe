"""A plugin of pytest for LangGraph's own tests of stores: Lacuna's store takes the place of the one in memory.

python -m pytest -p langgraph_plugin tests/test_store.py
"""

from __future__ import annotations

import itertools
import os
import tempfile
from pathlib import Path
from typing import Any

import langgraph.store.memory

from lacuna_memory import Lacuna
from lacuna_memory.adapters.langgraph import LacunaStore
from support import make_token

os.environ.setdefault("LACUNA_EMBEDDER", "static")
_FOLDER = tempfile.TemporaryDirectory(prefix="lacuna-store-")
_DATA = Path(_FOLDER.name) / "data"
_SERVICE = Lacuna(token=make_token(_DATA, "service", "admin"), data=_DATA)
_PEOPLE = itertools.count()


class Replaced(LacunaStore):
    """A store of its own for each test: of a new person."""

    def __init__(self, *, index: Any = None) -> None:
        super().__init__(_SERVICE.for_user(f"person-{next(_PEOPLE)}"), index=index)


langgraph.store.memory.InMemoryStore = Replaced  # type: ignore[misc]


def pytest_unconfigure(config: Any) -> None:
    _SERVICE.close()
    _FOLDER.cleanup()

"""A plugin of pytest for the OpenAI Agents SDK's own tests of sessions: Lacuna's session takes the place of the one in SQLite.

python -m pytest -p agents_plugin tests/memory/test_session.py tests/memory/test_session_limit.py
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import agents

from lacuna_memory import Lacuna
from lacuna_memory.adapters.openai_agents import LacunaSession
from support import make_token

os.environ.setdefault("LACUNA_EMBEDDER", "static")
_FOLDER = tempfile.TemporaryDirectory(prefix="lacuna-sessions-")
_DATA = Path(_FOLDER.name) / "data"
_SERVICE = Lacuna(token=make_token(_DATA, "service", "admin"), data=_DATA)
_PEOPLE: dict[str, Lacuna] = {}


class Replaced(LacunaSession):
    """A session of a person for each file that a test names, and of a new one where it names none."""

    def __init__(self, session_id: str, db_path: Any = None, **options: Any) -> None:
        name = str(db_path or object())
        person = _PEOPLE.setdefault(name, _SERVICE.for_user(f"person-{len(_PEOPLE)}"))
        super().__init__(session_id, person, **options)

    def close(self) -> None:
        pass


agents.SQLiteSession = Replaced  # type: ignore[misc, assignment]
# Words in the names of tests that open the file of the other session, or look into its connections and locks.
_ABOUT_SQLITE = ("await_mutation", "closed", "connection", "corrupt", "lock", "post_commit", "rolls_back")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    left_out = [item for item in items if any(word in item.name for word in _ABOUT_SQLITE)]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def pytest_unconfigure(config: Any) -> None:
    _SERVICE.close()
    _FOLDER.cleanup()

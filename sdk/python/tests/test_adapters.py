"""The adapters with the packages that they are for. A package that is not installed is passed by, and says so."""

from __future__ import annotations

import asyncio
import importlib.util
import unittest

from lacuna_memory import AsyncLacuna
from support import People

HAS_ANTHROPIC = importlib.util.find_spec("anthropic") is not None
HAS_LANGCHAIN = importlib.util.find_spec("langchain_core") is not None
PATH, MOVED = "/memories/travel.md", "/memories/trips.md"


@unittest.skipUnless(HAS_ANTHROPIC, "anthropic is not installed")
class MemoryTool(People):
    def test_all_six_commands(self) -> None:
        from anthropic.lib.tools import ToolError

        from lacuna_memory.adapters.anthropic import LacunaMemoryTool

        tool = LacunaMemoryTool(self.person())
        tool.call({"command": "create", "path": PATH, "file_text": "The ferry leaves at nine.\n"})
        tool.call({"command": "str_replace", "path": PATH, "old_str": "nine", "new_str": "ten"})
        tool.call({"command": "insert", "path": PATH, "insert_line": 1, "insert_text": "Bring the red bag.\n"})
        tool.call({"command": "rename", "old_path": PATH, "new_path": MOVED})
        shown = tool.call({"command": "view", "path": MOVED})
        self.assertIn("The ferry leaves at ten.", str(shown))
        self.assertIn("Bring the red bag.", str(shown))
        tool.call({"command": "delete", "path": MOVED})
        with self.assertRaises(ToolError):
            tool.call({"command": "view", "path": MOVED})

    def test_the_asynchronous_tool(self) -> None:
        from lacuna_memory.adapters.anthropic import AsyncLacunaMemoryTool

        async def story() -> str:
            async with AsyncLacuna(self.service.url, self.admin, user="async") as memory:
                tool = AsyncLacunaMemoryTool(memory)
                await tool.call({"command": "create", "path": PATH, "file_text": "The ferry leaves at nine.\n"})
                return str(await tool.call({"command": "view", "path": PATH, "view_range": [1, 1]}))

        self.assertIn("The ferry leaves at nine.", asyncio.run(story()))


@unittest.skipUnless(HAS_LANGCHAIN, "langchain-core is not installed")
class Retriever(People):
    def test_documents(self) -> None:
        from lacuna_memory.adapters.langchain import LacunaRetriever

        memory = self.person()
        stored = memory.remember("The spare key is with Ingrid.", tags=["home"])
        memory.remember("The pool opens at seven.")
        retriever = LacunaRetriever(memory=memory, k=1)
        documents = retriever.invoke("Who has the spare key?")
        self.assertEqual([each.page_content for each in documents], ["The spare key is with Ingrid."])
        self.assertEqual((documents[0].id, documents[0].metadata["tags"]), (stored["memory_id"], ["home"]))
        self.assertEqual(asyncio.run(retriever.ainvoke("Who has the spare key?"))[0].id, stored["memory_id"])
        self.assertEqual(len(asyncio.run(retriever.ainvoke("Who has the spare key?", k=2))), 2)

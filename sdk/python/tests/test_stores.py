"""Records, and the adapters that keep what they are given as records. A package that is not installed is passed by."""

from __future__ import annotations

import asyncio
import importlib.util
import unittest
from typing import Any

from lacuna_memory import ApiError, AsyncLacuna
from lacuna_memory.errors import NotFound
from support import People

PLACE = ["users", "a/b~c"]


class Records(People):
    def test_a_record_from_its_first_value_to_its_receipt(self) -> None:
        memory = self.person()
        value = {"text": "tulips on the table", "n": 1.5, "list": [None, True, "ü"]}
        first = memory.put_record(PLACE, "k/1", value, metadata={"app": "x"})
        again = memory.put_record(PLACE, "k/1", {**value, "n": 2}, metadata={"app": "x"}, ttl_seconds=60)
        self.assertEqual(first["record_id"], again["record_id"])
        shown = memory.get_record(PLACE, "k/1", refresh_ttl=True)
        self.assertEqual((shown["value"], shown["namespace"], shown["key"]), ({**value, "n": 2}, PLACE, "k/1"))
        memory.put_records([{"namespace": PLACE, "key": "k2", "value": "a red car"}])
        found = memory.search_records(namespace_prefix=["users"], query="flowers", limit=1)
        self.assertEqual((found["records"][0]["key"], found["total"]), ("k/1", 2))
        self.assertEqual(memory.search_records(filter={"app": "x"}, value_filter={"n": {"$gte": 2}})["total"], 1)
        self.assertEqual(memory.list_namespaces(prefix=["users"])["namespaces"], [PLACE])
        self.assertNotIn("expires_at", memory.set_record_ttl(PLACE, "k/1", None))
        erased = memory.erase_record(PLACE, "k/1")
        self.assertEqual(erased["receipts"][0]["counts"]["keys_destroyed"], 1)
        with self.assertRaises(NotFound):
            memory.get_record(PLACE, "k/1")
        memory.erase_records(["users"])
        self.assertEqual(memory.search_records()["total"], 0)

    def test_a_refusal_is_an_error_that_says_why(self) -> None:
        with self.assertRaises(ApiError) as refused:
            self.person().put_record(["a"], "k", {"note": "I was diagnosed with diabetes."})
        self.assertEqual(refused.exception.code, "explicit_consent_required")

    def test_the_asynchronous_client(self) -> None:
        async def story() -> Any:
            async with AsyncLacuna(self.service.url, self.admin, user="async-records") as memory:
                await memory.put_record(["a"], "k", [1, 2])
                return (await memory.get_record(["a"], "k"))["value"]

        self.assertEqual(asyncio.run(story()), [1, 2])


@unittest.skipIf(importlib.util.find_spec("agents") is None, "openai-agents is not installed")
class AgentsSession(People):
    def test_items_come_back_as_they_were(self) -> None:
        from agents.memory import Session

        from lacuna_memory.adapters.openai_agents import LacunaSession

        async def story() -> None:
            memory = self.person()
            session, other = LacunaSession("desk-17", memory), LacunaSession("desk-18", memory)
            self.assertIsInstance(session, Session)
            call = {"type": "function_call", "call_id": "call_9fKq2ZtB7", "name": "look", "arguments": '{"a":1}'}
            items = [{"role": "user", "content": "Hello"}, call, {"role": "assistant", "content": "Good day"}]
            await session.add_items(items[:2])
            await session.add_items(items[2:])
            await other.add_items([{"role": "user", "content": "Hello"}])
            self.assertEqual(await session.get_items(), items)
            self.assertEqual(await session.get_items(limit=2), items[1:])
            self.assertEqual(await session.pop_item(), items[2])
            self.assertEqual(await session.get_items(), items[:2])
            await session.clear_session()
            self.assertEqual((await session.get_items(), await session.pop_item()), ([], None))
            self.assertEqual(len(await other.get_items()), 1)

        asyncio.run(story())


@unittest.skipIf(importlib.util.find_spec("llama_index") is None, "llama-index-core is not installed")
class MemoryBlock(People):
    def test_what_was_said_is_found_for_the_next_turn(self) -> None:
        from llama_index.core.llms import ChatMessage

        from lacuna_memory.adapters.llama_index import LacunaMemoryBlock

        async def story() -> str:
            block = LacunaMemoryBlock(memory=self.person(), k=1)
            said = ["The spare key is with Ingrid.", "The pool opens at seven."]
            await block.aput([ChatMessage(role="user", content=text) for text in said])
            return str(await block.aget([ChatMessage(role="user", content="Who has the spare key?")]))

        self.assertIn("user: The spare key is with Ingrid.", asyncio.run(story()))


def has_adk() -> bool:
    return importlib.util.find_spec("google") is not None and importlib.util.find_spec("google.adk") is not None


@unittest.skipUnless(has_adk(), "google-adk is not installed")
class AdkMemory(People):
    def test_events_of_a_session_are_found(self) -> None:
        from google.adk.events import Event
        from google.adk.sessions import Session
        from google.genai import types

        from lacuna_memory.adapters.google_adk import LacunaMemoryService

        async def story() -> None:
            service = LacunaMemoryService(self.person())
            texts = ["The spare key is with Ingrid.", "The pool opens at seven."]
            events = [
                Event(id=str(number), author="user", content=types.Content(parts=[types.Part(text=text)]))
                for number, text in enumerate(texts)
            ]
            session = Session(id="s1", app_name="desk", user_id="ava", events=events)
            await service.add_session_to_memory(session)
            await service.add_session_to_memory(session)
            found = await service.search_memory(app_name="desk", user_id="ava", query="Who has the spare key?")
            self.assertEqual(len(found.memories), 2)
            self.assertEqual(found.memories[0].content.parts[0].text, texts[0])
            other = await service.search_memory(app_name="desk", user_id="ben", query="key")
            self.assertEqual(other.memories, [])

        asyncio.run(story())


@unittest.skipIf(importlib.util.find_spec("agent_framework") is None, "agent-framework-core is not installed")
class AgentFramework(People):
    def test_what_was_said_in_one_session_reaches_the_model_in_the_next(self) -> None:
        from agent_framework import Agent, BaseChatClient, ChatResponse, Message

        from lacuna_memory.adapters.agent_framework import LacunaContextProvider

        prompts: list[str] = []

        class Model(BaseChatClient):  # type: ignore[misc, type-arg]
            async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **more: Any) -> Any:
                prompts.append("\n".join(message.text for message in messages))
                return ChatResponse(messages=[Message(role="assistant", contents=["Noted."])])

        async def story() -> None:
            memory = self.person()
            agent = Agent(client=Model(), context_providers=[LacunaContextProvider(memory)])
            await agent.run("The spare key is with Ingrid.", session=agent.create_session())
            second = agent.create_session()
            await agent.run("Who has the spare key?", session=second)
            self.assertIn("Ingrid", prompts[1])
            turns = memory.show_session(second.session_id)["turns"]
            self.assertEqual([turn["role"] for turn in turns], ["user", "assistant"])
            quiet = Agent(client=Model(), context_providers=[LacunaContextProvider(memory, keep_turns=False)])
            await quiet.run("My umbrella is green.", session=quiet.create_session())
            self.assertEqual(memory.search("umbrella", strong_only=True)["memories"], [])

        asyncio.run(story())


@unittest.skipIf(importlib.util.find_spec("langmem") is None, "langmem is not installed")
class LangMem(People):
    def test_its_tools_keep_change_find_and_erase(self) -> None:
        from langmem import create_manage_memory_tool, create_search_memory_tool

        from lacuna_memory.adapters.langgraph import LacunaStore

        store = LacunaStore(self.person(), options={"keep_possible_secrets": True})
        manage = create_manage_memory_tool(namespace=("memories",), store=store)
        search = create_search_memory_tool(namespace=("memories",), store=store)
        told = manage.invoke({"content": "Prefers tea in the afternoon.", "action": "create"})
        key = told.split()[-1]
        manage.invoke({"content": "Prefers coffee in the afternoon.", "action": "update", "id": key})
        self.assertEqual(store.get(("memories",), key).value["content"], "Prefers coffee in the afternoon.")
        self.assertIn("coffee", str(search.invoke({"query": "What does she drink?"})))
        manage.invoke({"action": "delete", "id": key})
        self.assertIsNone(store.get(("memories",), key))

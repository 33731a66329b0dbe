"""A session for the OpenAI Agents SDK: `await Runner.run(agent, "Hello", session=session)` keeps its items here."""

import asyncio
import os

from lacuna_memory import Lacuna
from lacuna_memory.adapters.openai_agents import LacunaSession

memory = Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"])
session = LacunaSession("desk-17", memory)


async def main() -> None:
    await session.add_items([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}])
    print([item["content"] for item in await session.get_items()])
    await session.clear_session()
    print(await session.get_items())


asyncio.run(main())

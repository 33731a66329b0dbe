"""A memory service for Google's ADK: `Runner(…, memory_service=service)`. The line that makes it is the one that differs."""

import asyncio
import os

from google.adk.events import Event
from google.adk.sessions import Session
from google.genai import types

from lacuna_memory import Lacuna
from lacuna_memory.adapters.google_adk import LacunaMemoryService

memory = Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"])
service = LacunaMemoryService(memory)


async def main() -> None:
    said = types.Content(parts=[types.Part(text="The spare key is with Ingrid.")])
    session = Session(id="first", app_name="desk", user_id="ada", events=[Event(id="1", author="user", content=said)])
    await service.add_session_to_memory(session)
    found = await service.search_memory(app_name="desk", user_id="ada", query="Who has the spare key?")
    print(found.memories[0].content.parts[0].text)


asyncio.run(main())

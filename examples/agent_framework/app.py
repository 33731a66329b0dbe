"""A context provider for Microsoft's Agent Framework. The line that makes it is the one that differs."""

import asyncio
import os
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from lacuna_memory import Lacuna
from lacuna_memory.adapters.agent_framework import LacunaContextProvider

provider = LacunaContextProvider(Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"]))


class Repeating(BaseChatClient):
    """A model that repeats what it was given."""

    async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **more: Any) -> Any:
        given = "\n".join(message.text for message in messages)
        return ChatResponse(messages=[Message(role="assistant", contents=[given])])


async def main() -> None:
    agent = Agent(client=Repeating(), context_providers=[provider])
    await agent.run("The spare key is with Ingrid.", session=agent.create_session())
    answer = await agent.run("Who has the spare key?", session=agent.create_session())
    print("Ingrid" in answer.text)


asyncio.run(main())

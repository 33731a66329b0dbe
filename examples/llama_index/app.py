"""A memory block for LlamaIndex. The line that makes it is the one that differs."""

import asyncio
import os

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

from lacuna_memory import Lacuna
from lacuna_memory.adapters.llama_index import LacunaMemoryBlock

block = LacunaMemoryBlock(memory=Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"]), k=1)
# The chat history holds next to nothing, so that what was said earlier comes from the block.
limits = {"token_limit": 60, "chat_history_token_ratio": 0.2, "token_flush_size": 6}
memory = Memory.from_defaults(session_id="desk", memory_blocks=[block], **limits)


async def main() -> None:
    said = ["The pool opens at seven.", "The spare key is with Ingrid.", "The bakery is closed on Mondays."]
    for text in [*said, "Who has the spare key?"]:
        await memory.aput(ChatMessage(role="user", content=text))
    print(any("Ingrid" in str(message.content) for message in await memory.aget()))


asyncio.run(main())

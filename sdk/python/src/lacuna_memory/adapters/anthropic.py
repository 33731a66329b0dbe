"""Anthropic's memory tool, with its files kept by Lacuna: sealed, searchable, and forgotten with a receipt.

message = client.beta.messages.run_tools(..., tools=[LacunaMemoryTool(memory)]).until_done()
"""

from __future__ import annotations

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types import beta

from ..aio import AsyncLacuna
from ..client import Lacuna
from ..types import MemoryToolAnswer

Command = (
    beta.BetaMemoryTool20250818ViewCommand
    | beta.BetaMemoryTool20250818CreateCommand
    | beta.BetaMemoryTool20250818StrReplaceCommand
    | beta.BetaMemoryTool20250818InsertCommand
    | beta.BetaMemoryTool20250818DeleteCommand
    | beta.BetaMemoryTool20250818RenameCommand
)


def told(answer: MemoryToolAnswer) -> str:
    """Returns the text for the model, or raises it as the error that the model is shown."""
    if answer["is_error"]:
        raise ToolError(answer["content"])
    return answer["content"]


class LacunaMemoryTool(BetaAbstractMemoryTool):
    """The tool for a blocking client."""

    def __init__(self, memory: Lacuna) -> None:
        super().__init__()
        self._memory = memory

    def _forward(self, command: Command) -> str:
        return told(self._memory.memory_tool(command.to_dict(mode="json")))

    def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        return self._forward(command)

    def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        return self._forward(command)

    def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self._forward(command)

    def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        return self._forward(command)

    def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        return self._forward(command)

    def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        return self._forward(command)


class AsyncLacunaMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool for an asynchronous client."""

    def __init__(self, memory: AsyncLacuna) -> None:
        super().__init__()
        self._memory = memory

    async def _forward(self, command: Command) -> str:
        return told(await self._memory.memory_tool(command.to_dict(mode="json")))

    async def view(self, command: beta.BetaMemoryTool20250818ViewCommand) -> str:
        return await self._forward(command)

    async def create(self, command: beta.BetaMemoryTool20250818CreateCommand) -> str:
        return await self._forward(command)

    async def str_replace(self, command: beta.BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await self._forward(command)

    async def insert(self, command: beta.BetaMemoryTool20250818InsertCommand) -> str:
        return await self._forward(command)

    async def delete(self, command: beta.BetaMemoryTool20250818DeleteCommand) -> str:
        return await self._forward(command)

    async def rename(self, command: beta.BetaMemoryTool20250818RenameCommand) -> str:
        return await self._forward(command)

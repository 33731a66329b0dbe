"""A context provider for Microsoft's Agent Framework: memories that fit before a run, the turns of the run kept after it.

agent = Agent(client=client, context_providers=[LacunaContextProvider(memory)])
"""

from __future__ import annotations

import asyncio
from typing import Any

from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun

from .. import types as t
from ..client import Lacuna

SOURCE = "lacuna"
#: Speakers whose words are kept.
KEPT_ROLES = ("user", "assistant")


class LacunaContextProvider(ContextProvider):
    """Quotes the memories of one person that fit a run, and keeps what was said in it as turns of a session."""

    def __init__(self, memory: Lacuna, *, source_id: str = SOURCE, keep_turns: bool = True, **options: Any) -> None:
        """Takes the client of one person; `options` are those of `context`, such as `max_tokens`."""
        super().__init__(source_id)
        self._memory, self._keep_turns, self._options = memory, keep_turns, options

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        asked = "\n".join(message.text for message in context.input_messages if message.role == "user")
        if not asked.strip():
            return
        found = await asyncio.to_thread(
            self._memory.context, asked, session_id=session.session_id, **self._options
        )
        if found["text"]:
            # A message, not an instruction: what is remembered is quoted, and never an order.
            context.extend_messages(self, [Message(role="user", contents=[found["text"]])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        if not self._keep_turns:
            return
        said = [*context.input_messages, *(context.response.messages if context.response else [])]
        turns: list[t.NewTurn] = [{"role": message.role, "text": message.text} for message in said if _is_kept(message)]
        if turns:
            await asyncio.to_thread(self._memory.append_turns, session.session_id, turns)


def _is_kept(message: Message) -> bool:
    return message.role in KEPT_ROLES and bool(message.text)

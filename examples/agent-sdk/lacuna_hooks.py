"""Hooks for the Claude Agent SDK: each forwards the SDK's input to `lacuna hook` and returns what it answers.

    options = ClaudeAgentOptions(hooks={
        "UserPromptSubmit": [HookMatcher(hooks=[user_prompt_submit])],
        "PreCompact": [HookMatcher(hooks=[pre_compact])],
        "Stop": [HookMatcher(hooks=[session_end])],
    })
"""

import asyncio
import json


async def forward(name, data):
    """Runs one hook. A hook never stops the conversation: without an answer there is nothing to add."""
    process = await asyncio.create_subprocess_exec(
        "lacuna", "hook", name, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    answer, _ = await process.communicate(json.dumps(data).encode())
    return json.loads(answer) if answer.strip() else {}


async def session_start(data, tool_use_id, context):
    return await forward("session-start", data)


async def user_prompt_submit(data, tool_use_id, context):
    return await forward("user-prompt-submit", data)


async def pre_compact(data, tool_use_id, context):
    return await forward("pre-compact", data)


async def session_end(data, tool_use_id, context):
    return await forward("session-end", data)

"""The story of a memory, told by the official MCP client for Python: remember, recall, forget, confirm, verify.

Usage: mcp_story.py stdio|http legacy|2026-07-28 asks|silent COMMAND_OR_URL [TOKEN]

`asks` is a client that can ask its user, who says yes; `silent` is one that cannot.
"""

import asyncio
import os
import sys

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

FACT = "Ottoline Vance keeps the mill key under the third flower pot"
TOOLS = {"remember", "recall", "context", "forget", "correct", "review_memories", "memory_status"}

transport, mode, asking, target = sys.argv[1:5]
token = sys.argv[5] if len(sys.argv) > 5 else None
questions = []


async def say_yes(_context, params):
    questions.append(params.message)
    return ElicitResult(action="accept", content={"confirm": True})


def server():
    if transport == "stdio":
        env = {name: value for name, value in os.environ.items() if name.startswith(("LACUNA_", "USER", "PATH"))}
        return StdioServerParameters(command=target, args=["mcp"], env=env)
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return streamable_http_client(target, http_client=httpx2.AsyncClient(headers=headers, timeout=60))


async def call(client, tool, arguments, fails=False):
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    assert bool(result.is_error) == fails, (tool, text)
    return text, result.structured_content


async def describe(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS, set(tools)
    for tool in tools.values():
        assert tool.description and tool.output_schema["type"] == "object", tool.name
        assert tool.annotations.open_world_hint is False
    assert tools["recall"].annotations.read_only_hint and not tools["remember"].annotations.read_only_hint
    assert tools["forget"].annotations.destructive_hint and not tools["remember"].annotations.destructive_hint
    prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
    assert "forget_this" in prompts, prompts
    said = await client.get_prompt("forget_this", {"what": "the mill"})
    assert "the mill" in said.messages[0].content.text
    templates = (await client.list_resource_templates()).resource_templates
    assert templates[0].uri_template == "lacuna://memory/{memory_id}"


async def forget(client):
    text, plan = await call(client, "forget", {"words": "forget everything about the mill key"})
    if asking == "asks":
        assert plan["outcome"] == "forgotten", plan
        assert len(questions) == 1 and "third flower pot" in questions[0], questions
        return plan
    assert plan["outcome"] == "plan" and plan["confirm_token"] in text, plan
    text, _ = await call(client, "recall", {"query": "where is the mill key?"})
    assert FACT in text, "a plan changes nothing"
    _, done = await call(client, "forget", {"confirm_token": plan["confirm_token"]})
    assert done["outcome"] == "forgotten", done
    return done


async def main():
    callback = say_yes if asking == "asks" else None
    async with Client(server(), mode=mode, elicitation_callback=callback) as client:
        await describe(client)
        _, stored = await call(client, "remember", {"content": FACT, "said_by": "user", "tags": ["mill"]})
        assert stored["state"] == "active", stored
        memory = stored["memory_id"]
        text, found = await call(client, "recall", {"query": "where is the mill key?"})
        assert found["memories"][0]["memory_id"] == memory and FACT in text, text
        assert found["memories"][0]["trust"] == "medium", "an assistant's word is not the user's own"
        text, _ = await call(client, "context", {"turn": "Where is the mill key of Ottoline Vance?"})
        assert "flower pot" in text, text
        resource = await client.read_resource(f"lacuna://memory/{memory}")
        assert FACT in resource.contents[0].text
        assert "flower pot" in (await client.read_resource("lacuna://profile")).contents[0].text

        guess = {"content": "Ottoline Vance prefers rye bread", "category": "preference"}
        _, waiting = await call(client, "remember", guess)
        assert waiting["state"] == "active" and waiting["is_note"], "what a model concludes is its note"
        _, listed = await call(client, "review_memories", {})
        assert listed["waiting"][0]["memory_id"] == waiting["memory_id"], listed
        accept = {"decisions": [{"memory_id": waiting["memory_id"], "decision": "accept"}]}
        if asking == "asks":
            _, decided = await call(client, "review_memories", accept)
            assert decided["outcome"] == "decided" and "rye bread" in questions.pop(), decided
        else:
            text, _ = await call(client, "review_memories", accept, fails=True)
            assert "needs_confirmation" in text, text

        text, _ = await call(client, "forget", {}, fails=True)
        assert text.startswith("Error invalid") and "What to do:" in text, text
        done = await forget(client)
        receipt = done["forgotten"]["receipts"][0]
        assert receipt["receipt"].startswith("DEL-") and all(p["found"] == 0 for p in receipt["probes"]), receipt
        _, found = await call(client, "recall", {"query": "where is the mill key?"})
        assert all(one["memory_id"] != memory for one in found["memories"]), found
        text, status = await call(client, "memory_status", {"about": "the mill key"})
        assert status["about"]["forgotten"] and receipt["receipt"] in text, text
    print("done", client and mode, memory)


asyncio.run(main())

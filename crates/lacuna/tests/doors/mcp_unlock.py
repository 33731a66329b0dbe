"""A locked vault over MCP: the official client for Python opens the page that the server names, the person unlocks the
vault there, and the call that waited is answered. Nothing of the passphrase passes the client.

Usage: mcp_unlock.py legacy|2026-07-28 yes|no URL AGENT_TOKEN PERSON_TOKEN PASSPHRASE
"""

import asyncio
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

mode, answer, base, agent, person, passphrase = sys.argv[1:7]
opened = []


async def open_page(_context, params):
    assert params.mode == "url", params
    assert passphrase not in params.message and "locked" in params.message
    opened.append(params.url)
    if answer == "no":
        return ElicitResult(action="decline")
    # The browser of the person, who is signed in there.
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {person}"}, timeout=60) as browser:
        done = await browser.post(f"{base}/v1/unlock", json={"passphrase": passphrase})
        assert done.status_code == 200, done.text
    return ElicitResult(action="accept")


async def main():
    headers = {"authorization": f"Bearer {agent}"}
    transport = streamable_http_client(
        f"{base}/mcp", http_client=httpx2.AsyncClient(headers=headers, timeout=60)
    )
    async with Client(transport, mode=mode, elicitation_callback=open_page) as client:
        result = await client.call_tool("recall", {"query": "where is the spare key?"})
        text = result.content[0].text
        assert opened == [f"{base}/console/protection"], opened
        assert bool(result.is_error) == (answer == "no"), text
        assert ("third stone" in text) == (answer == "yes"), text
        assert passphrase not in text
    print("done", mode, answer)


asyncio.run(main())

"""Lacuna's tools in LangChain, by langchain-mcp-adapters. Each call without a session would open a new one: hold one open."""

import asyncio
import os

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

headers = {"Authorization": f"Bearer {os.environ['LACUNA_TOKEN']}"}
address = {"transport": "streamable_http", "url": os.environ["LACUNA_URL"] + "/mcp", "headers": headers}
client = MultiServerMCPClient({"lacuna": address})


async def main() -> None:
    async with client.session("lacuna") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        print(", ".join(sorted(tools)))
        # `said_by`: the user said it. What a model concludes waits for the user's review.
        await tools["remember"].ainvoke({"content": "The spare key is with Ingrid.", "said_by": "user"})
        print("Ingrid" in str(await tools["recall"].ainvoke({"query": "Who has the spare key?"})))


asyncio.run(main())

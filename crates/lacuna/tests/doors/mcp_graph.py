"""The tools of the reference memory server, called as its users call them.

Usage: mcp_graph.py legacy|2026-07-28 COMMAND
"""

import asyncio
import json
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters

mode, command = sys.argv[1:3]
TOOLS = ["create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
         "delete_relations", "read_graph", "search_nodes", "open_nodes"]
OTTO = {"name": "Ottoline_Vance", "entityType": "person", "observations": ["restores clocks", "is 61"]}
MILL = {"name": "The Mill", "entityType": "Place", "observations": []}
LIVES = {"from": "Ottoline_Vance", "to": "The Mill", "relationType": "lives_at"}


async def call(client, tool, arguments, fails=False):
    result = await client.call_tool(tool, arguments)
    assert bool(result.is_error) == fails, (tool, result.content[0].text)
    return result.content[0].text, result.structured_content


async def main():
    env = {name: value for name, value in os.environ.items() if name.startswith(("LACUNA_", "USER", "PATH"))}
    server = StdioServerParameters(command=command, args=["mcp", "--tools", "reference"], env=env)
    async with Client(server, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        text, made = await call(client, "create_entities", {"entities": [OTTO, MILL]})
        assert made == {"entities": [OTTO, MILL]} and json.loads(text) == [OTTO, MILL], made
        _, made = await call(client, "create_entities", {"entities": [OTTO]})
        assert made == {"entities": []}, "a name that exists is passed over"
        _, made = await call(client, "create_relations", {"relations": [LIVES, LIVES]})
        assert made == {"relations": [LIVES]}, made
        more = {"observations": [{"entityName": "Ottoline_Vance", "contents": ["is 61", "keeps bees"]}]}
        _, added = await call(client, "add_observations", more)
        assert added == {"results": [{"entityName": "Ottoline_Vance", "addedObservations": ["keeps bees"]}]}, added
        nobody = {"observations": [{"entityName": "Nobody", "contents": ["x"]}]}
        text, _ = await call(client, "add_observations", nobody, fails=True)
        assert "Entity with name Nobody not found" in text, text

        otto = {**OTTO, "observations": ["restores clocks", "is 61", "keeps bees"]}
        whole = {"entities": [otto, MILL], "relations": [LIVES]}
        text, graph = await call(client, "read_graph", {})
        assert graph == whole and json.loads(text) == whole, graph
        _, found = await call(client, "search_nodes", {"query": "BEES"})
        assert found == {"entities": [otto], "relations": [LIVES]}, found
        _, found = await call(client, "open_nodes", {"names": ["The Mill", "Nobody"]})
        assert found == {"entities": [MILL], "relations": [LIVES]}, found
        resource = await client.read_resource("memory://knowledge-graph")
        assert json.loads(resource.contents[0].text) == whole

        gone = {"deletions": [{"entityName": "Ottoline_Vance", "observations": otto["observations"]}]}
        text, done = await call(client, "delete_observations", gone)
        assert text == done["message"] == "Observations deleted successfully" and done["success"], done
        _, graph = await call(client, "read_graph", {})
        assert graph == {"entities": [{**OTTO, "observations": []}, MILL], "relations": [LIVES]}, graph
        await call(client, "delete_relations", {"relations": [LIVES, LIVES]})
        await call(client, "delete_entities", {"entityNames": ["Ottoline_Vance", "Nobody"]})
        _, graph = await call(client, "read_graph", {})
        assert graph == {"entities": [MILL], "relations": []}, graph
    print("done", mode)


asyncio.run(main())

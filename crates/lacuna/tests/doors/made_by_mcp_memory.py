"""The file of the MCP reference memory server, written by the server itself: `made_by_mcp_memory.py CLIENT_FOLDER NODE SERVER FILE`."""

import os
import sys

client, node, server, file = sys.argv[1:]
sys.path.append(client)

from mcp_client import McpServer  # noqa: E402

memory = McpServer([node, server], {**os.environ, "MEMORY_FILE_PATH": file})
person = {"name": "Ottoline_Vance", "entityType": "person", "observations": ["Restores clocks", "Lives in the tower"]}
place = {"name": "The_Mill", "entityType": "place", "observations": []}
debt = {"name": "Debt", "entityType": "note", "observations": ["Forty crowns to the baker"]}
memory.tool("create_entities", entities=[person, place, debt])
memory.tool("create_relations", relations=[{"from": "Ottoline_Vance", "to": "The_Mill", "relationType": "lives_at"}])
memory.tool("add_observations", observations=[{"entityName": "Ottoline_Vance", "contents": ["Lives above the mill"]}])
memory.tool(
    "delete_observations", deletions=[{"entityName": "Ottoline_Vance", "observations": ["Lives in the tower"]}]
)
memory.tool("delete_entities", entityNames=["Debt"])
memory.close()

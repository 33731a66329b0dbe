"""The MCP reference memory server: entities with observations in one JSONL file, through its own tools."""

import json
import os
import subprocess
from pathlib import Path

from mcp_client import McpServer
from protocol import Peer, run
from story import LEAVER, SPELLINGS

PACKAGE, VERSION = "@modelcontextprotocol/server-memory", "2026.8.31"


def installed():
    """The server's program, installed by npm at the first use."""
    folder = Path(os.environ["PEER_PACKAGES"]) / "mcp_memory"
    program = folder / "node_modules" / PACKAGE / "dist" / "index.js"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        install = [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--prefix",
            str(folder),
            f"{PACKAGE}@{VERSION}",
        ]
        subprocess.run(install, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    return program


class McpMemory(Peer):
    proof = "none: a message that it was done"
    commands = {
        "store": "`create_entities`: one entity for each memory, the text as its observation; `create_relations` to its user and its sources",
        "by id": "`delete_entities`",
        "by words": 'not offered; `search_nodes` for "dentist", "dental", "teeth", reviewed, then `delete_entities`',
        "by person": "`open_nodes` and `read_graph` for the relations of the user, then `delete_entities`; mentions: `search_nodes(name)`, reviewed",
        "after that": "nothing documented",
        "backup": "copy of the file",
        "asked": "`read_graph`, `open_nodes`, `search_nodes`, the resource `memory://knowledge-graph`",
    }

    def versions(self):
        return [f"{PACKAGE} {VERSION}"]

    def open(self):
        variables = {**os.environ, "MEMORY_FILE_PATH": str(self.folder / "memory.jsonl")}
        self.server = McpServer(["node", str(installed())], variables)

    def close(self):
        self.server.close()

    def remember(self, memory):
        name = self.ids[memory.key] = f"memory {memory.key}"
        kind = "summary" if memory.derived else f"turn of {memory.session}" if memory.session else "fact"
        person = {"name": memory.user, "entityType": "person", "observations": []}
        entity = {"name": name, "entityType": kind, "observations": [memory.text]}
        self.server.tool("create_entities", entities=[person, entity])
        links = [{"from": name, "to": memory.user, "relationType": "belongs to"}]
        links += [{"from": name, "to": self.ids[source], "relationType": "derived from"} for source in memory.sources]
        self.server.tool("create_relations", relations=links)

    def forget_ids(self, memories):
        if memories:
            self.server.tool("delete_entities", entityNames=[self.ids[memory.key] for memory in memories])

    def forget_person(self, memories):
        graph = json.loads(self.server.tool("read_graph"))
        owned = [
            link["from"] for link in graph["relations"] if link["to"] == LEAVER and link["relationType"] == "belongs to"
        ]
        self.server.tool("delete_entities", entityNames=[LEAVER, *owned])
        self.forget_mentions(memories)

    def search(self, user, words, limit):
        """By letters: the server knows no meaning, so the reviewer tries several words and looks at all hits."""
        found = [json.loads(self.server.tool("search_nodes", query=word))["entities"] for word in SPELLINGS[words]]
        return [entity["name"] for entities in found for entity in entities]

    def answers(self, memories):
        yield "list", self.server.tool("read_graph")
        yield "resource", json.dumps(self.server.send("resources/read", {"uri": "memory://knowledge-graph"}))
        for memory in memories:
            yield "get", self.server.tool("open_nodes", names=[self.ids.get(memory.key, memory.key)])
            for word in set(memory.question.split()):
                yield "search", self.server.tool("search_nodes", query=word)


if __name__ == "__main__":
    run(McpMemory)

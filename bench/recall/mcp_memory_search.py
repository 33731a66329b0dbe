"""The MCP reference memory server, through its own tools: it finds letters and knows no order of hits."""

import json
import os
import re

from asking import Asked, run

# Words that say nothing about the subject of a question.
PLAIN_WORDS = frozenset(
    "a about after all am an and any are as at be been before by can did do does for from had has have he her hers him his how i in into is it its "
    "many me more most much my no not of on or our s she so some than that the their them then there they this to up us was we were what when "
    "where which who whom whose why will with would you your".split()
)


class McpMemorySearch(Asked):
    commands = {
        "store": "`create_entities`: an entity for each text, the text as its observation; a file for each person",
        "ask": "`search_nodes` for each word of the question but for plain ones; the entities that most words find come first",
    }
    notes = [
        "Its search looks for the letters of the whole question, which no text has. So each word was searched, and hits were ordered by the number of "
        "words that found them: better than one call, and more than the server offers by itself. It cannot limit its answers: tokens are of all of them.",
    ]

    def versions(self):
        from mcp_memory import PACKAGE, VERSION

        return [f"{PACKAGE} {VERSION}"]

    def open(self):
        self.server = None

    def use(self, space):
        from mcp_client import McpServer
        from mcp_memory import installed

        self.close()
        variables = {**os.environ, "MEMORY_FILE_PATH": str(self.folder / f"{space['id']}.jsonl")}
        self.server = McpServer(["node", str(installed())], variables)

    def close(self):
        if self.server:
            self.server.close()

    def store(self, space):
        entities = [
            {"name": text["id"], "entityType": "memory", "observations": [text["text"]]} for text in space["texts"]
        ]
        self.server.tool("create_entities", entities=entities)

    def search(self, space, question):
        words = [word for word in re.findall(r"\w+", question.lower()) if word not in PLAIN_WORDS]
        counts, texts = {}, {}
        for word in dict.fromkeys(words):
            for entity in json.loads(self.server.tool("search_nodes", query=word))["entities"]:
                counts[entity["name"]] = counts.get(entity["name"], 0) + 1
                texts[entity["name"]] = "\n".join(entity["observations"])
        # Equal counts stay in the order of the server's file.
        return [(name, texts[name]) for name in sorted(counts, key=lambda name: -counts[name])]


if __name__ == "__main__":
    run(McpMemorySearch)

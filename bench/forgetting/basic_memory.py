"""basic-memory: Markdown notes with an index in SQLite, through its own MCP server."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

from mcp_client import McpServer
from protocol import Peer, run
from story import LEAVER, OTHER, OWNER, SPELLINGS

PROJECT = "main"
PROGRAM = Path(sys.executable).with_name("basic-memory")
RESET_SECONDS_MAX = 600


class BasicMemory(Peer):
    proof = "none: `true`"
    commands = {
        "store": "`write_note(title, content, directory=user)`; sources as relations: `- derived_from [[title]]`",
        "by id": "`delete_note(identifier)`",
        "by words": 'not offered; `search_notes` for "dentist", "dental", "teeth", reviewed, then `delete_note` of each',
        "by person": "`delete_note(directory, is_directory=true)`; mentions: `search_notes(name)`, reviewed, then `delete_note` of each",
        "after that": "`basic-memory reset --reindex`, which makes the index anew from the notes",
        "backup": "copy of the notes and of the configuration folder, which has the index",
        "asked": "`read_note`, `search_notes`, `recent_activity`, `list_directory`, `build_context`",
    }
    notes = [
        "Its search by meaning needs a model from the network and a Python whose SQLite loads extensions, so it was off: the reviewer "
        "searched by words.",
    ]

    def versions(self):
        return [f"basic-memory {importlib.metadata.version('basic-memory')}"]

    def open(self):
        for name in ("notes", "configuration"):
            (self.folder / name).mkdir(exist_ok=True)
        self.server = McpServer([str(PROGRAM), "mcp"], self.variables())

    def variables(self):
        return {
            **os.environ,
            "BASIC_MEMORY_HOME": str(self.folder / "notes"),
            "BASIC_MEMORY_CONFIG_DIR": str(self.folder / "configuration"),
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
            "BASIC_MEMORY_AUTO_UPDATE": "false",
            "BASIC_MEMORY_NO_PROMOS": "1",
        }

    def close(self):
        self.server.close()

    def tool(self, name, **given):
        return self.server.tool(name, project=PROJECT, **given)

    def remember(self, memory):
        title = f"memory {memory.key}"
        content = memory.text
        if memory.session:
            content += f"\n\n- part_of [[conversation {memory.session}]]"
        if memory.sources:
            content += "\n\n" + "\n".join(f"- derived_from [[memory {source}]]" for source in memory.sources)
        said = self.tool("write_note", title=title, content=content, directory=memory.user)
        lines = dict(line.split(": ", 1) for line in said.splitlines() if line.startswith("permalink: "))
        self.ids[memory.key] = lines["permalink"]

    def forget_ids(self, memories):
        for memory in memories:
            said = self.tool("delete_note", identifier=self.ids[memory.key])
            if said.strip() != "true":
                raise RuntimeError(f"delete_note {self.ids[memory.key]}: {said}")

    def forget_person(self, memories):
        self.tool("delete_note", identifier=LEAVER, is_directory=True)
        self.forget_mentions(memories)

    def search(self, user, words, limit):
        """By words: the reviewer tries several, and each hit but once."""
        found = {}
        for word in SPELLINGS[words]:
            for line in self.tool("search_notes", query=word, page_size=limit).splitlines():
                if line.startswith("- permalink: "):
                    found[line.removeprefix("- permalink: ")] = None
        return list(found)

    def tidy(self):
        # Forced: a server of somebody else on this machine would forbid it, and has another database.
        command = [str(PROGRAM), "reset", "--reindex", "--force"]
        streams = {"input": "y\n", "text": True, "stdout": sys.stderr}
        subprocess.run(command, check=True, env=self.variables(), timeout=RESET_SECONDS_MAX, **streams)

    def answers(self, memories):
        yield "recent", self.tool("recent_activity", timeframe="7d", page_size=100)
        for user in (OWNER, LEAVER, OTHER):
            yield "list", self.tool("list_directory", dir_name=user)
        for memory in memories:
            known = self.ids.get(memory.key, memory.key)
            yield "get", self.tool("read_note", identifier=known)
            yield "context", self.tool("build_context", url=f"memory://{known}")
            words = " OR ".join(word.strip(".,:;'") for word in memory.question.split() if word.isalpha())
            yield "search", self.tool("search_notes", query=words, page_size=20, output_format="json")


if __name__ == "__main__":
    run(BasicMemory)

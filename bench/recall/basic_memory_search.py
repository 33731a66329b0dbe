"""basic-memory: Markdown notes with an index in SQLite, asked through its own MCP server by words and meaning at once."""

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

from asking import HITS_MAX, Asked, run

# Takes the place of a `sqlite3` that loads no extension.
SQLITE = "import sys\nimport pysqlite3\nimport pysqlite3.dbapi2\nsys.modules['sqlite3'] = pysqlite3\nsys.modules['sqlite3.dbapi2'] = pysqlite3.dbapi2\n"


class BasicMemorySearch(Asked):
    commands = {
        "store": "a Markdown file for each text in the folder of a project, a project for each person; `basic-memory project add`, which indexes them",
        "ask": '`search_notes(question, search_type="hybrid", page_size=10)`',
    }
    notes = [
        "Vectors by `semantic_embedding_provider=openai` from a server of this benchmark with the same model. The `sqlite3` of Python was that of the package "
        "pysqlite3, because the one at hand loads no extension.",
    ]

    def versions(self):
        return [f"{name} {importlib.metadata.version(name)}" for name in ("basic-memory", "sqlite-vec")]

    def open(self):
        from mcp_client import McpServer

        model = [os.environ["MODEL_PYTHON"], str(Path(__file__).with_name("endpoint.py")), self.vectors]
        self.model = subprocess.Popen(model, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in ("home", "projects", "configuration", "modules"):
            (self.folder / name).mkdir()
        (self.folder / "modules" / "sitecustomize.py").write_text(SQLITE)
        self.variables = {
            **os.environ,
            "PYTHONPATH": str(self.folder / "modules"),
            "BASIC_MEMORY_HOME": str(self.folder / "home"),
            "BASIC_MEMORY_CONFIG_DIR": str(self.folder / "configuration"),
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "true",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER": "openai",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": "all-MiniLM-L6-v2",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": "384",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_BASE": self.model.stdout.readline().strip(),
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_KEY": "unused",
            "BASIC_MEMORY_AUTO_UPDATE": "false",
            "BASIC_MEMORY_NO_PROMOS": "1",
            "OPENAI_API_KEY": "unused",
        }
        self.program = str(Path(sys.executable).with_name("basic-memory"))
        self.server, self.start = None, McpServer

    def close(self):
        if self.server:
            self.server.close()
        self.model.stdin.close()
        self.model.wait()

    def call(self, *words):
        done = subprocess.run(
            [self.program, *words], env=self.variables, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        # A note that it cannot index is one that it does not find; the others are there.
        if done.returncode != 0 and "indexing it fail" not in done.stdout + done.stderr:
            raise RuntimeError(f"basic-memory {' '.join(words)}: {done.stdout[-500:]}{done.stderr[-500:]}")

    def store(self, space):
        folder = self.folder / "projects" / space["id"]
        folder.mkdir()
        for number, text in enumerate(space["texts"]):
            (folder / f"{number}.md").write_text(f"---\ntitle: {number}\n---\n\n{text['text']}\n")
        self.call("project", "add", space["id"], str(folder), "--local")

    def settle(self):
        self.server = self.start([self.program, "mcp"], self.variables)

    def search(self, space, question):
        given = {"project": space["id"], "query": question, "search_type": "hybrid", "page_size": HITS_MAX}
        said = json.loads(self.server.tool("search_notes", output_format="json", **given))
        hits = []
        for result in said["results"]:
            number = int(Path(result["file_path"]).stem)
            hits.append((space["texts"][number]["id"], result.get("content") or result.get("matched_chunk") or ""))
        return hits


if __name__ == "__main__":
    run(BasicMemorySearch)

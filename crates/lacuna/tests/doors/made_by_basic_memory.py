"""Notes of basic-memory, written by its own MCP server: `made_by_basic_memory.py BENCH_FOLDER FOLDER`. It is installed as the benchmarks install it."""

import os
import sys
from pathlib import Path

bench, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path += [str(bench), str(bench / "forgetting")]

from environments import Entry, environment  # noqa: E402
from mcp_client import McpServer  # noqa: E402

python = Path(environment(Entry("basic_memory", "basic-memory", python=(3, 12), embeds=False)))
for name in ("home", "notes", "configuration"):
    (folder / name).mkdir(parents=True)
variables = {
    **os.environ,
    "HOME": str(folder / "home"),
    "BASIC_MEMORY_HOME": str(folder / "notes"),
    "BASIC_MEMORY_CONFIG_DIR": str(folder / "configuration"),
    "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
    "BASIC_MEMORY_AUTO_UPDATE": "false",
    "BASIC_MEMORY_NO_PROMOS": "1",
}
memory = McpServer([str(python.with_name("basic-memory")), "mcp"], variables)

SOURDOUGH = """\
# Sourdough

The starter lives in the cellar.

## Observations
- [method] Feed it at dawn #starter (since spring)
- [fact] Rye keeps longest

## Relations
- needs [[Rye flour]]
"""


def tool(name: str, **given: object) -> str:
    return memory.tool(name, project="main", **given)


tool("write_note", title="Sourdough", content=SOURDOUGH, directory="kitchen", tags=["baking", "bread"])
tool("write_note", title="Debt", content="Forty crowns to the baker.", directory="kitchen")
tool("edit_note", identifier="kitchen/sourdough", operation="append", content="\n- [fact] The long loaf needs forty minutes\n")
deleted = tool("delete_note", identifier="kitchen/debt")
assert deleted.strip() == "true", deleted
memory.close()

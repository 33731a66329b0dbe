"""Anthropic's memory tool. The line that makes it is the one that differs; a model would make the calls below."""

import os

from lacuna_memory import Lacuna
from lacuna_memory.adapters.anthropic import LacunaMemoryTool

memory = Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"])
tool = LacunaMemoryTool(memory)
# client.beta.messages.tool_runner(model=…, max_tokens=…, messages=[…], tools=[tool])

tool.call({"command": "create", "path": "/memories/garden.md", "file_text": "Tulips by the gate.\n"})
print("Tulips by the gate." in str(tool.call({"command": "view", "path": "/memories/garden.md"})))
tool.call({"command": "delete", "path": "/memories/garden.md"})
print("garden" in str(tool.call({"command": "view", "path": "/memories"})))

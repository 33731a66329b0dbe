"""A LangGraph store. The line that makes it is the one that differs."""

import os

from lacuna_memory import Lacuna
from lacuna_memory.adapters.langgraph import LacunaStore

memory = Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"])
store = LacunaStore(memory)

store.put(("users", "ada"), "commute", {"text": "cycles to work along the canal"})
print(store.search(("users",), query="How does she get to the office?")[0].value["text"])
store.delete(("users", "ada"), "commute")
print(store.get(("users", "ada"), "commute"))

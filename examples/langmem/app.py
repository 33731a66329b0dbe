"""LangMem's tools over Lacuna. The store is the one line that differs."""

import os

from langmem import create_manage_memory_tool, create_search_memory_tool

from lacuna_memory import Lacuna
from lacuna_memory.adapters.langgraph import LacunaStore

store = LacunaStore(Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"]))

manage = create_manage_memory_tool(namespace=("memories",), store=store)
search = create_search_memory_tool(namespace=("memories",), store=store)
manage.invoke({"content": "Prefers tea in the afternoon.", "action": "create"})
print("tea" in str(search.invoke({"query": "What does she drink?"})))

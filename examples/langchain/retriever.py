"""A retriever for LangChain. The line that makes it is the one that differs."""

import os

from lacuna_memory import Lacuna
from lacuna_memory.adapters.langchain import LacunaRetriever

memory = Lacuna(os.environ["LACUNA_URL"], os.environ["LACUNA_TOKEN"])
retriever = LacunaRetriever(memory=memory, k=1)

memory.remember("The spare key is with Ingrid.")
memory.remember("The pool opens at seven.")
print(retriever.invoke("Who has the spare key?")[0].page_content)

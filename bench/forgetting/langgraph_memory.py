"""LangGraph's InMemoryStore: nothing is written, so there is no disk to read and no backup to restore."""

from langgraph_peer import LangGraph
from protocol import run


class InMemory(LangGraph):
    volatile = True
    commands = {**LangGraph.commands, "after that": "nothing to do", "backup": "none: it keeps nothing"}
    notes = ["It forgets everything when the process ends. RAM is not read in this benchmark."]

    def open(self):
        # One object for all steps: a new one would be empty.
        if not hasattr(self, "store"):
            from langgraph.store.memory import InMemoryStore

            self.store = InMemoryStore(index=self.index())


if __name__ == "__main__":
    run(InMemory)

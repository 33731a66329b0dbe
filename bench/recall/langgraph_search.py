"""LangGraph's InMemoryStore with an index by meaning."""

import importlib.metadata

from asking import HITS_MAX, Asked, run


class LangGraphSearch(Asked):
    commands = {
        "store": '`put(("memories", person), key, {"text"})` with `index={"dims", "embed", "fields": ["text"]}`',
        "ask": "`search(namespace, query=question, limit=10)`",
    }

    def versions(self):
        return [f"{name} {importlib.metadata.version(name)}" for name in ("langgraph", "langgraph-checkpoint")]

    def open(self):
        from langgraph.store.memory import InMemoryStore

        from vectors import Embedder

        model = Embedder(self.vectors)
        index = {"dims": model.width, "embed": lambda texts: model.embed(texts).tolist(), "fields": ["text"]}
        self.store_of_all = InMemoryStore(index=index)

    def store(self, space):
        # One by one: a batch with two equal texts is refused.
        for text in space["texts"]:
            self.store_of_all.put(("memories", space["id"]), text["id"], {"text": text["text"]})

    def search(self, space, question):
        found = self.store_of_all.search(("memories", space["id"]), query=question, limit=HITS_MAX)
        return [(item.key, item.value["text"]) for item in found]


if __name__ == "__main__":
    run(LangGraphSearch)

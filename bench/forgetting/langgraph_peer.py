"""LangGraph's stores, which share one interface: namespaces, keys and values."""

import importlib.metadata
import json

from protocol import SEARCHED_HITS, Peer
from story import LEAVER, OTHER, OWNER

LIST_MAX = 1_000


class LangGraph(Peer):
    proof = "none: `delete` returns nothing"
    commands = {
        "store": '`put(("memories", user), key, {"text", "session", "derived_from"}, index=["text"])`',
        "by id": "`delete(namespace, key)`",
        "by words": "not offered; `search(namespace, query=words)`, reviewed, then `delete` of each",
        "by person": "`search(namespace)` and `delete` of each key; mentions: `search(namespace, query=name)`, reviewed, then `delete` of each",
        "asked": "`search`, `get`, `list_namespaces`",
    }

    def index(self):
        from embedding import WIDTH, MiniLm

        model = MiniLm()
        return {"dims": WIDTH, "embed": lambda texts: model.embed(list(texts)).tolist(), "fields": ["text"]}

    def versions(self):
        names = ["langgraph", "langgraph-checkpoint"]
        return [f"{name} {importlib.metadata.version(name)}" for name in names]

    def remember(self, memory):
        value = {"text": memory.text}
        if memory.session:
            value["session"] = memory.session
        if memory.sources:
            value["derived_from"] = [self.ids[source] for source in memory.sources]
        self.ids[memory.key] = memory.key
        self.store.put(("memories", memory.user), memory.key, value)

    def forget_ids(self, memories):
        for memory in memories:
            self.store.delete(("memories", memory.user), self.ids[memory.key])

    def forget_person(self, memories):
        for item in self.store.search(("memories", LEAVER), limit=LIST_MAX):
            self.store.delete(item.namespace, item.key)
        self.forget_mentions(memories)

    def search(self, user, words, limit):
        return [item.key for item in self.store.search(("memories", user), query=words, limit=limit)]

    def answers(self, memories):
        def shown(items):
            return json.dumps([item and item.dict() for item in items], default=str)

        yield "namespaces", json.dumps(self.store.list_namespaces())
        for user in (OWNER, LEAVER, OTHER):
            yield "list", shown(self.store.search(("memories", user), limit=LIST_MAX))
        for memory in memories:
            space = ("memories", memory.user)
            yield "get", shown([self.store.get(space, memory.key)])
            yield "search", shown(self.store.search(space, query=memory.question, limit=SEARCHED_HITS))

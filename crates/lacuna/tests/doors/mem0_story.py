"""mem0's client for Python, unchanged but for its host: every call that the door serves."""

import sys

from mem0 import AsyncMemoryClient, MemoryClient
from mem0.exceptions import MemoryNotFoundError

host, token = sys.argv[1:]
client = MemoryClient(api_key=token, host=host)

said = [
    {"role": "user", "content": "I cycle to work along the canal."},
    {"role": "assistant", "content": "Noted: you cycle along the canal."},
]
added = client.add(said, user_id="ada", metadata={"topic": "travel", "level": 3})
assert added["status"] == "SUCCEEDED" and [each["event"] for each in added["results"]] == ["ADD", "ADD"], added
first = added["results"][0]["id"]
client.add("I cycle to work along the canal.", user_id="ben", infer=False)
client.add("The choir meets on Thursdays.", user_id="ada", run_id="r1", expiration_date="2099-12-31")

found = client.search("How do I get to the office?", filters={"user_id": "ada"}, top_k=3)["results"]
assert found and {each["user_id"] for each in found} == {"ada"}, found
assert found[0]["memory"].startswith(("I cycle", "Noted")) and found[0]["score"] > 0, found
nested = {"AND": [{"user_id": "ada"}, {"metadata": {"level": {"gte": 3}}}]}
assert len(client.search("canal", filters=nested)["results"]) == 2
assert len(client.search("canal", filters={"OR": [{"user_id": "ben"}, {"run_id": "*"}]})["results"]) == 2

page = client.get_all(filters={"user_id": "ada"}, page=1, page_size=2)
assert page["count"] == 3 and len(page["results"]) == 2 and page["next"], page
assert client.get_all(filters={"user_id": "ada"}, page=2, page_size=2)["next"] is None

memory = client.get(first)
assert memory["memory"] == said[0]["content"] and memory["metadata"]["topic"] == "travel", memory
client.update(first, text="I take the tram to work.", metadata={"topic": "trams"})
changed = client.get(first)
assert changed["id"] == first and changed["memory"] == "I take the tram to work.", changed
assert changed["metadata"] == {"topic": "trams"} and changed["created_at"] == memory["created_at"], changed
history = client.history(first)
assert [each["event"] for each in history] == ["ADD", "UPDATE"], history
assert "canal" not in str(history) and history[-1]["new_memory"] == "I take the tram to work.", history

others = [each["id"] for each in client.get_all(filters={"user_id": "ada"})["results"] if each["id"] != first]
client.batch_update([{"memory_id": each, "text": f"Changed number {number}."} for number, each in enumerate(others)])
assert client.get(others[1])["memory"] == "Changed number 1."
client.batch_delete([{"memory_id": others[0]}])
try:
    client.get(others[0])
    raise AssertionError("a deleted memory was shown")
except MemoryNotFoundError:
    pass
answer = client.delete(first)
assert answer["receipts"][0]["receipt"].startswith("DEL-"), answer

users = {each["name"]: each["type"] for each in client.users()["results"]}
assert users == {"ada": "user", "ben": "user", "r1": "run"} or users == {"ada": "user", "ben": "user"}, users
client.delete_all(user_id="ada")
assert client.get_all(filters={"user_id": "ada"})["count"] == 0
assert client.get_all(filters={"user_id": "ben"})["count"] == 1, "equal texts of others stay"
client.delete_users(user_id="ben")
assert client.users()["count"] == 0

import asyncio


async def story() -> None:
    client = AsyncMemoryClient(api_key=token, host=host)
    await client.add("The kettle is loud.", user_id="eve")
    found = await client.search("kettle", filters={"user_id": "eve"})
    assert found["results"][0]["memory"] == "The kettle is loud.", found
    await client.delete_all(user_id="eve")


asyncio.run(story())
print("done")

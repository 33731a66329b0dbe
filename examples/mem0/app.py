"""An application that uses mem0. The host is the one line that differs."""

import os

from mem0 import MemoryClient

client = MemoryClient(api_key=os.environ["LACUNA_TOKEN"], host=os.environ["LACUNA_URL"] + "/mem0")

client.add("I cycle to work along the canal.", user_id="ada")
found = client.search("How do I get to the office?", filters={"user_id": "ada"})
print(found["results"][0]["memory"])

answer = client.delete_all(user_id="ada")
print(answer["receipts"][0]["counts"]["keys_destroyed"], "key destroyed")

"""Rows of LangGraph's PostgresStore, written by LangGraph itself: `made_by_langgraph.py URL FILE` leaves them as lines in the file."""

import sys
from pathlib import Path

import psycopg
from langgraph.store.postgres import PostgresStore

url, file = sys.argv[1:]
with PostgresStore.from_conn_string(url, ttl={"default_ttl": None}) as store:
    store.setup()
    store.put(("users", "ada"), "commute", {"text": "cycles along the canal", "legs": [1, 2.5, None, {"ü": True}]})
    store.put(("users", "ada"), "choir", {"text": "sings on Tuesdays"})
    store.put(("users", "ada"), "choir", {"text": "sings on Thursdays"})
    store.put(("users", "ben"), "ticket", {"text": "a ticket for the ferry"}, ttl=90_000)
    store.put(("users", "ben"), "debt", {"text": "owes the baker forty crowns"})
    store.delete(("users", "ben"), "debt")
with psycopg.connect(url) as connection:
    rows = connection.execute("select row_to_json(store)::text from store").fetchall()
Path(file).write_text("".join(f"{row}\n" for (row,) in rows))

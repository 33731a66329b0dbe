"""The search for traces finds what it should, and nothing else: `python3 bench/forgetting/traces_test.py`."""

import base64
import sqlite3
import tempfile
import unittest
from pathlib import Path

import page
import traces
from story import PART_LETTERS, STAYS, story

MEMORIES = story(1)
FIRST = MEMORIES[0]


def found(data):
    return traces.in_bytes(data, MEMORIES)


class Traces(unittest.TestCase):
    def test_every_spelling_of_a_text_is_found(self):
        text = FIRST.text
        for data in (
            text.encode(),
            text.upper().encode(),
            text.encode("utf-16-le"),
            text.encode("utf-16-be"),
            text.encode().hex().encode(),
            text.encode().hex().upper().encode(),
            *(base64.b64encode(b"x" * lead + text.encode()) for lead in range(3)),
            FIRST.canary[:PART_LETTERS].encode(),
            FIRST.canary[-PART_LETTERS:].encode(),
        ):
            self.assertEqual(found(data), {FIRST.key}, data)

    def test_other_bytes_are_not(self):
        self.assertEqual(found(FIRST.question.encode()), set())
        self.assertEqual(found(bytes(range(256)) * 64), set())

    def test_a_deleted_row_is_found_in_the_pages_of_its_database(self):
        with tempfile.TemporaryDirectory() as folder:
            database = sqlite3.connect(Path(folder) / "a.db")
            database.execute("PRAGMA secure_delete = off")
            database.execute("CREATE TABLE memories (text)")
            database.executemany("INSERT INTO memories VALUES (?)", [(memory.text,) for memory in MEMORIES])
            database.commit()
            database.execute("DELETE FROM memories WHERE text = ?", (FIRST.text,))
            database.commit()
            database.close()
            self.assertIn(FIRST.key, traces.in_folder(folder, MEMORIES))

    def test_a_name_of_a_file_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / f"{FIRST.canary}.md").write_text("")
            self.assertEqual(set(traces.in_folder(folder, MEMORIES)), {FIRST.key})

    def test_no_question_holds_a_canary_and_every_canary_differs(self):
        self.assertEqual(len({memory.canary for memory in MEMORIES}), len(MEMORIES))
        for memory in MEMORIES:
            self.assertEqual(traces.in_text(memory.question, MEMORIES), set())
            self.assertEqual(traces.in_text(memory.text, MEMORIES), {memory.key})

    def test_the_numbers_of_the_page_are_those_of_the_story(self):
        text = (Path(__file__).parent / "README.md").read_text()
        direct = [memory for memory in MEMORIES if memory.fate != STAYS and not memory.derived]
        self.assertIn(f"`story.py` has {len(MEMORIES)} memories", text)
        self.assertIn(f"of the {len(direct)} memories that were asked to be forgotten", text)

    def test_a_peer_that_failed_is_named_with_the_reason(self):
        figures = [{"title": "Someone", "script": "someone", "failed": "no network"}]
        self.assertIn("not measured: no network", page.table(figures))
        self.assertNotIn("Someone", page.picture(figures))


if __name__ == "__main__":
    unittest.main()

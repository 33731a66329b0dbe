"""The life of a memory, with both clients against the real binary."""

from __future__ import annotations

import asyncio
import json
import stat

from lacuna_memory import AsyncLacuna, NeedsConfirmation, NotFound
from support import Folder, People

KEY = "The spare key is with Ingrid."


class Blocking(People):
    def test_remember_find_and_inspect(self) -> None:
        memory = self.person()
        stored = memory.remember(KEY, tags=["home"], salience=0.7)
        self.assertEqual(stored["state"], "active")
        found = memory.search("Who has the spare key?", max_results=3)["memories"]
        self.assertEqual(found[0]["memory_id"], stored["memory_id"])
        whole = memory.get_memory(stored["memory_id"])
        self.assertEqual((whole["content"], whole["tags"]), (KEY, ["home"]))
        self.assertIn(KEY, memory.context("I lost the spare key!", max_tokens=200)["text"])
        self.assertEqual([each["gist"] for each in memory.list_memories(tag=["home"])["memories"]], [KEY])
        self.assertEqual(memory.list_memories(tag=["work"])["memories"], [])
        memory.pin([stored["memory_id"]])
        self.assertTrue(memory.get_memory(stored["memory_id"])["pinned"])
        memory.set_state([stored["memory_id"]], "archived")
        self.assertEqual(memory.list_memories()["memories"], [])
        self.assertEqual(memory.health()["status"], "alive")
        self.assertEqual(memory.ready()["status"], "ready")
        self.assertEqual(memory.list_scopes()["scopes"], [stored["scope"], "org"])

    def test_a_batch_answers_each_text_and_pages_follow_one_another(self) -> None:
        memory = self.person()
        texts = [f"Shelf {number} holds the paint for boat {number}." for number in range(5)]
        answers = memory.remember_batch([*texts, {"content": "I was diagnosed with diabetes."}])["memories"]
        self.assertEqual([each["outcome"] for each in answers], ["stored"] * 5 + ["asked"])
        listed = [each["gist"] for each in memory.iter_memories(limit=2)]
        self.assertEqual(sorted(listed), texts)

    def test_a_text_that_needs_a_yes_is_stored_after_it(self) -> None:
        memory = self.person()
        text = "I was diagnosed with diabetes."
        with self.assertRaises(NeedsConfirmation) as refused:
            memory.remember(text)
        self.assertEqual(refused.exception.asked["questions"], ["consent"])
        self.assertEqual(memory.remember(text, confirm=refused.exception.confirm)["state"], "active")

    def test_forgetting_shows_a_plan_and_leaves_a_receipt(self) -> None:
        memory = self.person()
        stored = memory.remember(KEY)
        plan = memory.plan_forget("forget everything about Ingrid")
        self.assertEqual((plan["outcome"], plan["direct"]), ("plan", 1))
        memory.get_memory(stored["memory_id"])
        done = memory.confirm_forget(plan["token"] or "")
        self.assertEqual(done["memory_ids"], [stored["memory_id"]])
        with self.assertRaises(NotFound):
            memory.get_memory(stored["memory_id"])
        receipt = memory.get_receipt(done["receipts"][0]["receipt"])
        self.assertEqual(receipt["counts"]["keys_destroyed"], 1)
        self.assertEqual(memory.list_receipts()["receipts"], [receipt])
        self.assertTrue(memory.verify_forgotten("Ingrid")["forgotten"])

    def test_everything_needs_two_confirmations(self) -> None:
        memory = self.person()
        memory.remember(KEY)
        plan = memory.plan_forget(everything=True)
        again = memory.confirm_forget(plan["token"] or "")
        self.assertEqual((again["outcome"], again["memory_ids"]), ("again", []))
        done = memory.confirm_forget(again["token"] or "")
        self.assertEqual(done["outcome"], "done")
        self.assertEqual(list(memory.iter_memories()), [])

    def test_correct_and_erase(self) -> None:
        memory = self.person()
        stored = memory.remember(KEY)
        corrected = memory.correct("The spare key is with Marten.", memory_id=stored["memory_id"])
        self.assertEqual(corrected["replaced"], stored["memory_id"])
        new = corrected["memory"]
        assert new is not None
        self.assertEqual(memory.erase_memory(new["memory_id"])["memory_ids"], [new["memory_id"]])
        self.assertEqual(memory.search("spare key")["memories"], [])

    def test_a_memory_is_replaced_under_its_id(self) -> None:
        memory = self.person()
        stored = memory.remember(KEY, metadata={"room": "hall", "n": 2})
        replaced = memory.replace_memory(stored["memory_id"], "The spare key is with Otto.")
        self.assertEqual(replaced["memory"]["memory_id"], stored["memory_id"])
        self.assertEqual(memory.get_receipt(replaced["receipt"])["counts"]["keys_destroyed"], 1)
        memory.set_expiry([stored["memory_id"]], "2200-01-01T00:00:00Z")
        listed = memory.list_memories(full=True, filter=json.dumps({"room": "hall"}))["memories"]
        self.assertEqual([each["content"] for each in listed], ["The spare key is with Otto."])
        self.assertEqual((listed[0]["metadata"], listed[0]["expires_at"]), ({"room": "hall", "n": 2}, "2200-01-01T00:00:00Z"))
        self.assertEqual(memory.search("key", filter={"n": {"$gt": 2}})["memories"], [])
        memory.set_expiry([stored["memory_id"]], None)
        self.assertNotIn("expires_at", memory.list_memories()["memories"][0])

    def test_a_conversation_is_read_back_and_ended(self) -> None:
        memory = self.person()
        name = "desk/7 ü?#"
        turns = [{"role": "user", "text": "Which paint holds?"}, {"role": "assistant", "text": "The primer."}]
        appended = memory.append_turns(name, turns, expected_turn=1)
        self.assertEqual((appended["session_id"], appended["next_turn"]), (name, 3))
        self.assertEqual([turn["text"] for turn in memory.iter_turns(name, limit=1)], [t["text"] for t in turns])
        self.assertEqual(memory.list_sessions()["sessions"][0]["session_id"], name)
        self.assertEqual(memory.end_session(name)["state"], "ended")
        self.assertTrue(memory.start_session()["session_id"])

    def test_a_review_decides(self) -> None:
        memory = self.person()
        stored = memory.remember("Anna moved to Lyon.", source={"type": "ai_inference"})
        self.assertEqual(stored["state"], "candidate")
        waiting = memory.list_review()["memories"]
        self.assertEqual([each["memory_id"] for each in waiting], [stored["memory_id"]])
        decided = memory.review([{"memory_id": stored["memory_id"], "decision": "accept"}])
        self.assertEqual(decided["decided"][0]["state"], "active")
        self.assertEqual(memory.list_review()["memories"], [])

    def test_an_export_is_streamed_and_comes_back(self) -> None:
        memory = self.person()
        texts = {f"Shelf {number} holds the paint for boat {number}." for number in range(50)}
        memory.remember_batch(texts)
        exported = b"".join(memory.export())
        self.assertEqual(json.loads(exported)["record_count"], len(texts))
        path = self.folder / "export.json"
        memory.export_to(path)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        with self.assertRaises(FileExistsError):
            memory.export_to(path)
        self.assertEqual(memory.import_memories(path.read_bytes(), dry_run=True)["repeated"], len(texts))
        other = self.person()
        self.assertEqual(other.import_memories(path.read_bytes(), source="lacuna")["stored"], len(texts))
        self.assertEqual({each["gist"] for each in other.iter_memories(limit=20)}, texts)

    def test_a_frozen_vault_is_read(self) -> None:
        memory = self.person()
        self.assertIsNotNone(memory.freeze()["frozen_since"])
        self.assertIsNotNone(memory.vault_state().get("frozen_since"))
        self.assertIsNone(memory.freeze(False).get("frozen_since"))

    def test_the_same_key_does_the_work_once(self) -> None:
        memory = self.person()
        first = memory.remember(KEY, idempotency_key="k1")
        again = memory.remember(KEY, idempotency_key="k1")
        self.assertEqual(first, again)
        self.assertEqual(memory.remember(KEY)["repeats"], 1)


class Asynchronous(Folder):
    def test_the_story(self) -> None:
        asyncio.run(self.story())

    async def story(self) -> None:
        async with AsyncLacuna(data=self.data, user="anna") as memory:
            stored = await memory.remember(KEY, tags=["home"])
            answers = await asyncio.gather(*(memory.search("spare key") for _ in range(8)))
            self.assertEqual({each["memories"][0]["memory_id"] for each in answers}, {stored["memory_id"]})
            await memory.append_turns("desk", [{"role": "user", "text": "Which paint holds on wet wood?"}])
            self.assertEqual([turn["turn"] async for turn in memory.iter_turns("desk")], [1])
            self.assertEqual(len([each async for each in memory.iter_memories(limit=1)]), 2)
            exported = b"".join([piece async for piece in memory.export()])
            self.assertEqual(json.loads(exported)["record_count"], 2)
            path = self.folder / "export.json"
            await memory.export_to(path)
            self.assertEqual(json.loads(path.read_bytes())["record_count"], 2)
            plan = await memory.plan_forget("forget everything about Ingrid")
            await memory.confirm_forget(plan["token"] or "")
            with self.assertRaises(NotFound):
                await memory.get_memory(stored["memory_id"])
            bert = memory.for_user("bert")
            self.assertEqual((await bert.list_scopes())["scopes"], ["user:bert", "org"])
            await bert.close()

"""What is sent again, what is not, and what never leaves."""

from __future__ import annotations

import asyncio
import time
import unittest
from unittest import mock

from lacuna_memory import (
    ApiError,
    AsyncLacuna,
    ConnectionFailed,
    InvalidRequest,
    Lacuna,
    RateLimited,
    ServerFault,
    TimedOut,
    Unavailable,
    _wire,
)
from support import Scripted, problem

BUSY = problem("overloaded", 503, headers={"retry-after": "0"})
STORED = (201, {}, {"memory_id": "mem_1"})
GONE = (200, {}, {"memory_ids": ["mem_1"]})


@mock.patch.object(_wire, "RETRY_SECONDS_FIRST", 0.001)
class Retries(unittest.TestCase):
    def test_a_write_is_sent_again_under_the_same_key(self) -> None:
        with Scripted(BUSY, None, problem("timeout", 503), STORED) as server, Lacuna(server.url) as memory:
            self.assertEqual(memory.remember("a")["memory_id"], "mem_1")
        keys = {headers["idempotency-key"] for _, _, headers in server.seen}
        self.assertEqual((len(server.seen), len(keys)), (4, 1))

    def test_the_asynchronous_client_does_the_same(self) -> None:
        async def story(url: str) -> None:
            async with AsyncLacuna(url) as memory:
                self.assertEqual((await memory.remember("a"))["memory_id"], "mem_1")

        with Scripted(BUSY, None, STORED) as server:
            asyncio.run(story(server.url))
        self.assertEqual(len({headers["idempotency-key"] for _, _, headers in server.seen}), 1)

    def test_two_writes_have_two_keys(self) -> None:
        with Scripted(STORED, STORED) as server, Lacuna(server.url) as memory:
            memory.remember("a")
            memory.remember("a")
        self.assertEqual(len({headers["idempotency-key"] for _, _, headers in server.seen}), 2)

    def test_an_erasure_whose_answer_was_lost_is_not_sent_again(self) -> None:
        with Scripted(None) as server, Lacuna(server.url) as memory:
            with self.assertRaises(ConnectionFailed):
                memory.erase_memory("mem_1")
        self.assertEqual(len(server.seen), 1)

    def test_an_erasure_that_the_server_had_no_time_for_is_sent_again(self) -> None:
        with Scripted(BUSY, GONE) as server, Lacuna(server.url) as memory:
            self.assertEqual(memory.erase_memory("mem_1")["memory_ids"], ["mem_1"])

    def test_attempts_end(self) -> None:
        with Scripted(BUSY, BUSY, BUSY) as server, Lacuna(server.url, retries=2) as memory:
            with self.assertRaises(Unavailable):
                memory.search("a")
        self.assertEqual(len(server.seen), 3)

    def test_a_server_that_asks_for_a_day_is_not_waited_for(self) -> None:
        spent = problem("rate_limited", 429, headers={"retry-after": "86400"})
        with Scripted(spent) as server, Lacuna(server.url) as memory:
            with self.assertRaises(RateLimited) as refused:
                memory.search("a")
        self.assertEqual(refused.exception.retry_after, 86400)

    def test_a_refusal_is_not_sent_again(self) -> None:
        with Scripted(problem("invalid", 422, field="tags")) as server, Lacuna(server.url) as memory:
            with self.assertRaises(InvalidRequest) as refused:
                memory.remember("a")
        self.assertEqual((refused.exception.field, refused.exception.remedy), ("tags", "what to do"))
        self.assertEqual(str(refused.exception), "what happened [invalid]. what to do")

    def test_silence_ends_after_the_time_limit(self) -> None:
        class Silent(Scripted):
            def finish_request(self, request: object, client_address: object) -> None:
                time.sleep(1)

        with Silent() as server, Lacuna(server.url, timeout=0.05, retries=0) as memory:
            with self.assertRaises(TimedOut):
                memory.search("a")

    def test_nobody_listens(self) -> None:
        with Scripted() as server:
            url = server.url
        with Lacuna(url, retries=1) as memory, self.assertRaises(ConnectionFailed) as failed:
            memory.erase_memory("mem_1")
        self.assertTrue(failed.exception.never_sent)

    def test_a_page_of_a_proxy_is_no_answer(self) -> None:
        page = (200, {"content-type": "text/html"}, b"<html>")
        with Scripted(page) as server, Lacuna(server.url) as memory, self.assertRaises(ServerFault):
            memory.health()
        page = (502, {"content-type": "text/html"}, b"<html>secret page")
        with Scripted(page) as server, Lacuna(server.url, retries=0) as memory:
            with self.assertRaises(ApiError) as failed:
                memory.health()
        self.assertEqual((failed.exception.code, failed.exception.status), ("no_document", 502))
        self.assertNotIn("secret page", str(failed.exception))

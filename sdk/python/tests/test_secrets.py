"""A token is seen by the server that it is for, and by nobody else."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback
import unittest
from unittest import mock

from lacuna_memory import AsyncLacuna, Lacuna, LacunaError, Unauthenticated, UnsafeUrl, UsageError
from support import TOKEN, Folder, Scripted, make_token, problem, run

OUTSIDE = ["http://memory.example.com", "http://10.0.0.1:7707", "http://localhost.example.com", "http://[::2]"]
INSIDE = ["https://memory.example.com", "http://localhost:7707", "http://127.0.0.1:1", "http://[::1]:7707"]


class Logged(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += record.getMessage() + "\n"


class Secrets(unittest.TestCase):
    def setUp(self) -> None:
        self.logged = Logged()
        root = logging.getLogger()
        level = root.level
        root.addHandler(self.logged)
        root.setLevel(logging.DEBUG)
        self.addCleanup(root.removeHandler, self.logged)
        self.addCleanup(root.setLevel, level)

    def test_no_repr_log_or_error_shows_the_token(self) -> None:
        echo = problem("unauthenticated", 401, detail=f"Authorization: Bearer {TOKEN}")
        with Scripted(echo) as server, Lacuna(server.url, TOKEN) as memory:
            try:
                memory.search("a")
            except Unauthenticated as error:
                shown = [str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error))]
            shown += [repr(memory), str(memory), repr(vars(memory)), repr(vars(memory._connection))]
        self.assertEqual(server.seen[0][2]["authorization"], f"Bearer {TOKEN}")
        for text in [*shown, self.logged.text]:
            self.assertNotIn(TOKEN, text)

    def test_a_client_is_not_copied_with_its_token(self) -> None:
        with Scripted() as server, Lacuna(server.url, TOKEN) as memory:
            for act in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaises(TypeError):
                    act(memory)

    def test_a_redirect_is_not_followed(self) -> None:
        with Scripted() as thief:
            away = (307, {"location": thief.url}, {})
            with Scripted(away) as server, Lacuna(server.url, TOKEN) as memory, self.assertRaises(LacunaError):
                memory.search("a")
        self.assertEqual(thief.seen, [])

    def test_a_link_to_another_server_is_not_followed(self) -> None:
        with Scripted() as thief:
            made = (201, {}, {"download_url": f"{thief.url}/v1/exports/exp_1"})
            with Scripted(made) as server, Lacuna(server.url, TOKEN) as memory, self.assertRaises(LacunaError):
                list(memory.export())
        self.assertEqual(thief.seen, [])

    def test_the_address_of_an_export_stays_out_of_the_log(self) -> None:
        made = (201, {}, {"download_url": "/v1/exports/exp_5ec4e7"})
        with Scripted(made, (200, {}, {"a": 1})) as server, Lacuna(server.url, TOKEN) as memory:
            self.assertEqual(b"".join(memory.export()), b'{"a": 1}')
        method, path, headers = server.seen[1]
        self.assertEqual((method, path, headers.get("authorization")), ("GET", "/v1/exports/exp_5ec4e7", None))
        self.assertIn("/v1/exports", self.logged.text)
        self.assertNotIn("exp_5ec4e7", self.logged.text)

    def test_no_plain_http_to_other_machines(self) -> None:
        for url in OUTSIDE:
            for token in (TOKEN, None):
                for client in (Lacuna, AsyncLacuna):
                    with self.assertRaises(UnsafeUrl, msg=url):
                        client(url, token)
            Lacuna(url, TOKEN, allow_plain_http=True).close()
        for url in INSIDE:
            Lacuna(url, TOKEN).close()

    def test_an_address_holds_no_password_and_a_token_is_one_line(self) -> None:
        for url in ["https://anna:pw@example.com", "ftp://example.com", "example.com", "https://example.com?token=1"]:
            with self.assertRaises(UsageError, msg=url) as refused:
                Lacuna(url)
            self.assertNotIn("pw", str(refused.exception))
        for token in ["", "a b", "lac_1\nHost: evil", "lac_ü"]:
            with self.assertRaises(UsageError):
                Lacuna("https://example.com", token)

    def test_an_id_leads_nowhere_else(self) -> None:
        with Scripted((200, {}, {})) as server, Lacuna(server.url) as memory:
            for wrong in ["", ".", ".."]:
                with self.assertRaises(UsageError):
                    memory.erase_memory(wrong)
            memory.get_memory("../tokens?x=1#y")
        self.assertEqual([path for _, path, _ in server.seen], ["/v1/memories/..%2Ftokens%3Fx%3D1%23y"])

    def test_a_proxy_of_the_environment_does_not_see_loopback(self) -> None:
        with mock.patch.dict("os.environ", {"http_proxy": "http://127.0.0.1:9", "all_proxy": ""}):
            with Scripted((200, {}, {"status": "alive"})) as server, Lacuna(server.url, TOKEN) as memory:
                self.assertEqual(memory.health()["status"], "alive")


class People(Folder):
    def test_a_service_acts_for_people_and_leaves_no_token_behind(self) -> None:
        admin = make_token(self.data, "service", "admin")
        service = self.client(token=admin, user=None)
        anna, bert = service.for_user("anna"), service.for_user("bert")
        stored = anna.remember("The spare key is with Ingrid.")
        self.assertEqual(stored["scope"], "user:anna")
        self.assertEqual(bert.search("spare key")["memories"], [])
        self.assertEqual(len(list(service.for_user("anna").iter_memories())), 1)
        self.assertEqual(self.valid(), ["anna", "bert", "service"], "one token for each")
        with Lacuna(service.url, admin, user="anna") as again:
            self.assertEqual(again.search("spare key")["memories"][0]["memory_id"], stored["memory_id"])
        self.assertNotIn("lac_", repr(anna) + repr(vars(anna._connection)))
        service.close()
        self.assertEqual(self.valid(), ["service"])

    def test_a_service_names_its_people_and_makes_no_token(self) -> None:
        token = make_token(self.data, "crm", "service", "recall", "remember", "provision")
        service = self.client(token=token, user=None)
        with self.assertRaises(LacunaError) as unknown:
            service.for_user("anna").search("key")
        self.assertEqual(unknown.exception.code, "not_found")
        for person in ["anna", "Jörg / 100%"]:
            service.provision_user(person)
        anna, joerg = service.for_user("anna"), service.for_user("Jörg / 100%")
        stored = anna.remember("The spare key is with Ingrid.")
        self.assertEqual(stored["scope"], "user:anna")
        self.assertEqual(joerg.search("spare key")["memories"], [])
        self.assertEqual(joerg.remember("I sail.")["scope"], "user:Jörg / 100%")
        self.assertEqual(self.valid(), ["crm"])
        with self.assertRaises(LacunaError) as refused:
            anna.plan_forget("forget everything about Ingrid")
        self.assertEqual(refused.exception.code, "denied")
        self.assertEqual(service.remove_user("anna")["memories"], 1)

    def valid(self) -> list[str]:
        """The users of all tokens that are not revoked."""
        tokens = run(self.data, "token", "list")["tokens"]
        return sorted(each["user"] for each in tokens if each.get("revoked_at") is None)

    def test_a_token_of_a_person_does_not_act_for_another(self) -> None:
        token = make_token(self.data, "anna", "user")
        anna = self.client(token=token, user="anna")
        self.assertEqual(anna.remember("I sail.")["scope"], "user:anna")
        with self.assertRaises(LacunaError) as refused:
            anna.for_user("bert").search("a")
        self.assertEqual(refused.exception.code, "denied")

    def test_without_a_token_a_running_server_knows_its_own_user_only(self) -> None:
        server = self.client()
        with Lacuna(server.url, user="anna") as anna:
            self.assertEqual(anna.remember("I sail.")["scope"], "user:anna")
            with self.assertRaises(UsageError):
                anna.for_user("bert").search("a")
        self.assertEqual(server.list_tokens()["tokens"], [])

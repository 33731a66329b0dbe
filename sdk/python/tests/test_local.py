"""A server of one's own: found, started, stopped."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from unittest import mock

from lacuna_memory import ConnectionFailed, Lacuna, LocalServerError, UsageError
from support import Folder

#: A server that is told to stop is gone within a minute.
POLLS_MAX, POLL_SECONDS = 600, 0.1


class Local(Folder):
    def test_the_server_ends_with_the_client(self) -> None:
        with self.client() as memory:
            url = memory.url
            self.assertTrue(url.startswith("http://127.0.0.1:"))
        with Lacuna(url, retries=0) as late, self.assertRaises(ConnectionFailed):
            late.health()

    def test_the_server_ends_with_a_program_that_forgets_to_close(self) -> None:
        program = "from lacuna_memory import Lacuna; memory = Lacuna(); print(memory.url)"
        environment = {**os.environ, "LACUNA_DATA": str(self.data)}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
        with Lacuna(done.stdout.decode().strip(), retries=0) as late, self.assertRaises(ConnectionFailed):
            late.health()

    def test_the_server_ends_with_a_program_that_is_killed(self) -> None:
        program = "from lacuna_memory import Lacuna; memory = Lacuna(); print(memory.url, flush=True); input()"
        environment = {**os.environ, "LACUNA_DATA": str(self.data)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([sys.executable, "-c", program], env=environment, **pipes) as killed:
            assert killed.stdout is not None
            url = killed.stdout.readline().decode().strip()
            with Lacuna(url) as other:
                other.health()
            killed.kill()
        with Lacuna(url, retries=0) as late, self.assertRaises(ConnectionFailed):
            for _ in range(POLLS_MAX):
                late.health()
                time.sleep(POLL_SECONDS)

    def test_memories_outlive_the_server_in_the_data_folder(self) -> None:
        with mock.patch.dict(os.environ, {"LACUNA_DATA": str(self.data), "LACUNA_USER": "anna"}):
            with Lacuna() as memory:
                memory.remember("I sail.")
            with Lacuna() as memory:
                self.assertEqual([each["gist"] for each in memory.iter_memories()], ["I sail."])
        self.assertEqual([each["gist"] for each in self.client().iter_memories()], ["I sail."])

    def test_a_missing_program_is_named(self) -> None:
        with self.assertRaises(LocalServerError) as failed:
            Lacuna(binary="/nonexistent/lacuna")
        self.assertEqual(failed.exception.code, "binary_not_found")
        with mock.patch.dict(os.environ, {"PATH": ""}), mock.patch.dict(os.environ):
            os.environ.pop("LACUNA_BIN", None)
            with self.assertRaises(LocalServerError):
                Lacuna()

    def test_a_server_that_does_not_start_says_why(self) -> None:
        self.data.write_text("a file, not a folder")
        with self.assertRaises(LocalServerError) as failed:
            self.client()
        self.assertEqual(failed.exception.code, "bad_config")
        self.assertTrue(failed.exception.remedy)

    def test_a_user_is_no_option(self) -> None:
        with self.client(user="--help") as memory:
            self.assertIn("user:--help", memory.list_scopes()["scopes"])

    def test_a_url_has_no_data_folder(self) -> None:
        with self.assertRaises(UsageError):
            Lacuna("http://127.0.0.1:1", data="/tmp")

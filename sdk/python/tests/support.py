"""The real binary in temporary folders, and a server that fails as it is told."""

from __future__ import annotations

import http.server
import json
import os
import secrets
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from lacuna_memory import Lacuna
from lacuna_memory._local import find_binary

# Most tests are not about meaning, and the static model starts at once.
os.environ.setdefault("LACUNA_EMBEDDER", "static")

TOKEN = "lac_" + "0123456789abcdef" * 4


def run(data: Path, *arguments: str) -> Any:
    """The answer of a command on a data folder."""
    environment = {name: value for name, value in os.environ.items() if name != "LACUNA_BIN"}
    command = [find_binary(None), f"--data={data}", "--json", *arguments]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)


def make_token(data: Path, user: str, role: str, *operations: str) -> str:
    named = [argument for operation in operations for argument in ("--operation", operation)]
    return str(run(data, "token", "create", "--user", user, "--role", role, *named)["secret"])


class Folder(unittest.TestCase):
    """A data folder for each test."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lacuna-sdk-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = self.folder / "data"

    def client(self, **options: Any) -> Lacuna:
        client = Lacuna(data=self.data, **{"user": "anna", **options})
        self.addCleanup(client.close)
        return client


class People(unittest.TestCase):
    """One server for all tests of a class, and a vault of its own for each."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="lacuna-sdk-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        data = cls.folder / "data"
        cls.admin = make_token(data, "service", "admin")
        cls.service = Lacuna(token=cls.admin, data=data)
        cls.addClassCleanup(cls.service.close)

    def person(self) -> Lacuna:
        return self.service.for_user(f"person-{secrets.token_hex(4)}")


class Scripted(http.server.ThreadingHTTPServer):
    """Answers request after request from a list: a status with headers and a document, or `None` to hang up."""

    daemon_threads = True

    def __init__(self, *answers: tuple[int, dict[str, str], Any] | None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = list(answers)
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __exit__(self, *arguments: Any) -> None:
        self.shutdown()
        super().__exit__(*arguments)


class Handler(http.server.BaseHTTPRequestHandler):
    server: Scripted
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, headers))
        scripted = self.server.answers.pop(0)
        self.close_connection = scripted is None
        if scripted is None:
            return
        status, more, document = scripted
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **more}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def problem(code: str, status: int, **more: Any) -> tuple[int, dict[str, str], Any]:
    headers = more.pop("headers", {})
    document = {"code": code, "status": status, "title": "t", "detail": "what happened", "remedy": "what to do"}
    return status, headers, {**document, **more}

"""Every Python block of the documents is run, page by page, in its order."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path
from unittest import mock

from lacuna_memory import Lacuna
from support import Folder, make_token

ROOT = Path(__file__).resolve().parents[3]
#: What the pages call the server and the token.
URL_SHOWN, TOKEN_SHOWN = "https://memory.example.com", "lac_…"


class Documents(Folder):
    def test_the_readme(self) -> None:
        self.run_page(ROOT / "sdk/python/README.md")

    def test_the_page_about_both_languages(self) -> None:
        self.run_page(ROOT / "docs/sdk.md")

    def run_page(self, page: Path) -> None:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 0)
        settings = {"LACUNA_DATA": str(self.data), "LACUNA_USER": "anna"}
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        with mock.patch.dict(os.environ, settings):
            self.run_blocks(blocks)

    def run_blocks(self, blocks: list[str]) -> None:
        names: dict[str, object] = {"__name__": "page"}
        for shown in blocks:
            block = shown
            if URL_SHOWN in block:
                data = self.folder / "service"
                token = make_token(data, "service", "admin")
                server = Lacuna(token=token, data=data)
                self.addCleanup(server.close)
                block = block.replace(URL_SHOWN, server.url).replace(TOKEN_SHOWN, token)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, "page", "exec"), names)
            expected = re.findall(r"print\(.*\)  # (.*)$", block, flags=re.MULTILINE)
            self.assertEqual(printed.getvalue().splitlines(), expected, block)

"""Serves the packages of `cargo xtask dist` as PyPI, npm and a Debian mirror would: to install them as their users will, before they are published.

usage: local_index.py FOLDER_OF_PACKAGES [FOLDER_OF_OTHER_WHEELS]

    pip install --index-url URL/simple lacuna-memory
    npm install --registry URL/npm lacuna-memory
    echo 'deb [trusted=yes] URL/debian ./' > /etc/apt/sources.list.d/lacuna.list; apt update; apt install lacuna

Prints its URL, and serves loopback until its standard input ends.
"""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

#: The file that npm's archives keep their description in.
NPM_DESCRIPTION = "package/package.json"


def digest(path: Path, algorithm: str) -> bytes:
    return hashlib.new(algorithm, path.read_bytes()).digest()


def simple_page(wheels: list[Path]) -> str:
    """The page of one project, as PEP 503 has it."""
    links = (
        f'<a href="/files/{wheel.name}#sha256={digest(wheel, "sha256").hex()}">{wheel.name}</a>' for wheel in wheels
    )
    return f"<!DOCTYPE html><html><body>{'<br>'.join(links)}</body></html>"


def npm_page(archive: Path, url: str) -> tuple[str, str]:
    """The name of a package, and its page as npm's registry has it."""
    with tarfile.open(archive) as packed:
        described = json.load(packed.extractfile(NPM_DESCRIPTION))
    integrity = f"sha512-{base64.b64encode(digest(archive, 'sha512')).decode()}"
    described["dist"] = {"tarball": f"{url}/files/{archive.name}", "integrity": integrity}
    name, version = described["name"], described["version"]
    page = {"name": name, "dist-tags": {"latest": version}, "versions": {version: described}}
    return name, json.dumps(page)


def debian_page(package: Path) -> str:
    """The entry of a package in the list of a mirror."""
    told = subprocess.run(["dpkg-deb", "--field", str(package)], check=True, capture_output=True, text=True).stdout
    place = f"Filename: ./{package.name}\nSize: {package.stat().st_size}\nSHA256: {digest(package, 'sha256').hex()}\n"
    return told.rstrip("\n") + "\n" + place


def pages(folder: Path, wheels: Path | None, url: str) -> dict[str, bytes]:
    """All pages by their path; files are served from their folders."""
    of_project: dict[str, list[Path]] = {}
    for wheel in [*folder.glob("*.whl"), *(wheels.glob("*.whl") if wheels else ())]:
        of_project.setdefault(wheel.name.split("-")[0].replace("_", "-").replace(".", "-").lower(), []).append(wheel)
    made = {f"/simple/{name}/": simple_page(found) for name, found in of_project.items()}
    for archive in folder.glob("*.tgz"):
        name, page = npm_page(archive, url)
        made[f"/npm/{name}"] = page
    made["/debian/Packages"] = "\n".join(debian_page(package) for package in folder.glob("*.deb"))
    return {path: page.encode() for path, page in made.items()}


class Index(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.split("?")[0].replace("/debian/./", "/debian/")
        page = self.server.pages.get(path) or self.server.pages.get(path + "/")
        if page is None:
            page = self.server.files.get(path.rsplit("/", 1)[-1], lambda: None)()
        self.send_response(404 if page is None else 200)
        kind = {"npm": "application/json", "simple": "text/html"}.get(path.split("/")[1], "application/octet-stream")
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(page or b"")))
        self.end_headers()
        self.wfile.write(page or b"")

    def log_message(self, *_: object) -> None:
        pass


def main(packages: str, others: str | None = None) -> None:
    folder, wheels = Path(packages), Path(others) if others else None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    url = f"http://127.0.0.1:{server.server_port}"
    server.pages = pages(folder, wheels, url)
    known = [path for place in (folder, wheels) if place for path in place.iterdir() if path.is_file()]
    server.files = {path.name: path.read_bytes for path in known}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(url, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])

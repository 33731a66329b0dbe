"""Makes the wheel: the Python SDK, and the program beside it. The same inputs give the same bytes.

usage: wheel.py PROGRAM PLATFORM_TAG OUT_FOLDER
"""

from __future__ import annotations

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SDK = ROOT / "sdk/python"
#: The oldest time that a zip file can name: files of a wheel have no time of their own.
TIME = (1980, 1, 1, 0, 0, 0)
FILE_MODE = 0o100644
PROGRAM_MODE = 0o100755


def metadata(project: dict) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        "License-File: NOTICE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        *(f"Requires-Dist: {need}" for need in project["dependencies"]),
    ]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need} ; extra == "{extra}"' for need in needs]
    lines += ["Description-Content-Type: text/markdown", "", (SDK / "README.md").read_text()]
    return "\n".join(lines)


def entry_points(project: dict) -> str:
    commands = "".join(f"{name} = {call}\n" for name, call in project["scripts"].items())
    return f"[console_scripts]\n{commands}"


def files(project: dict, program: Path, tag: str) -> list[tuple[str, bytes, int]]:
    """Every file of the wheel, but for the list of them."""
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    wheel = f"Wheel-Version: 1.0\nGenerator: lacuna\nRoot-Is-Purelib: false\nTag: {tag}\n"
    source = SDK / "src"
    package = [path for path in sorted(source.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return [
        *((path.relative_to(source).as_posix(), path.read_bytes(), FILE_MODE) for path in package),
        (f"{stem}.data/scripts/lacuna", program.read_bytes(), PROGRAM_MODE),
        (f"{stem}.dist-info/METADATA", metadata(project).encode(), FILE_MODE),
        (f"{stem}.dist-info/WHEEL", wheel.encode(), FILE_MODE),
        (f"{stem}.dist-info/entry_points.txt", entry_points(project).encode(), FILE_MODE),
        (f"{stem}.dist-info/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), FILE_MODE),
        (f"{stem}.dist-info/licenses/NOTICE", (ROOT / "crates/lacuna-models/packed/NOTICE").read_bytes(), FILE_MODE),
    ]


def record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main(program: str, platform: str, out: str) -> None:
    project = tomllib.loads((SDK / "pyproject.toml").read_text())["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    tag = f"py3-none-{platform}"
    contents = files(project, Path(program), tag)
    listed = f"{stem}.dist-info/RECORD"
    lines = "".join(record(name, content) for name, content, _ in contents) + f"{listed},,\n"
    contents.append((listed, lines.encode(), FILE_MODE))
    with zipfile.ZipFile(Path(out) / f"{stem}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content, mode in contents:
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)


if __name__ == "__main__":
    main(*sys.argv[1:])

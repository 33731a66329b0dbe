"""Environments of the programs that are measured beside Lacuna, shared by the benchmarks: one Python environment for each set of pinned packages, made
at the first use. Only the standard library is needed here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
# Folders with the pinned packages of peers, the first that has some for a peer counts.
PINS = (BENCH / "recall", BENCH / "forgetting")
WORK = BENCH.parent / "target" / "bench"
# Packages of npm.
PACKAGES = WORK / "packages"
COMPLAINT_CHARS = 400
# Tried in this order for a peer that needs a newer Python than the one that runs this.
PYTHONS = ("python3", "python3.13", "python3.12")
# Fetches a Python where no other is new enough.
UV = "uv==0.13.8"


class Entry:
    """One line of a table: a script, and what it needs beside its pinned packages."""

    def __init__(self, script, title, python=(3, 10), embeds=True, environment=None):
        self.script, self.title, self.python, self.embeds = script, title, python, embeds
        # Peers on the same packages share an environment.
        self.environment = environment or script


def said(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(" ".join((done.stderr.strip() or done.stdout.strip())[-COMPLAINT_CHARS:].split()))
    return done.stdout


def python_for(entry):
    wanted = f"import sys; sys.exit(sys.version_info < {entry.python})"
    # Names that pyenv puts on the PATH do not always lead to a Python; its own folder does.
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for name in (sys.executable, *PYTHONS, *map(str, sorted(pyenv.glob("3.1[2-9]*/bin/python")))):
        if shutil.which(name) and subprocess.run([name, "-c", wanted], capture_output=True).returncode == 0:
            return name
    return _fetched(".".join(map(str, entry.python)))


def _fetched(version):
    """A Python of this version from uv, which comes from PyPI unless it is installed."""
    uv = shutil.which("uv")
    if uv is None:
        place = WORK / "environments" / "uv"
        uv = str(place / "bin" / "uv")
        if not Path(uv).exists():
            said([sys.executable, "-m", "venv", str(place)])
            said([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", UV])
    folder = WORK / "pythons"
    command = [uv, "--no-cache", "python", "install", "--no-bin", "--install-dir", str(folder), version]
    try:
        said(command)
        return str(next(folder.glob(f"cpython-{version}*/bin/python3")))
    except (RuntimeError, StopIteration) as reason:
        raise RuntimeError(f"needs Python {version} or newer on the PATH; uv could not fetch one: {reason}") from reason


def _pins(name):
    """The file of this name, in a list, or none."""
    return [folder / name for folder in PINS if (folder / name).exists()][:1]


def environment(entry):
    """The Python of the peer's environment."""
    pinned = _pins(f"{entry.environment}.txt")
    bare = _pins(f"{entry.environment}.nodeps.txt") + (_pins("embedding.nodeps.txt") if entry.embeds else [])
    if not pinned and not bare:
        return sys.executable
    folder = WORK / "environments" / entry.environment
    python = folder / "bin" / "python"
    if not python.exists():
        said([python_for(entry), "-m", "venv", str(folder)])
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for path in pinned:
        said([*install, "--requirement", str(path)])
    for path in bare:
        said([*install, "--no-deps", "--requirement", str(path)])
    return str(python)

"""Runs the benchmark of forgetting and writes its pages.

    python3 bench/forgetting/run.py --lacuna target/release/lacuna --peers
    python3 bench/forgetting/run.py --only chroma

`cargo xtask bench --only forgetting --peers` builds Lacuna and calls this. Every peer has a Python environment of its own under
`target/bench/environments`, with pinned versions. Only the standard library is needed here.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import page

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

import environments  # noqa: E402
from environments import Entry, environment, said  # noqa: E402

WORK = environments.WORK / "forgetting"
SEED = 2026
PEER_SECONDS_MAX = 1_800


LACUNA = Entry("lacuna", "Lacuna", embeds=False)
PEERS = [
    Entry("mem0_qdrant", "mem0, Qdrant in a folder"),
    Entry("mem0_pgvector", "mem0, pgvector"),
    Entry("langgraph_memory", "LangGraph InMemoryStore", environment="langgraph"),
    Entry("langgraph_postgres", "LangGraph PostgresStore", environment="langgraph"),
    Entry("chroma", "Chroma"),
    Entry("basic_memory", "basic-memory", python=(3, 12), embeds=False),
    Entry("mcp_memory", "MCP reference memory server", embeds=False),
]


def measure(entry, seed, variables):
    """The figures of one peer, or the reason why there are none."""
    print(f"forgetting: {entry.title}", file=sys.stderr, flush=True)
    try:
        python = environment(entry)
        with tempfile.TemporaryDirectory(prefix=f"{entry.script}-", dir=WORK) as folder:
            # A database server may run as another account.
            os.chmod(folder, 0o755)
            job = Path(folder) / "job.json"
            job.write_text(json.dumps({"seed": seed, "folder": folder}))
            # The work folder is in nobody's configuration: a peer must not read the one of whoever runs this.
            home = Path(folder) / "home"
            home.mkdir()
            variables = {**os.environ, **variables, "HOME": str(home)}
            command = [python, str(HERE / f"{entry.script}.py"), str(job)]
            printed = said(command, cwd=folder, env=variables, timeout=PEER_SECONDS_MAX)
        return json.loads([line for line in printed.splitlines() if line.startswith("{")][-1])
    except (RuntimeError, OSError, subprocess.SubprocessError, IndexError) as reason:
        return {"failed": str(reason)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", metavar="PROGRAM", help="the binary under test; without it Lacuna is left out")
    parser.add_argument("--commit", help="the commit that the binary was built from, for the table")
    parser.add_argument("--peers", action="store_true", help="also the other programs (needs PyPI and npm at first)")
    parser.add_argument("--only", action="append", metavar="SCRIPT", help="only this peer; may be given more than once")
    parser.add_argument("--seed", type=int, default=SEED, help="another seed gives other canaries")
    parser.add_argument("--from", dest="recorded", metavar="FILE", help="write the pages again from recorded figures")
    parser.add_argument("--pages", metavar="FOLDER", default=str(WORK), help="where RESULT.md and result.svg go")
    return parser.parse_args()


def main():
    given = arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    record = WORK / "figures.json"
    if given.recorded:
        figures = json.loads(Path(given.recorded).read_text())
    else:
        entries = ([LACUNA] if given.lacuna else []) + (PEERS if given.peers or given.only else [])
        if given.only:
            entries = [entry for entry in entries if entry.script in given.only]
        variables = {"PEER_PACKAGES": str(environments.PACKAGES)}
        if given.lacuna:
            variables["LACUNA_PROGRAM"] = str(Path(given.lacuna).resolve())
        if given.commit:
            variables["LACUNA_COMMIT"] = given.commit
        figures = [
            {"title": entry.title, "script": entry.script, **measure(entry, given.seed, variables)} for entry in entries
        ]
        record.write_text(json.dumps(figures, indent=1))
    page.write(figures, Path(given.pages))
    (WORK / "section.md").write_text(page.section(figures))
    print(page.table(figures))


if __name__ == "__main__":
    main()

"""Asks Lacuna and its peers the same questions about the same conversations, and writes the page.

    python3 bench/recall/run.py --lacuna target/release/lacuna --peers
    python3 bench/recall/run.py --only chroma_search

`cargo xtask bench --only recall-peers --peers` builds Lacuna and calls this. The sets are not part of the repository; `--data` names their folder. Only
the standard library is needed here.
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

WORK = environments.WORK / "recall"
DATA = HERE.parent.parent.parent / "shared" / "data"
PROGRAM_SECONDS_MAX = 3_600
# The sets, and how many of their conversations are asked about unless all are.
SETS = {"locomo": 2, "realtalk": 1, "longmemeval": 20}

MODEL = Entry("vectors", "all-MiniLM-L6-v2", environment="embedding")
LACUNA = Entry("lacuna_search", "Lacuna", embeds=False)
PEERS = [
    Entry("mem0_search", "mem0, Qdrant in a folder"),
    Entry("langgraph_search", "LangGraph InMemoryStore", environment="langgraph"),
    Entry("chroma_search", "Chroma", environment="chroma"),
    Entry("basic_memory_search", "basic-memory", python=(3, 12), embeds=False),
    Entry("mcp_memory_search", "MCP reference memory server", embeds=False),
]


def read(folder, whole):
    """The spaces of all sets, with the right answers. Some of these name texts that do not exist; they are passed over, and a question without any too."""
    for name, some in SETS.items():
        spaces = json.loads((folder / f"retrieval_{name}_dev.json").read_text())["spaces"]
        for number, space in enumerate(spaces if whole else spaces[:some]):
            texts = [{"session": None, **text} for text in space["docs"]]
            known = {text["id"] for text in texts}
            questions = [{**each, "gold": [gold for gold in each["gold"] if gold in known]} for each in space["queries"]]
            questions = [
                {"id": f"{name}-{number}-{place}", "text": each["text"], "gold": each["gold"]}
                for place, each in enumerate(questions)
                if each["gold"]
            ]
            yield {"set": name, "id": f"{name}-{number}", "texts": texts, "questions": questions}


def without_answers(space):
    questions = [{"id": each["id"], "text": each["text"]} for each in space["questions"]]
    return {"id": space["id"], "texts": space["texts"], "questions": questions}


def measure(entry, spaces, folder, variables):
    """The file of the program's answers, or the reason why there is none."""
    print(f"recall: {entry.title}", file=sys.stderr, flush=True)
    try:
        python = environment(entry)
        with tempfile.TemporaryDirectory(prefix=f"{entry.script}-", dir=folder) as place:
            job, home = Path(place) / "job.json", Path(place) / "home"
            answers = folder / f"{entry.script}.json"
            told = {"spaces": spaces, "folder": str(Path(place) / "data"), "vectors": str(folder / "vectors")}
            job.write_text(json.dumps({**told, "answers": str(answers)}))
            # A peer must not read the configuration of whoever runs this.
            home.mkdir()
            variables = {**os.environ, **variables, "HOME": str(home)}
            command = [python, str(HERE / f"{entry.script}.py"), str(job)]
            said(command, cwd=place, env=variables, timeout=PROGRAM_SECONDS_MAX)
        return answers
    except (RuntimeError, OSError, subprocess.SubprocessError) as reason:
        return str(reason)


def all_figures(entries, spaces, variables):
    with tempfile.TemporaryDirectory(prefix="recall-", dir=WORK) as folder:
        folder = Path(folder)
        variables["MODEL_PYTHON"] = environment(MODEL)
        shown = [without_answers(space) for space in spaces]
        # Lacuna makes its own.
        made = measure(MODEL, shown, folder, variables) if any(entry is not LACUNA for entry in entries) else None
        if isinstance(made, str):
            raise SystemExit(f"no vectors: {made}")
        (folder / "spaces.json").write_text(json.dumps(spaces))
        for entry in entries:
            told = {"title": entry.title, "script": entry.script}
            answers = measure(entry, shown, folder, variables)
            if isinstance(answers, str):
                yield {**told, "failed": answers}
                continue
            score = [variables["MODEL_PYTHON"], str(HERE / "score.py"), str(folder / "spaces.json"), str(answers)]
            yield {**told, **json.loads(said(score))}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", metavar="PROGRAM", help="the binary under test; without it Lacuna is left out")
    parser.add_argument("--commit", help="the commit that the binary was built from, for the table")
    parser.add_argument("--peers", action="store_true", help="also the other programs (needs PyPI and npm at first)")
    parser.add_argument("--only", action="append", metavar="SCRIPT", help="only this one; may be given more than once")
    parser.add_argument("--whole", action="store_true", help="all conversations instead of a few of each set")
    parser.add_argument("--data", metavar="FOLDER", type=Path, default=DATA, help="where the sets are")
    parser.add_argument("--from", dest="recorded", metavar="FILE", help="write the page again from recorded figures")
    parser.add_argument("--pages", metavar="FOLDER", default=str(WORK), help="where RESULT.md goes")
    return parser.parse_args()


def measured(given):
    entries = ([LACUNA] if given.lacuna else []) + (PEERS if given.peers or given.only else [])
    if given.only:
        entries = [entry for entry in entries if entry.script in given.only]
    spaces = list(read(given.data, given.whole))
    variables = {"PEER_PACKAGES": str(environments.PACKAGES)}
    if given.lacuna:
        variables["LACUNA_PROGRAM"] = str(Path(given.lacuna).resolve())
    if given.commit:
        variables["LACUNA_COMMIT"] = given.commit
    counts = {
        name: [len(of_set), sum(len(space["texts"]) for space in of_set)]
        for name in SETS
        if (of_set := [space for space in spaces if space["set"] == name])
    }
    return {"counts": counts, "programs": list(all_figures(entries, spaces, variables))}


def main():
    given = arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    if given.recorded:
        record = json.loads(Path(given.recorded).read_text())
    else:
        record = measured(given)
        (WORK / "figures.json").write_text(json.dumps(record, indent=1))
    page.write(record, Path(given.pages))
    (WORK / "section.md").write_text(page.section(record))
    print(page.table(record))


if __name__ == "__main__":
    main()

"""The steps of the benchmark, the same for every program: store the texts, then ask the questions. See README.md.

A program is a class with the methods of `Asked`; its script ends with `run(TheClass)`. It is given texts and questions, and never the right
answers.
"""

import json
import sys
import time
from pathlib import Path

# The clients and the sentence model are those of the benchmark of forgetting.
sys.path.append(str(Path(__file__).resolve().parent.parent / "forgetting"))

# Hits that a question may have.
HITS_MAX = 10
# Asked once before the clock runs, so that no program pays for what it loads at its first question.
WARM_UP = "Where is the nearest bakery?"


class Asked:
    """One program under test, with its data in `self.folder`. A space is the memory of one person: texts, and questions to them."""

    # Shown beside the figures: the calls that were used.
    commands = {}
    notes = []

    def __init__(self, folder, vectors):
        self.folder, self.vectors = Path(folder), vectors

    def versions(self):
        """The packages under test, as `name version`."""
        raise NotImplementedError

    def open(self):
        raise NotImplementedError

    def close(self):
        pass

    def use(self, space):
        """Turns to a space, where the program has to be told; not timed."""

    def store(self, space):
        raise NotImplementedError

    def settle(self):
        """Waits for whatever the program does in the background before everything is found."""

    def search(self, space, question):
        """Pairs of a text's id and its words as they were answered, the best first."""
        raise NotImplementedError


def _timed(work, *given):
    begun = time.perf_counter()
    result = work(*given)
    return result, time.perf_counter() - begun


def _store(program, spaces):
    seconds = 0.0
    for space in spaces:
        program.use(space)
        seconds += _timed(program.store, space)[1]
    return seconds + _timed(program.settle)[1]


def _ask(program, spaces):
    for space in spaces:
        program.use(space)
        program.search(space, WARM_UP)
        for question in space["questions"]:
            hits, seconds = _timed(program.search, space, question["text"])
            yield {"question": question["id"], "hits": [list(hit) for hit in hits], "seconds": seconds}


def run(kind):
    job = json.loads(Path(sys.argv[1]).read_text())
    program = kind(job["folder"], job["vectors"])
    program.folder.mkdir()
    program.open()
    try:
        store_seconds = _store(program, job["spaces"])
        answers = list(_ask(program, job["spaces"]))
    finally:
        program.close()
    told = {
        "versions": program.versions(),
        "commands": kind.commands,
        "notes": kind.notes,
        "store_seconds": store_seconds,
        "answers": answers,
    }
    Path(job["answers"]).write_text(json.dumps(told))

"""What a peer is given, and what it answers with: the side of Python.

A job is a folder with `job.json` and, beside it, the vectors as little-endian f32 rows. A peer prints one
line of JSON for each way in which it was measured.
"""

import importlib.metadata
import json
import sys
import time
from pathlib import Path

import numpy


class Job:
    def __init__(self, folder):
        self.folder = Path(folder)
        described = json.loads((self.folder / "job.json").read_text())
        self.dimensions = described["dimensions"]
        self.top = described["top"]
        self.vectors = self._rows("vectors.f32")
        self.questions = self._rows("questions.f32")

    def _rows(self, name):
        return numpy.fromfile(self.folder / name, dtype="<f4").reshape(-1, self.dimensions)


def job():
    return Job(sys.argv[1])


def version(package):
    return importlib.metadata.version(package)


def ask(questions, answer, warm_up=2):
    """Times `answer` on every question. Returns the seconds and the numbers that it found."""
    for question in questions[:warm_up]:
        answer(question)
    seconds, found = [], []
    for question in questions:
        started = time.perf_counter()
        numbers = answer(question)
        seconds.append(time.perf_counter() - started)
        found.append([int(number) for number in numbers])
    return seconds, found


def report(peer, **figures):
    print(json.dumps({"peer": peer, **figures}), flush=True)

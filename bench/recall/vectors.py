"""Vectors of all stored texts by all-MiniLM-L6-v2, made once for all programs: `vectors.py JOB`. Questions are embedded when they are asked."""

import json
import sys
from pathlib import Path

import asking  # noqa: F401
import numpy
from embedding import WIDTH, MiniLm

BATCH = 32


class Embedder:
    """The model, which knows the vectors of the stored texts."""

    def __init__(self, folder):
        folder = Path(folder)
        self.model, self.width = MiniLm(), WIDTH
        self.vectors = numpy.load(folder / "vectors.npy")
        self.places = {text: place for place, text in enumerate(json.loads((folder / "texts.json").read_text()))}

    def embed(self, texts):
        if all(text in self.places for text in texts):
            return self.vectors[[self.places[text] for text in texts]]
        return self.model.embed(list(texts))


def main(job):
    texts = {text["text"] for space in job["spaces"] for text in space["texts"]}
    # Of like length beside each other: padding costs as much as words.
    texts = sorted(texts, key=lambda text: (len(text), text))
    model, folder = MiniLm(), Path(job["vectors"])
    made = [model.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
    folder.mkdir(parents=True)
    numpy.save(folder / "vectors.npy", numpy.concatenate(made))
    (folder / "texts.json").write_text(json.dumps(texts))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))

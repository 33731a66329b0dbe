"""Counts what the programs found and how much they said: `score.py SPACES ANSWERS…`. Prints a line of JSON for each file of answers."""

import json
import statistics
import sys
from pathlib import Path

HITS_MAX = 10
FIRST = 5


def recall(gold, ids):
    """The share of the right texts among the first ten hits."""
    return len(set(gold) & set(ids[:HITS_MAX])) / len(gold)


def hit(gold, ids):
    """1 if a right text is among the first five hits."""
    return float(bool(set(gold) & set(ids[:FIRST])))


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def figures(questions, answers, count_tokens):
    """Means over the questions of one set."""
    asked = [answer for answer in answers if answer["question"] in questions]
    ids = [[hit_id for hit_id, _ in answer["hits"]] for answer in asked]
    gold = [questions[answer["question"]] for answer in asked]
    seconds = [answer["seconds"] for answer in asked]
    return {
        "questions": len(asked),
        "recall": 100 * statistics.mean(map(recall, gold, ids)),
        "hit": 100 * statistics.mean(map(hit, gold, ids)),
        "tokens": statistics.mean(sum(count_tokens(text) for _, text in answer["hits"]) for answer in asked),
        "p50_ms": 1_000 * statistics.median(seconds),
        "p95_ms": 1_000 * percentile(seconds, 0.95),
    }


def tokens():
    """A count by the tokenizer of the sentence model, without the limit of the model."""
    import asking  # noqa: F401
    import embedding  # noqa: F401
    from minilm import model_folder
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def main(spaces, *answers):
    sets = {}
    for space in json.loads(Path(spaces).read_text()):
        sets.setdefault(space["set"], {}).update({each["id"]: each["gold"] for each in space["questions"]})
    count = tokens()
    for path in answers:
        told = json.loads(Path(path).read_text())
        by_set = {name: figures(questions, told["answers"], count) for name, questions in sets.items()}
        rest = {key: told[key] for key in ("versions", "commands", "notes", "store_seconds")}
        print(json.dumps({**rest, "sets": by_set}))


if __name__ == "__main__":
    main(*sys.argv[1:])

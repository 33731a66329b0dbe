"""Learns the sentence model further, so that questions and the memories that answer them lie near each other.

    python3 tune.py PUBLISHED PAIRS OUT

PUBLISHED is the folder with `model.safetensors` and `tokenizer.json` of all-MiniLM-L6-v2, PAIRS the folder
`measure/data/questions_learn`, OUT the file that gets the learnt weights. `cargo xtask model tune` installs what this needs and
calls it.

All layers are learnt, and questions and memories pass the same layers: each question has to find its memory among those of its
step (softmax over cosines). The first round takes memories at random. In the second, every step is made of small groups of
memories that are near each other, so that a question also has to tell its memory from the neighbours. Both questions of a memory
are asked in the same step. A seed gives the same order of steps; sums of floats may differ in the last bits from machine to machine.
"""

import functools
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

LAYERS, WIDTH, HEADS = 6, 384, 12
# Pairs of this file alone: the model reads English.
LANGUAGE = "english.jsonl"
# One memory in this many is left out, to see how well the model does on memories that it was not shown.
LEFT_OUT_EVERY = 20
# Tokens of one text, and of one row of a step. Short texts share a row.
ROW_TOKENS = 64
# Memories of one step, each with two questions.
BATCH = 64
QUESTIONS = 2
# Divides cosines: small makes the softmax sharp.
TEMPERATURE = 0.05
# Share of the loss that asks which question belongs to a memory.
BACKWARDS = 0.3
# A memory with a cosine above this says the same, and is no rival.
SAME = 0.92
# Pull of matrices towards zero, and the share of a round in which steps grow.
DECAY = 0.01
WARM_UP = 0.1


class Round(NamedTuple):
    """One pass over all pairs."""

    # Length of the longest step.
    step: float
    # Memories that are near each other, in each group of a step.
    group: int
    seed: int


ROUNDS = [Round(step=5e-5, group=1, seed=1), Round(step=4e-5, group=4, seed=2)]


def norm(x, weights, name):
    x = x.astype(jnp.float32)
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(spread + 1e-12) * weights[name + ".weight"] + weights[name + ".bias"]


def linear(x, weights, name):
    matrix = weights[name + ".weight"].T.astype(jnp.bfloat16)
    product = jnp.dot(x.astype(jnp.bfloat16), matrix, preferred_element_type=jnp.float32)
    return product + weights[name + ".bias"]


def encode(weights, ids, text, place):
    """The last layer over rows of tokens. `text` numbers the texts of a row, and tokens see those of their own text alone."""
    rows, tokens = ids.shape
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][place]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, weights, "embeddings.LayerNorm")
    hidden = jnp.where(text[:, :, None] == text[:, None, :], 0.0, -1e9)[:, None]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."

        def heads(name, x=x, layer=layer):
            part = linear(x, weights, f"{layer}attention.self.{name}")
            return part.reshape(rows, tokens, HEADS, -1).transpose(0, 2, 1, 3).astype(jnp.bfloat16)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = jnp.einsum("rhid,rhjd->rhij", query, key, preferred_element_type=jnp.float32)
        shares = jax.nn.softmax(scores / np.sqrt(WIDTH // HEADS) + hidden, -1).astype(jnp.bfloat16)
        seen = jnp.einsum("rhij,rhjd->rhid", shares, value, preferred_element_type=jnp.float32)
        seen = seen.transpose(0, 2, 1, 3).reshape(rows, tokens, WIDTH)
        x = norm(x + linear(seen, weights, layer + "attention.output.dense"), weights, layer + "attention.output.LayerNorm")
        wide = jax.nn.gelu(linear(x, weights, layer + "intermediate.dense"), approximate=False)
        x = norm(x + linear(wide, weights, layer + "output.dense"), weights, layer + "output.LayerNorm")
    return x


def vectors(weights, ids, text, place, count):
    """One vector of unit length for each of `count` texts: the mean of its tokens."""
    x = encode(weights, ids, text, place).reshape(-1, WIDTH)
    sums = jax.ops.segment_sum(x, jnp.where(text < 0, count, text).reshape(-1), count + 1)[:count]
    return sums * jax.lax.rsqrt((sums * sums).sum(-1, keepdims=True) + 1e-12)


def rows_of(texts):
    """Rows of tokens with several texts each, and the number of the text of each token; -1 where there is none."""
    rows, room = [], []
    for text in sorted(range(len(texts)), key=lambda text: -len(texts[text])):
        fits = [row for row in range(len(rows)) if room[row] >= len(texts[text])]
        row = min(fits, key=lambda row: room[row], default=None)
        if row is None:
            row = len(rows)
            rows.append([])
            room.append(ROW_TOKENS)
        rows[row].append(text)
        room[row] -= len(texts[text])
    # Few different shapes, because each is compiled.
    height = -(-len(rows) // 8) * 8
    ids, number, place = (np.full((height, ROW_TOKENS), fill, np.int32) for fill in (0, -1, 0))
    for row, members in enumerate(rows):
        at = 0
        for text in members:
            span = slice(at, at + len(texts[text]))
            ids[row, span], number[row, span] = texts[text], text
            place[row, span] = np.arange(len(texts[text]))
            at = span.stop
    return ids, number, place


@functools.partial(jax.jit, static_argnums=4)
def embed_rows(weights, ids, text, place, count):
    return vectors(weights, ids, text, place, count)


def embed(weights, texts):
    """Vectors of many texts, in their order."""
    step = 4 * BATCH
    padded = texts + [texts[0]] * (-len(texts) % step)
    parts = [embed_rows(weights, *rows_of(padded[at : at + step]), step) for at in range(0, len(padded), step)]
    return np.concatenate([np.asarray(part) for part in parts])[: len(texts)]


def loss(weights, ids, text, place, same):
    """How badly each question finds its memory among those of the step, and each memory its questions."""
    both = vectors(weights, ids, text, place, (1 + QUESTIONS) * BATCH)
    memories, questions = both[:BATCH], both[BATCH:]
    own = jnp.repeat(jnp.arange(BATCH), QUESTIONS)
    right = jax.nn.one_hot(own, BATCH)
    scores = questions @ memories.T / TEMPERATURE
    rivals = jnp.where(same[own] & (right == 0), -1e9, scores)
    forwards = -(jax.nn.log_softmax(rivals, 1) * right).sum(1).mean()
    found = scores[jnp.arange(QUESTIONS * BATCH), own]
    others = jax.nn.logsumexp(jnp.where((same[own] | (right > 0)).T, -1e9, scores.T), 1)[own]
    backwards = (jnp.logaddexp(others, found) - found).mean()
    return (1 - BACKWARDS) * forwards + BACKWARDS * backwards


@functools.partial(jax.jit, donate_argnums=(0, 1, 2))
def take_step(weights, means, squares, number, length, ids, text, place, same):
    """One step of Adam, with gradients of a length of one at most."""
    value, gradients = jax.value_and_grad(loss)(weights, ids, text, place, same)
    size = jnp.sqrt(sum((one * one).sum() for one in jax.tree.leaves(gradients)))
    moved, new_means, new_squares = {}, {}, {}
    for name, weight in weights.items():
        gradient = gradients[name] * jnp.minimum(1.0, 1.0 / size)
        mean = new_means[name] = 0.9 * means[name] + 0.1 * gradient
        square = new_squares[name] = 0.999 * squares[name] + 0.001 * gradient * gradient
        change = mean / (1 - 0.9**number) / (jnp.sqrt(square / (1 - 0.999**number)) + 1e-8)
        shrinks = weight.ndim > 1 and "embeddings" not in name
        moved[name] = weight - length * (change + (DECAY * weight if shrinks else 0.0))
    return moved, new_means, new_squares, value


def order(count, near, group, random):
    """The memories of each step. With groups, the members of one are drawn from each other's neighbours."""
    shuffled = list(random.permutation(count))
    if group > 1:
        left, groups = np.ones(count, bool), []
        for memory in shuffled:
            if not left[memory]:
                continue
            left[memory] = False
            cosines = near @ near[memory]
            cosines[~left | (cosines > SAME)] = -9
            nearest = random.permutation(np.argpartition(-cosines, 3 * group)[: 3 * group])
            chosen = [other for other in nearest if cosines[other] > -2][: group - 1]
            left[chosen] = False
            groups.append([memory, *chosen])
        shuffled = [memory for at in random.permutation(len(groups)) for memory in groups[at]]
    steps = [shuffled[at : at + BATCH] for at in range(0, count - BATCH + 1, BATCH)]
    return [steps[at] for at in random.permutation(len(steps))] if group > 1 else steps


def learn(weights, memories, questions, near, one):
    """The weights after one round."""
    random = np.random.default_rng(one.seed)
    steps = order(len(memories), near, one.group, random)
    warm = max(1, int(len(steps) * WARM_UP))
    means, squares = ({name: jnp.zeros_like(weight) for name, weight in weights.items()} for _ in range(2))
    began, average = time.time(), None
    for number, members in enumerate(steps, 1):
        texts = [memories[at] for at in members] + [asked for at in members for asked in questions[at]]
        cosines = near[members] @ near[members].T
        same = (cosines > SAME) & ~np.eye(BATCH, dtype=bool)
        length = one.step * min(number / warm, (len(steps) - number) / (len(steps) - warm))
        weights, means, squares, value = take_step(weights, means, squares, float(number), length, *rows_of(texts), same)
        average = float(value) if average is None else 0.95 * average + 0.05 * float(value)
        if number % 20 == 0 or number == len(steps):
            print(f"step {number} of {len(steps)}: loss {average:.3f}, {time.time() - began:.0f} s", flush=True)
    return weights


def report(name, weights, memories, questions):
    """Prints how many questions find their memory among the first one and five of those that were left out."""
    found = embed(weights, memories)
    asked = embed(weights, [one for both in questions for one in both])
    cosines = asked @ found.T
    own = cosines[np.arange(len(asked)), np.repeat(np.arange(len(memories)), QUESTIONS)]
    ahead = (cosines > own[:, None]).sum(1)
    shares = ", ".join(f"{100 * (ahead < first).mean():.1f}% among {first}" for first in (1, 5))
    print(f"{name}: {shares} of {len(memories)}", flush=True)


def main(published, pairs, out):
    tokenizer = Tokenizer.from_file(str(published / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(ROW_TOKENS)
    lines = [json.loads(line) for line in (pairs / LANGUAGE).read_text().splitlines()]
    lines = [line for line in lines if len(line["queries"]) == QUESTIONS]
    memories = [tokenizer.encode(line["fact"]).ids for line in lines]
    questions = [[tokenizer.encode(asked).ids for asked in line["queries"]] for line in lines]
    # By the text, so that more lines leave the same ones out.
    is_left_out = [int(hashlib.sha1(line["fact"].encode()).hexdigest(), 16) % LEFT_OUT_EVERY == 0 for line in lines]
    kept = [at for at, out in enumerate(is_left_out) if not out]
    left_out = [at for at, out in enumerate(is_left_out) if out]

    def chosen(places):
        return [memories[at] for at in places], [questions[at] for at in places]

    stored = load_file(str(published / "model.safetensors"))
    learnt = [name for name in stored if name != "embeddings.position_ids" and not name.startswith("pooler.")]
    weights = {name: jnp.asarray(stored[name]) for name in learnt}
    report("left out, as published", weights, *chosen(left_out))
    near = embed(weights, chosen(kept)[0])
    for one in ROUNDS:
        weights = learn(weights, *chosen(kept), near, one)
        report("left out, learnt", weights, *chosen(left_out))
    stored.update({name: np.asarray(weight, np.float32) for name, weight in weights.items()})
    out.parent.mkdir(parents=True, exist_ok=True)
    save_file(stored, str(out))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

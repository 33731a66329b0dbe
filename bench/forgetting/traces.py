"""Looks for canaries in answers and in files."""

import base64
from pathlib import Path

from story import PART_LETTERS


def in_text(text, memories):
    """Keys of the memories whose canary an answer holds."""
    text = text.lower()
    return {memory.key for memory in memories if memory.canary.lower() in text}


def _parts(canary):
    """The first and the last letters: an index that shortens a word, or a page that cuts it, leaves one of them whole."""
    word = canary.lower()
    return {word[:PART_LETTERS], word[-PART_LETTERS:]}


def _folded_needles(canary):
    """Looked for in lower-cased bytes: UTF-8 (and ASCII), UTF-16 of both byte orders, hexadecimal digits."""
    for part in _parts(canary):
        yield part.encode()
        # Without the outermost zero byte, the two byte orders are the same bytes.
        yield b"\0".join(bytes([letter]) for letter in part.encode())
    yield canary.encode().hex().encode()
    yield canary.lower().encode().hex().encode()


def _exact_needles(canary):
    """Base64 in its three alignments, without the characters that neighbouring bytes take part in."""
    for word in {canary.encode(), canary.lower().encode()}:
        for lead in range(3):
            whole = base64.b64encode(b"\0" * lead + word)
            skipped = -(-lead * 8 // 6)
            sure = (lead + len(word)) * 8 // 6
            yield whole[skipped:sure]


def in_bytes(data, memories):
    folded = data.lower()
    found = set()
    for memory in memories:
        if any(needle in folded for needle in _folded_needles(memory.canary)) or any(
            needle in data for needle in _exact_needles(memory.canary)
        ):
            found.add(memory.key)
    return found


def in_folder(folder, memories):
    """For each memory that was found, the files that hold it, by their paths within the folder."""
    places = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = str(path.relative_to(folder))
            for key in in_bytes(path.read_bytes(), memories) | in_text(name, memories):
                places.setdefault(key, []).append(name)
    return places

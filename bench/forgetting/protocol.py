"""The steps of the benchmark, the same for every peer. See README.md.

A peer is a class with the methods of `Peer`; its script ends with `run(ThePeer)`. Every step runs in a process of its own, so that the
peer is closed in an orderly way between them and has written whatever it writes.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import traces
from story import BY_ID, BY_PERSON, BY_WORDS, LEAVER, OWNER, PERSON, STAYS, SUBJECT, story

# Hits of a search that the reviewer looks at.
REVIEWED_HITS = 10
# Hits of a search that are looked through for canaries.
SEARCHED_HITS = 20


class Peer:
    """One program under test, with its data in `self.folder`. `self.ids` maps the story's keys to the peer's own ids."""

    # Shown beside the figures: the calls that were used, and what the peer hands out as proof.
    commands = {}
    proof = "none"
    # The peer keeps nothing on disk: no restart, no backup.
    volatile = False
    notes = []

    def __init__(self, folder):
        self.folder = Path(folder)
        self.ids = {}

    def versions(self):
        """The packages under test, as `name version`."""
        raise NotImplementedError

    def open(self):
        raise NotImplementedError

    def close(self):
        pass

    def remember(self, memory):
        """Stores one memory and notes its id. What a derived memory was made of is told in the way the peer documents."""
        raise NotImplementedError

    def forget_ids(self, memories):
        raise NotImplementedError

    def forget_words(self, memories):
        """Where a peer takes no words: its search, and a reviewer without fault who picks from the hits exactly what is meant."""
        wanted = {self.ids[memory.key]: memory for memory in memories}
        hits = self.search(OWNER, SUBJECT, REVIEWED_HITS)
        self.forget_ids([wanted[hit] for hit in hits if hit in wanted])

    def forget_person(self, memories):
        """Everything of the user, then what others stored that mentions the person."""
        raise NotImplementedError

    def forget_mentions(self, memories):
        """Where a peer knows no mentions: the same reviewer, over a search for the name."""
        wanted = {self.ids[memory.key]: memory for memory in memories if memory.user != LEAVER}
        hits = self.search(OWNER, PERSON, REVIEWED_HITS)
        self.forget_ids([wanted[hit] for hit in hits if hit in wanted])

    def search(self, user, words, limit):
        """Ids of the hits, the best first."""
        raise NotImplementedError

    def tidy(self):
        """Whatever the documents tell to do after deletions, such as a vacuum; while the peer is closed."""

    def answers(self, memories):
        """Everything that the peer's API says: pairs of a way (list, get, search, history) and the text of its answer."""
        raise NotImplementedError

    def backup(self, target):
        """While the peer is closed. Without a documented way: a copy of the data folder."""
        _copy(self.folder, target)

    def restore(self, target):
        _put_back(target, self.folder)

    def other_restores(self, target):
        """Further ways to restore that the peer documents, by name. Each is tried on the data as they were after forgetting."""
        return {}


def _copy(source, target):
    """With owners and modes: some servers refuse files that are not their own."""
    subprocess.run(["cp", "-a", "--", str(source), str(target)], check=True)


def _put_back(source, folder):
    shutil.rmtree(folder, ignore_errors=True)
    _copy(source, folder)


def _asked(peer, memories):
    """Keys that were found, each with the ways by which it was."""
    found = {}
    for way, text in peer.answers(memories):
        for key in traces.in_text(text, memories):
            found.setdefault(key, set()).add(way)
    return {key: sorted(ways) for key, ways in found.items()}


def _store(peer, memories):
    for memory in memories:
        peer.remember(memory)
    return _asked(peer, memories)


def _forget(peer, memories):
    def direct(fate):
        return [memory for memory in memories if memory.fate == fate and not memory.derived]

    peer.forget_ids(direct(BY_ID))
    peer.forget_words(direct(BY_WORDS))
    peer.forget_person(direct(BY_PERSON))
    return _asked(peer, memories)


STEPS = {"store": _store, "forget": _forget, "ask": _asked}


def _step(kind, job, name, peer=None):
    """Carries out one step on an opened peer, and keeps the ids for the next process."""
    memories = story(job["seed"])
    state = Path(job["folder"]) / "ids.json"
    peer = peer or kind(Path(job["folder"]) / "data")
    peer.ids = json.loads(state.read_text()) if state.exists() else {}
    peer.open()
    try:
        found = STEPS[name](peer, memories)
        proof = peer.proof
    finally:
        peer.close()
        state.write_text(json.dumps(peer.ids))
    return {"found": found, "proof": proof, "versions": peer.versions()}


def _step_apart(job_path, name):
    command = [sys.executable, sys.argv[0], job_path, name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"step {name}: {done.stderr.strip()[-2000:]}")
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])


def _persistent(kind, job, job_path):
    folder, memories = Path(job["folder"]), story(job["seed"])
    peer = kind(folder / "data")
    peer.folder.mkdir(parents=True)
    stored = _step_apart(job_path, "store")
    peer.backup(folder / "backup")
    _copy(peer.folder, folder / "copy")
    disk_before = traces.in_folder(folder / "copy", memories)
    forgot = _step_apart(job_path, "forget")
    peer.tidy()
    disk = {"before": disk_before, "after": traces.in_folder(peer.folder, memories)}
    again = _step_apart(job_path, "ask")
    _copy(peer.folder, folder / "forgotten")
    restores = {"documented": peer.restore, **peer.other_restores(folder / "backup")}
    restored = {}
    for name, restore in restores.items():
        _put_back(folder / "forgotten", peer.folder)
        restore(folder / "backup")
        restored[name] = _step_apart(job_path, "ask")["found"]
    # The same for every peer, whatever its documents say: an administrator puts the old folder back in place of the new one.
    _put_back(folder / "copy", peer.folder)
    restored["whole folder"] = _step_apart(job_path, "ask")["found"]
    return stored, _joined(forgot["found"], again["found"]), disk, restored, forgot


def _joined(first, second):
    """What was found right after forgetting, and what was found after a restart."""
    return {key: sorted({*first.get(key, []), *second.get(key, [])}) for key in {*first, *second}}


def _volatile(kind, job):
    peer = kind(Path(job["folder"]) / "data")
    stored = _step(kind, job, "store", peer)
    forgot = _step(kind, job, "forget", peer)
    return stored, forgot["found"], None, None, forgot


def run(kind):
    job_path = sys.argv[1]
    job = json.loads(Path(job_path).read_text())
    if len(sys.argv) > 2:
        print(json.dumps(_step(kind, job, sys.argv[2])))
        return
    figures = _volatile(kind, job) if kind.volatile else _persistent(kind, job, job_path)
    print(json.dumps(_report(kind, story(job["seed"]), *figures)))


def _report(kind, memories, stored, api, disk, restored, last):
    direct = {memory.key for memory in memories if memory.fate != STAYS and not memory.derived}
    derived = {memory.key for memory in memories if memory.fate != STAYS and memory.derived}
    stays = {memory.key for memory in memories if memory.fate == STAYS}

    def of(found, keys):
        return None if found is None else {key: found[key] for key in sorted(found) if key in keys}

    def came_back(found):
        return {
            "asked": sorted(direct & set(found)),
            "derived": sorted(derived & set(found)),
            "stays": len(stays & set(found)),
        }

    return {
        "versions": last["versions"],
        "commands": kind.commands,
        "notes": kind.notes,
        "proof": last["proof"],
        "stored": len(stored["found"]),
        "memories": len(memories),
        "asked": len(direct),
        "derived": len(derived),
        "stays": len(stays),
        "api": of(api, direct),
        "disk_before": of(disk and disk["before"], direct),
        "disk": of(disk and disk["after"], direct),
        "derived_api": of(api, derived),
        "derived_disk": of(disk and disk["after"], derived),
        "lost": sorted(stays - set(api)),
        "restored": None if restored is None else {name: came_back(found) for name, found in restored.items()},
    }

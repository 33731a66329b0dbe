"""Lacuna: its HTTP door for storing and asking, its command line for forgetting, backups and receipts."""

import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from protocol import SEARCHED_HITS, Peer, run
from story import LEAVER, OTHER, OWNER, PERSON, WORDS

PROGRAM = os.environ.get("LACUNA_PROGRAM", "lacuna")
PASSPHRASE = "otter quilt lantern ferry moss"
SESSIONS = {OWNER: "home", LEAVER: "tea", OTHER: "garden"}
ANSWER_SECONDS_MAX = 120


class Lacuna(Peer):
    commands = {
        "store": "`POST /v1/memories` (with `derived_from`), `POST /v1/sessions/{id}/turns`",
        "by id": "`lacuna forget --id … --yes`",
        "by words": '`lacuna forget "forget everything about my dentist" --only … --yes`: of what its plan lists, the reviewer confirms what is meant',
        "by person": "`lacuna person forget --name 'Carla Ondrejka' --person carla --yes`, then `lacuna review reject` for what waits there and is meant",
        "after that": "nothing",
        "backup": "`lacuna backup FILE`, `lacuna restore FILE`: the data without keys, beside the keystore of today",
        "asked": "list, get, search, context, sessions, exports, review, notices, receipts, audit",
    }

    notes = [
        "A plan erases what it is sure of and offers what is near in meaning; a memory about two people waits in the review. The reviewer "
        "who picks from the hits of other programs picks from these two lists here.",
    ]

    def versions(self):
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.split()
        commit = os.environ.get("LACUNA_COMMIT")
        return [" ".join(said) + (f" (commit {commit})" if commit else "")]

    def call(self, user, *words, folder=None):
        environment = {**os.environ, "LACUNA_BACKUP_PASSPHRASE": PASSPHRASE, "LACUNA_LOG": "error"}
        command = [PROGRAM, "--data", str(folder or self.folder), "--as", user, "--json", *words]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, timeout=600
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}

    def open(self):
        self.servers, self.addresses = [], {}
        for user in SESSIONS:
            server = subprocess.Popen(
                [PROGRAM, "--data", str(self.folder), "--as", user, "serve", "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self.servers.append(server)
            self.addresses[user] = server.stdout.readline().split()[-1]

    def close(self):
        for server in self.servers:
            server.terminate()
            server.wait()

    def ask(self, user, path, body=None):
        """The text of the answer, also of one that says no."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.addresses[user] + path, data=data, headers={"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.read().decode()

    def remember(self, memory):
        if memory.session:
            turn = {"role": "user", "text": memory.text}
            said = json.loads(self.ask(memory.user, f"/v1/sessions/{memory.session}/turns", {"turns": [turn]}))
            self.ids[memory.key] = said["turns"][0]["memory_id"]
            return
        body = {"content": memory.text, "consent_basis": "explicit-consent"}
        if memory.sources:
            body["content_type"] = "summary"
            body["derived_from"] = [
                {"memory_id": self.ids[source], "contribution": "primary"} for source in memory.sources
            ]
        said = json.loads(self.ask(memory.user, "/v1/memories", body))
        if "memory_id" not in said:
            raise RuntimeError(f"{memory.key}: {said}")
        self.ids[memory.key] = said["memory_id"]

    def forget_ids(self, memories):
        named = [word for memory in memories for word in ("--id", self.ids[memory.key])]
        self.call(OWNER, "forget", *named, "--yes")

    def forget_words(self, memories):
        meant = {self.ids[memory.key] for memory in memories}
        listed = [match["memory_id"] for match in self.call(OWNER, "forget", WORDS)["matches"]]
        chosen = [word for memory in listed if memory in meant for word in ("--only", memory)]
        self.call(OWNER, "forget", WORDS, *chosen, "--yes")

    def forget_person(self, memories):
        self.call(OWNER, "person", "forget", "--name", PERSON, "--person", LEAVER, "--yes")
        meant = {self.ids[memory.key] for memory in memories}
        waiting = [memory["memory_id"] for memory in self.call(OWNER, "review", "list")["memories"]]
        for memory in waiting:
            if memory in meant:
                self.call(OWNER, "review", "reject", memory)
        self.proof = self.check_receipts()

    def check_receipts(self):
        """Verifies every receipt with the public key alone, in an empty folder."""
        verified = 0
        with tempfile.TemporaryDirectory() as empty:
            for user in SESSIONS:
                listed = self.call(user, "receipt", "list")
                for receipt in listed["receipts"]:
                    shown = self.call(user, "receipt", "show", receipt["receipt"])
                    path = Path(empty) / "receipt.json"
                    path.write_text(json.dumps(shown))
                    self.call(user, "receipt", "verify", str(path), "--key", listed["key"], folder=Path(empty) / "none")
                    verified += 1
        return f"{verified} signed receipts, verified with the public key alone"

    def answers(self, memories):
        for user, session in SESSIONS.items():
            yield "list", self.ask(user, "/v1/memories?include_archived=true&limit=100")
            yield "session", self.ask(user, f"/v1/sessions/{session}")
            link = json.loads(self.ask(user, "/v1/exports", {"format": "json", "include_health": True}))["download_url"]
            yield "export", self.ask(user, link)
            for path in ("review", "notices", "receipts", "audit/export"):
                yield path, self.ask(user, f"/v1/{path}")
        for memory in memories:
            body = {"query": memory.question, "max_results": SEARCHED_HITS, "include_archived": True}
            yield "search", self.ask(memory.user, "/v1/search", body)
            yield "context", self.ask(memory.user, "/v1/context", {"turn": memory.question})
            if memory.key in self.ids:
                yield "get", self.ask(memory.user, f"/v1/memories/{self.ids[memory.key]}")

    def backup(self, target):
        target.mkdir()
        self.call(OWNER, "backup", str(target / "data.backup"))
        self.call(OWNER, "backup", str(target / "full.backup"), "--full")

    def restore(self, target):
        self.call(OWNER, "restore", str(target / "data.backup"))

    def other_restores(self, target):
        return {
            "full backup, keys included, over the installation that forgot": self.restore_full,
            "full backup, keys included, on another machine": self.restore_full_elsewhere,
            "copy of the database and texts, put back beside the keys of today": self.put_data_back,
            "copy of all keys, put back beside the database of today": self.put_keys_back,
        }

    def restore_full(self, target):
        self.call(OWNER, "restore", str(target / "full.backup"))

    def restore_full_elsewhere(self, target):
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        self.restore_full(target)

    def put_data_back(self, target):
        """An old `lacuna.db` and `blobs`, without the program's knowledge. It refuses them until an administrator accepts them."""
        copy = target.parent / "copy"
        for log in self.folder.glob("lacuna.db-*"):
            if not log.name.endswith("-reserve"):
                log.unlink()
        shutil.copy(copy / "lacuna.db", self.folder / "lacuna.db")
        shutil.copytree(copy / "blobs", self.folder / "blobs", dirs_exist_ok=True)
        self.call(OWNER, "keys", "accept-rollback")

    def put_keys_back(self, target):
        """Every key of then, with the anchor that would notice it: whatever sealed text the database still has could be opened."""
        for name in ("keys", "keystore"):
            shutil.rmtree(self.folder / name)
            shutil.copytree(target.parent / "copy" / name, self.folder / name)


if __name__ == "__main__":
    run(Lacuna)

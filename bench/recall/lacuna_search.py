"""Lacuna: its HTTP door, a user with a token for each person."""

import datetime
import json
import os
import subprocess
import urllib.request

from asking import HITS_MAX, Asked, run

PROGRAM = os.environ.get("LACUNA_PROGRAM", "lacuna")
ANSWER_SECONDS_MAX = 300
# The person consents to what the conversations are about; without that, sentences about health and the like would wait.
CONSENTS = ("health", "financial", "biometric", "location", "political_religious", "relationships")
TIME_FORMS = ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S", "%Y/%m/%d (%a) %H:%M")


def moment(told):
    for form in TIME_FORMS:
        try:
            return datetime.datetime.strptime(told, form).replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            continue
    raise ValueError(f"no time: {told}")


def recent_times(texts):
    """The times of the texts, all moved by the same span so that the last was said yesterday: what is years old would be over."""
    times = [moment(text["time"]) for text in texts]
    moved = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1) - max(times)
    return [(time + moved).strftime("%Y-%m-%dT%H:%M:%SZ") for time in times]


class LacunaSearch(Asked):
    commands = {
        "store": "`PUT /v1/consents`; `POST /v1/sessions/{id}/turns`, `POST /v1/memories/batch` for texts without a conversation; `lacuna jobs run embed`",
        "ask": '`POST /v1/search {"query": question, "max_results": 10}`',
    }
    notes = [
        "It finds by all-MiniLM-L6-v2 with layers that were learnt further on pairs of its own, by a second model (universal-sentence-encoder-multilingual), by words and by neighbouring turns at once; both models are "
        "its own copies, in 8 bits. Its weights were learnt on these sets: with one set left out, R@10 is about five points lower on LoCoMo and three on REALTALK "
        "(`cargo xtask eval recall`). LongMemEval was not learnt from.",
    ]

    def versions(self):
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.split()
        commit = os.environ.get("LACUNA_COMMIT")
        return [" ".join(said) + (f" (commit {commit})" if commit else "")]

    def command(self, *words):
        return [PROGRAM, "--data", str(self.folder / "data"), *words]

    def open(self):
        self.tokens, self.ids, self.texts = {}, {}, {}
        self.variables = {**os.environ, "LACUNA_LOG": "error"}
        self.server = None
        self.serve()

    def serve(self):
        self.server = subprocess.Popen(
            self.command("serve", "--listen", "127.0.0.1:0"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.variables,
        )
        self.address = self.server.stdout.readline().split()[-1]

    def close(self):
        self.server.terminate()
        self.server.wait()

    def use(self, space):
        if space["id"] not in self.tokens:
            make = self.command("--json", "token", "create", "--user", space["id"], "--role", "user")
            made = subprocess.run(make, capture_output=True, text=True, check=True, env=self.variables)
            self.tokens[space["id"]] = json.loads(made.stdout)["secret"]
        self.token = self.tokens[space["id"]]

    def ask(self, method, path, body):
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as answer:
            return json.loads(answer.read())

    def store(self, space):
        for category in CONSENTS:
            self.ask("PUT", "/v1/consents", {"category": category})
        sessions = {}
        for text, at in zip(space["texts"], recent_times(space["texts"])):
            sessions.setdefault(text["session"], []).append((text, at))
        for session, told in sessions.items():
            answers = self.append(session, told) if session else self.remember(told)
            for (text, _), answer in zip(told, answers):
                self.ids[answer.get("memory_id")] = text["id"]

    def append(self, session, told):
        turns = [{"role": "user", "text": text["text"], "at": at} for text, at in told]
        return self.ask("POST", f"/v1/sessions/{session}/turns", {"turns": turns})["turns"]

    def remember(self, told):
        memories = [
            {"content": text["text"], "created_at": at, "consent_basis": "explicit-consent"} for text, at in told
        ]
        return self.ask("POST", "/v1/memories/batch", {"memories": memories})["memories"]

    def settle(self):
        self.close()
        subprocess.run(self.command("jobs", "run", "embed"), check=True, capture_output=True, env=self.variables)
        self.serve()

    def search(self, space, question):
        found = self.ask("POST", "/v1/search", {"query": question, "max_results": HITS_MAX})
        return [(self.ids.get(hit["memory_id"], ""), hit["content"]) for hit in found["memories"]]


if __name__ == "__main__":
    run(LacunaSearch)

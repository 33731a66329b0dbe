"""A server of one's own on this machine: started with the client, and stopped with it."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sysconfig
import threading
import weakref
from collections import deque
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from ._wire import is_loopback
from .errors import LocalServerError

START_SECONDS_MAX = 60.0
STOP_SECONDS_MAX = 15.0
#: Lines of the log that are kept to explain why a server did not start.
LOG_LINES_KEPT = 20
BINARY_VARIABLE = "LACUNA_BIN"
#: Runs the server until standard input closes. That happens when the client stops it, and also when the program dies,
#: however it dies. The shell lets go of its own outputs, so that they end with the server.
KEEPER = '"$@" </dev/null & server=$!; exec >/dev/null 2>&1; cat; kill -TERM "$server"; wait "$server"'


class LocalServer:
    """`lacuna serve` on a free loopback port. It ends with this object, or with the program at the latest."""

    def __init__(self, binary: str | None, data: str | os.PathLike[str] | None, user: str | None) -> None:
        command = [find_binary(binary)]
        # With `=`, so that no value can be read as an option.
        command += [f"--data={os.fspath(data)}"] if data is not None else []
        command += [f"--as={user}"] if user is not None else []
        command += ["serve", "--listen=127.0.0.1:0", "--json"]
        environment = {name: value for name, value in os.environ.items() if name != BINARY_VARIABLE}
        try:
            process = subprocess.Popen(
                ["sh", "-c", KEEPER, "lacuna", *command],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Ctrl-C in a terminal ends the client first, which then ends the server.
                start_new_session=True,
            )
        except OSError as error:
            raise not_started(f"No shell can be run: {error.strerror}.") from None
        self._stop = weakref.finalize(self, stop, process, os.getpid())
        try:
            self.url = listening(process)
        except BaseException:
            self._stop()
            raise

    def stop(self) -> None:
        """Ends the server. Requests under way are answered first."""
        self._stop()


def find_binary(binary: str | None) -> str:
    """Returns the program: the argument, else LACUNA_BIN, else the one of this package's wheel, else `lacuna` in PATH."""
    named = binary or os.environ.get(BINARY_VARIABLE)
    # A wheel puts its program beside the interpreter of its environment, which need not be in PATH.
    carried = None if named else shutil.which("lacuna", path=sysconfig.get_path("scripts"))
    found = carried or shutil.which(named or "lacuna")
    if found is None:
        raise LocalServerError(
            "binary_not_found",
            f"There is no program {Path(named or 'lacuna').name}.",
            f"Install lacuna, or set {BINARY_VARIABLE} to its path; or pass the URL of a server.",
        )
    return found


def listening(process: subprocess.Popen[bytes]) -> str:
    """Waits until the server says where it listens."""
    assert process.stdout is not None and process.stderr is not None
    log: deque[bytes] = deque(maxlen=LOG_LINES_KEPT)
    reader = threading.Thread(target=keep_last, args=(process.stderr, log), daemon=True)
    reader.start()
    said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=tell_first, args=(process.stdout, said), daemon=True).start()
    try:
        first = said.get(timeout=START_SECONDS_MAX)
    except queue.Empty:
        first = b""
    if not first:
        stop(process, os.getpid())
        reader.join(STOP_SECONDS_MAX)
        raise start_error(list(log))
    try:
        url = str(json.loads(first)["listening"])
    except (ValueError, KeyError, TypeError):
        raise not_started("It did not say where it listens.") from None
    if not is_loopback(urlsplit(url).hostname or ""):
        raise not_started("It does not listen on loopback.")
    return url


def tell_first(stdout: IO[bytes], said: queue.SimpleQueue[bytes]) -> None:
    with stdout:
        said.put(stdout.readline())
        # A server that prints more must not wait for a reader.
        for _ in stdout:
            pass


def keep_last(lines: IO[bytes], log: deque[bytes]) -> None:
    with lines:
        log.extend(lines)


def start_error(log: list[bytes]) -> LocalServerError:
    """Returns the error that the server printed as JSON before it ended."""
    for line in reversed(log):
        try:
            problem = json.loads(line)
            return LocalServerError(str(problem["code"]), str(problem["detail"]), str(problem["remedy"]))
        except (ValueError, KeyError, TypeError):
            continue
    return not_started("It ended, or did not answer in time.")


def not_started(detail: str) -> LocalServerError:
    return LocalServerError(
        "not_started", f"The local server did not start. {detail}", "Run `lacuna serve` in a terminal to see why."
    )


def stop(process: subprocess.Popen[bytes], owner: int) -> None:
    # A forked child inherits this object, not the server.
    if os.getpid() != owner or process.poll() is not None:
        return
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        # The shell and the server are a group of their own.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

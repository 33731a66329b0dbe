"""The parts of a connection that need no connection: where it may lead, what an answer means, when to ask again."""

from __future__ import annotations

import ipaddress
import random
import ssl
from datetime import datetime, timedelta, timezone
from typing import Any, NoReturn, cast
from urllib.parse import urlsplit

import httpx

from ._call import Call
from .errors import (
    ApiError,
    ConnectionFailed,
    LacunaError,
    ServerFault,
    TimedOut,
    UnsafeUrl,
    UsageError,
    from_problem,
)
from .types import Problem, Role

#: Longest wait for a connection, and by default for each answer. The server itself gives up after 60 seconds.
CONNECT_SECONDS = 10.0
TIMEOUT_SECONDS_DEFAULT = 70.0
RETRIES_DEFAULT = 3
#: The first wait before another attempt; each further one is twice as long.
RETRY_SECONDS_FIRST = 0.2
#: A server that asks for more patience than this is not waited for.
RETRY_SECONDS_MAX = 30.0
#: A token that was made for a person lives this long. Another one is made before it ends.
LENT_SECONDS = 3600
LENT_SECONDS_SPARE = 300
LENT_LABEL = "lacuna-memory"
LENT_ROLES: tuple[Role, ...] = ("user",)
#: People whom a service holds tokens for at a time. The one that was made first makes room.
LENT_MAX = 256
STREAM_BYTES = 64 * 1024

#: Refusals that time alone may cure. After all but `timeout` the server has done nothing.
PASSING_CODES = frozenset(
    {
        "body_timeout",
        "draining",
        "idempotency_in_flight",
        "locked",
        "overloaded",
        "rate_limited",
        "sign_on_unavailable",
        "store_unavailable",
    }
)
#: Answers of a proxy or of the server after which the work may have been done.
UNCERTAIN_CODES = frozenset({"timeout", "no_document"})


class Secret:
    """A token that does not show itself."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def expose(self) -> str:
        """Returns the token, for the header of a request only."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a token is not copied or stored with the object that holds it")


def secret(token: str | None) -> Secret | None:
    if token is None:
        return None
    if not token.isascii() or not token.isprintable() or " " in token or not token:
        raise UsageError("The token has characters that no token has.", "Pass the token as it was made, on one line.")
    return Secret(token)


def checked_url(url: str, *, allow_plain_http: bool) -> str:
    """Returns the URL of a server without a slash at its end, unless memories would travel in the clear."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("The URL is not one of a server.", "Pass one such as https://memory.example.com.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError("The URL has a password, a query or a fragment.", "Pass the token as token=….")
    if parts.scheme == "http" and not is_loopback(parts.hostname) and not allow_plain_http:
        raise UnsafeUrl(
            "The URL has no TLS and leads to another machine: memories and the token would travel in the clear.",
            "Use https://. Pass allow_plain_http=True only if the network itself is encrypted.",
        )
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def settings(url: str, timeout: float, ca_file: str | None) -> dict[str, Any]:
    """Returns the arguments of an HTTP client. Redirects are not followed, so that a token goes to one server only."""
    host = urlsplit(url).hostname or ""
    return {
        "base_url": url,
        "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
        # A proxy of the environment would see what is meant for this machine.
        "trust_env": not is_loopback(host),
        "verify": ssl.create_default_context(cafile=ca_file),
        "follow_redirects": False,
    }


def headers(call: Call[Any], token: Secret | None) -> dict[str, str]:
    sent = {"Accept": "application/json", **call.headers}
    if token is not None:
        sent["Authorization"] = f"Bearer {token.expose()}"
    return sent


def failure(error: httpx.HTTPError | httpx.InvalidURL | httpx.StreamError) -> LacunaError:
    """Returns the error to raise in place of one that may name the address of an export."""
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)):
        return ConnectionFailed("The server was not reached.", never_sent=True)
    if isinstance(error, httpx.TimeoutException):
        return TimedOut()
    return ConnectionFailed("The connection broke.", never_sent=False)


def answer(response: httpx.Response, token: Secret | None) -> Any:
    """Returns the document of an answer that was read whole, or raises what the server refused."""
    if not response.is_success:
        raise refusal(response, token)
    if response.status_code == httpx.codes.NO_CONTENT:
        return None
    try:
        return response.json()
    except ValueError:
        raise no_document(response.status_code) from None


def refusal(response: httpx.Response, token: Secret | None) -> ApiError:
    try:
        problem = response.json()
    except ValueError:
        problem = None
    texts = ("code", "title", "detail", "remedy")
    if not isinstance(problem, dict) or not all(isinstance(problem.get(name), str) for name in texts):
        return no_document(response.status_code)
    if token is not None:
        # A proxy in between may show the headers that it got.
        for name in texts:
            problem[name] = problem[name].replace(token.expose(), "…")
    problem["status"] = response.status_code
    return from_problem(cast(Problem, problem), retry_after(response))


def no_document(status: int) -> ApiError:
    problem: Problem = {
        "code": "no_document",
        "status": status,
        "title": "The answer is not Lacuna's.",
        "detail": f"HTTP {status} came without a document of Lacuna.",
        "remedy": "Check that the URL leads to a Lacuna server, and look at the proxy in front of it.",
    }
    return ServerFault(problem) if status < httpx.codes.BAD_REQUEST else from_problem(problem, None)


def retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("retry-after", "")
    return float(value) if value.isdigit() else None


def wait_before_retry(call: Call[Any], error: LacunaError, attempt: int) -> float | None:
    """Returns the seconds to wait before the same request is sent again, or `None` if it must not be."""
    if not _may_repeat(call, error):
        return None
    pause = RETRY_SECONDS_FIRST * 2**attempt * random.uniform(0.5, 1.0)
    asked = error.retry_after if isinstance(error, ApiError) else None
    wait = max(pause, asked or 0.0)
    return wait if wait <= RETRY_SECONDS_MAX else None


def _may_repeat(call: Call[Any], error: LacunaError) -> bool:
    if isinstance(error, ConnectionFailed):
        return error.never_sent or call.repeatable
    if isinstance(error, TimedOut):
        return call.repeatable
    if error.code in UNCERTAIN_CODES:
        return call.repeatable and isinstance(error, ApiError) and error.status > httpx.codes.INTERNAL_SERVER_ERROR
    return error.code in PASSING_CODES


def download_target(download_url: str, prefix: str) -> bytes:
    """Returns the target of the request for an export, on the server that gave the link and nowhere else."""
    if not download_url.startswith("/v1/exports/") or not download_url.isascii():
        raise no_document(httpx.codes.OK)
    return (prefix + download_url).encode("ascii")


def lent_until() -> str:
    """The end of a token that is made now, as the API writes times."""
    return (datetime.now(timezone.utc) + timedelta(seconds=LENT_SECONDS)).strftime("%Y-%m-%dT%H:%M:%SZ")


def speaks_for(scopes: list[str], user: str) -> bool:
    """The caller's own vault is that of `user`."""
    return f"user:{user}" in scopes


def needs_service_token() -> UsageError:
    return UsageError(
        "Acting for a person needs a token: without one the server knows the local user only.",
        "Pass token=… with one made by `lacuna token create --user NAME --role service --operation …`.",
    )

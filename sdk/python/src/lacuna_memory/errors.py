"""Errors say what happened and what the caller can do. None of them holds a token or the text of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .types import Asked, GateReport, Problem


class LacunaError(Exception):
    """Base of all errors of this package."""

    #: Stable name of the error. Those of the server are in docs/errors.md.
    code: str
    #: What happened.
    detail: str
    #: What to do.
    remedy: str

    def __init__(self, code: str, detail: str, remedy: str) -> None:
        super().__init__(code, detail, remedy)
        self.code, self.detail, self.remedy = code, detail, remedy

    def __str__(self) -> str:
        return f"{self.detail.rstrip('.')} [{self.code}]. {self.remedy}"


class UsageError(LacunaError):
    """An argument cannot be used. Nothing was sent."""

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__("usage", detail, remedy)


class UnsafeUrl(LacunaError):
    """Memories or a token would travel in the clear. Nothing was sent."""

    def __init__(self, detail: str, remedy: str) -> None:
        super().__init__("unsafe_url", detail, remedy)


class LocalServerError(LacunaError):
    """The local server was not found, or did not start."""


class ConnectionFailed(LacunaError):
    """The server was not reached, or the connection broke."""

    #: The request never left, so that nothing can have been done.
    never_sent: bool

    def __init__(self, detail: str, *, never_sent: bool) -> None:
        super().__init__("connection_failed", detail, "Check that the server runs and that the URL leads to it.")
        self.never_sent = never_sent


class TimedOut(LacunaError):
    """The server did not answer in time. The work may still be finished."""

    def __init__(self) -> None:
        super().__init__(
            "timed_out",
            "The server did not answer in time.",
            "Check whether it was done, or send it again with the same idempotency_key; pass a longer timeout.",
        )


class ApiError(LacunaError):
    """A refusal of the server. A refused request changed nothing, unless its code is `timeout`."""

    status: int
    #: The meaning of the code.
    title: str
    #: The field at fault.
    field: str | None
    #: The id of the request, which the server's log has as well.
    request_id: str | None
    #: Seconds to wait before another attempt.
    retry_after: float | None
    #: The gate's findings in a text that it did not take.
    gate: GateReport | None

    def __init__(self, problem: Problem, retry_after: float | None = None) -> None:
        super().__init__(problem["code"], problem["detail"], problem["remedy"])
        self.status, self.title = problem["status"], problem["title"]
        self.field, self.request_id = problem.get("field"), problem.get("request_id")
        self.retry_after, self.gate = retry_after, problem.get("gate")


class InvalidRequest(ApiError):
    """The server could not read the request, or does not accept a value in it: see `field`."""


class Unauthenticated(ApiError):
    """There is no token, or it is unknown, expired or revoked."""


class Denied(ApiError):
    """The caller's roles do not allow this."""


class NotFound(ApiError):
    """There is no such thing within the caller's reach: missing, foreign and erased look the same."""


class Conflict(ApiError):
    """The state of the vault does not allow this, or has changed meanwhile."""


class NeedsConfirmation(Conflict):
    """The text is stored only after a person said yes: send it again with `confirm`."""

    #: The questions, and the token to send as `confirm` after a yes.
    asked: Asked

    def __init__(self, problem: Problem, retry_after: float | None = None) -> None:
        super().__init__(problem, retry_after)
        self.asked = cast("Asked", problem.get("asked"))

    @property
    def confirm(self) -> str:
        """The token to send with the same text."""
        return self.asked["confirm"]


class RateLimited(ApiError):
    """The caller sent more than a minute or a day allows: see `retry_after`."""


class Unavailable(ApiError):
    """The server cannot do it at the moment; later may work."""


class ServerFault(ApiError):
    """A defect in the server, or an answer that is not Lacuna's."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthenticated,
    403: Denied,
    404: NotFound,
    408: Unavailable,
    409: Conflict,
    412: Conflict,
    421: Denied,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_FIRST_SERVER_STATUS = 500


def from_problem(problem: Problem, retry_after: float | None) -> ApiError:
    """Returns the error of the class that fits."""
    if problem["code"] == "needs_confirmation" and problem.get("asked"):
        return NeedsConfirmation(problem, retry_after)
    default = InvalidRequest if problem["status"] < _FIRST_SERVER_STATUS else ServerFault
    return _BY_STATUS.get(problem["status"], default)(problem, retry_after)

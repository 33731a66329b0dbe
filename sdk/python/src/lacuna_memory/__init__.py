"""Private memory for AI assistants that can prove it forgot: the client for Python.

from lacuna_memory import Lacuna

with Lacuna() as memory:
    memory.remember("The spare key is with Ingrid.")
    print(memory.search("Who has the spare key?")["memories"][0]["content"])
"""

from .aio import AsyncLacuna
from .client import Lacuna
from .errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    Denied,
    InvalidRequest,
    LacunaError,
    LocalServerError,
    NeedsConfirmation,
    NotFound,
    RateLimited,
    ServerFault,
    TimedOut,
    Unauthenticated,
    Unavailable,
    UnsafeUrl,
    UsageError,
)

__all__ = [
    "ApiError",
    "AsyncLacuna",
    "Conflict",
    "ConnectionFailed",
    "Denied",
    "InvalidRequest",
    "Lacuna",
    "LacunaError",
    "LocalServerError",
    "NeedsConfirmation",
    "NotFound",
    "RateLimited",
    "ServerFault",
    "TimedOut",
    "Unauthenticated",
    "Unavailable",
    "UnsafeUrl",
    "UsageError",
]
__version__ = "0.1.0"

"""The connection of the blocking client: sends calls, asks again, and holds tokens that were made for people."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import httpx

from . import _call, _wire
from ._call import Call
from ._local import LocalServer
from ._wire import Secret
from .errors import Denied, LacunaError
from .types import Role

T = TypeVar("T")
Holder = tuple[str, tuple[Role, ...]]


@dataclass(frozen=True)
class Lent:
    """A token to act for a person with, and the moment from which another one is wanted."""

    token_id: str | None
    secret: Secret | None
    renew_at: float
    #: The person to name in each call; `None` if the token was made for them.
    person: str | None = None


class Connection:
    def __init__(
        self,
        url: str,
        token: Secret | None,
        *,
        timeout: float,
        retries: int,
        ca_file: str | None,
        server: LocalServer | None,
    ) -> None:
        self.url, self.token, self.server = url, token, server
        self._retries = retries
        self._http = httpx.Client(**_wire.settings(url, timeout, ca_file))
        self._lent: OrderedDict[Holder, Lent] = OrderedDict()
        self._lock = threading.Lock()

    def send(self, call: Call[T], holder: Holder | None = None) -> T:
        """Sends a call, again where that is safe, for the person or for the caller of the client."""
        if holder is None:
            return cast(T, self._repeated(call, self.token))
        lent = self._lent_for(holder)
        return cast(T, self._repeated(_call.for_person(call, lent.person), lent.secret))

    def _repeated(self, call: Call[Any], token: Secret | None) -> Any:
        attempt = 0
        while True:
            try:
                return self._once(call, token)
            except LacunaError as error:
                wait = _wire.wait_before_retry(call, error, attempt) if attempt < self._retries else None
                if wait is None:
                    raise
            time.sleep(wait)
            attempt += 1

    def _once(self, call: Call[Any], token: Secret | None) -> Any:
        try:
            response = self._http.request(
                call.method,
                call.path,
                params=httpx.QueryParams(list(call.query)) if call.query else None,
                json=call.json,
                content=call.content,
                headers=_wire.headers(call, token),
            )
        except httpx.HTTPError as error:
            failure = _wire.failure(error)
        else:
            return _wire.answer(response, token)
        raise failure

    def download(self, download_url: str) -> Iterator[bytes]:
        """Yields an export while the server writes it. Its address is a secret, and stays out of the log of httpx."""
        target = _wire.download_target(download_url, self._http.base_url.path.rstrip("/"))
        broken: LacunaError
        try:
            with self._http.stream("GET", "/v1/exports", extensions={"target": target}) as response:
                if not response.is_success:
                    response.read()
                    raise _wire.refusal(response, None)
                yield from response.iter_bytes(_wire.STREAM_BYTES)
                return
        except httpx.HTTPError as error:
            broken = _wire.failure(error)
        raise broken

    def _lent_for(self, holder: Holder) -> Lent:
        with self._lock:
            lent = self._lent.get(holder)
            if lent is None or time.monotonic() >= lent.renew_at:
                # Requests may still be under way with the token before, so it is left to end by itself.
                lent = self._lend(holder)
                self._lent.pop(holder, None)
                if len(self._lent) >= _wire.LENT_MAX:
                    self._lent.popitem(last=False)
                self._lent[holder] = lent
            return lent

    def _lend(self, holder: Holder) -> Lent:
        user, roles = holder
        renew_at = time.monotonic() + _wire.LENT_SECONDS - _wire.LENT_SECONDS_SPARE
        if roles == _wire.LENT_ROLES and self._is_named(user):
            return Lent(None, self.token, renew_at, user)
        if self.token is None:
            raise _wire.needs_service_token()
        made = self.send(_call.create_token(user, roles, _wire.LENT_LABEL, _wire.lent_until(), None))
        return Lent(made["token_id"], Secret(made["secret"]), renew_at)

    def _is_named(self, user: str) -> bool:
        """The token may name the person: it is a service's, or their own. An administrator's is not."""
        try:
            scopes = self.send(_call.for_person(_call.list_scopes(), user))
        except Denied:
            return False
        # A service that may not recall sees no vault, and an administrator sees the organisation's.
        return not scopes["scopes"] or _wire.speaks_for(scopes["scopes"], user)

    def _revoke(self, lent: Lent) -> None:
        if lent.token_id is None:
            return
        # A token that cannot be revoked now ends by itself within the hour.
        with contextlib.suppress(LacunaError):
            self._once(_call.revoke_token(lent.token_id), self.token)

    def close(self) -> None:
        with self._lock:
            while self._lent:
                self._revoke(self._lent.popitem()[1])
        self._http.close()
        if self.server is not None:
            self.server.stop()

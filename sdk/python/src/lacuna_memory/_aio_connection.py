"""The connection of the asynchronous client: sends calls, asks again, and holds tokens that were made for people."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar, cast

import httpx

from . import _call, _wire
from ._call import Call
from ._connection import Holder, Lent
from ._local import LocalServer
from ._wire import Secret
from .errors import Denied, LacunaError

T = TypeVar("T")


class AsyncConnection:
    def __init__(
        self,
        where: str | Callable[[], LocalServer],
        token: Secret | None,
        *,
        timeout: float,
        retries: int,
        ca_file: str | None,
    ) -> None:
        self.token, self.is_local = token, not isinstance(where, str)
        self._where: str | Callable[[], LocalServer] = where
        self._server: LocalServer | None = None
        self._http: httpx.AsyncClient | None = None
        self._retries, self._timeout, self._ca_file = retries, timeout, ca_file
        self._opening = asyncio.Lock()
        self._lent: OrderedDict[Holder, Lent] = OrderedDict()
        self._lock = asyncio.Lock()

    @property
    def url(self) -> str | None:
        """The address of the server; `None` while a server of one's own has not started."""
        if self._server is not None:
            return self._server.url
        return self._where if isinstance(self._where, str) else None

    async def open(self) -> httpx.AsyncClient:
        """Starts the server if it is one's own, once. To start it blocks, so a thread does it."""
        async with self._opening:
            if self._http is None:
                if not isinstance(self._where, str) and self._server is None:
                    self._server = await asyncio.to_thread(self._where)
                self._http = httpx.AsyncClient(**_wire.settings(self.url or "", self._timeout, self._ca_file))
            return self._http

    async def send(self, call: Call[T], holder: Holder | None = None) -> T:
        """Sends a call, again where that is safe, for the person or for the caller of the client."""
        if holder is None:
            return cast(T, await self._repeated(call, self.token))
        lent = await self._lent_for(holder)
        return cast(T, await self._repeated(_call.for_person(call, lent.person), lent.secret))

    async def _repeated(self, call: Call[Any], token: Secret | None) -> Any:
        attempt = 0
        while True:
            try:
                return await self._once(call, token)
            except LacunaError as error:
                wait = _wire.wait_before_retry(call, error, attempt) if attempt < self._retries else None
                if wait is None:
                    raise
            await asyncio.sleep(wait)
            attempt += 1

    async def _once(self, call: Call[Any], token: Secret | None) -> Any:
        http = await self.open()
        try:
            response = await http.request(
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

    async def download(self, download_url: str) -> AsyncIterator[bytes]:
        """Yields an export while the server writes it. Its address is a secret, and stays out of the log of httpx."""
        http = await self.open()
        target = _wire.download_target(download_url, http.base_url.path.rstrip("/"))
        broken: LacunaError
        try:
            async with http.stream("GET", "/v1/exports", extensions={"target": target}) as response:
                if not response.is_success:
                    await response.aread()
                    raise _wire.refusal(response, None)
                async for piece in response.aiter_bytes(_wire.STREAM_BYTES):
                    yield piece
                return
        except httpx.HTTPError as error:
            broken = _wire.failure(error)
        raise broken

    async def _lent_for(self, holder: Holder) -> Lent:
        async with self._lock:
            lent = self._lent.get(holder)
            if lent is None or time.monotonic() >= lent.renew_at:
                # Requests may still be under way with the token before, so it is left to end by itself.
                lent = await self._lend(holder)
                self._lent.pop(holder, None)
                if len(self._lent) >= _wire.LENT_MAX:
                    self._lent.popitem(last=False)
                self._lent[holder] = lent
            return lent

    async def _lend(self, holder: Holder) -> Lent:
        user, roles = holder
        renew_at = time.monotonic() + _wire.LENT_SECONDS - _wire.LENT_SECONDS_SPARE
        if roles == _wire.LENT_ROLES and await self._is_named(user):
            return Lent(None, self.token, renew_at, user)
        if self.token is None:
            raise _wire.needs_service_token()
        made = await self.send(_call.create_token(user, roles, _wire.LENT_LABEL, _wire.lent_until(), None))
        return Lent(made["token_id"], Secret(made["secret"]), renew_at)

    async def _is_named(self, user: str) -> bool:
        """The token may name the person: it is a service's, or their own. An administrator's is not."""
        try:
            scopes = await self.send(_call.for_person(_call.list_scopes(), user))
        except Denied:
            return False
        # A service that may not recall sees no vault, and an administrator sees the organisation's.
        return not scopes["scopes"] or _wire.speaks_for(scopes["scopes"], user)

    async def _revoke(self, lent: Lent) -> None:
        if lent.token_id is None:
            return
        # A token that cannot be revoked now ends by itself within the hour.
        with contextlib.suppress(LacunaError):
            await self._once(_call.revoke_token(lent.token_id), self.token)

    async def close(self) -> None:
        async with self._lock:
            while self._lent:
                await self._revoke(self._lent.popitem()[1])
        if self._http is not None:
            await self._http.aclose()
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)

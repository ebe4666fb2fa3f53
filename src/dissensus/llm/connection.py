"""HTTP to one provider: requests that end in time, and responses without the key."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import certifi
from yarl import URL

from dissensus.errors import ProviderError

_STRUCK = "[key]"
#: The packages' loggers that may log what an answer says.
_LOGGERS = (
    *("httpx2", "openai._base_client", "anthropic._base_client"),
    *("aiohttp.client", "aiohttp.internal"),
)


class Secret(logging.Filter):
    """Strikes a key out of whatever a provider sends, should it ever echo it.

    A word that local servers are given for want of a key (``EMPTY``, ``ollama``) is no secret, and
    would be struck out of the models' own words: a key has 12 characters, or 8 that are not all
    letters.
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key if len(key) >= (12 if key.isalpha() else 8) else ""
        self._bytes = self._key.encode()
        self._in_json = json.dumps(self._key)[1:-1]

    def guard_logs(self) -> None:
        """Strike it out of what the packages log, too: a status line may hold it."""
        for name in _LOGGERS if self._key else ():
            logging.getLogger(name).addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        if self._key in (message := record.getMessage()):
            record.msg, record.args = self.strike(message), ()
        return True

    def strike(self, text: str) -> str:
        return text.replace(self._key, _STRUCK) if self._key else text

    def strike_bytes(self, body: bytes) -> bytes:
        return body.replace(self._bytes, _STRUCK.encode()) if self._key else body

    def parse(self, body: bytes) -> Any:
        """The value of a JSON text, without the key, however it was escaped there.

        Raises
        ------
        ValueError, RecursionError : it is no JSON, or nested too deeply.
        """
        value = json.loads(self.strike_bytes(body))
        if self._key and b"\\" in body and self._in_json in (text := json.dumps(value)):
            value = json.loads(text.replace(self._in_json, _STRUCK))
        return value

    def __repr__(self) -> str:
        return "Secret()"


#: The most of an answer that is read: embeddings of 256 texts take a few megabytes.
MAX_BYTES = 20_000_000
#: The most of one of its headers: gateways with many cookies send more than the usual 8 kB.
MAX_HEADER_BYTES = 65_536
#: Seconds for a connection to be made. Nothing has been sent until then, so nothing is booked.
_CONNECT_S = 10.0


@dataclass(frozen=True)
class Response:
    """What a provider answered.

    Attributes
    ----------
    body : cut off soon after :data:`MAX_BYTES`.
    error : why the rest of the body did not come; None for one that came whole.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    error: Exception | None = None

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


class Connection:
    """The connections to one provider, on the providers' event loop.

    Redirects are not followed, since they would carry the key to wherever they point; cookies are
    not kept. A proxy that the environment names (``HTTPS_PROXY``) is used.

    Parameters
    ----------
    address : of the provider.
    headers : of every request, with the key among them.
    timeout_s : seconds for one request.
    secret : the key, struck out of what comes back.

    Raises
    ------
    ValueError : the address is none.
    ProviderError : the certificates that the environment names cannot be read, or the proxy that it
        names is no address.
    """

    def __init__(
        self, address: str, headers: Mapping[str, str], timeout_s: float, secret: Secret
    ) -> None:
        url = URL(address)
        if url.scheme not in ("http", "https") or not url.host:
            raise ValueError("it has no host")
        plain, mark, query = address.partition("?")
        # Azure wants its version after the path of each request.
        self._address, self._query = plain.rstrip("/"), mark + query
        self._timeout_s = timeout_s
        self._secret = secret
        secret.guard_logs()
        # Asked once: for every request, it would take a thread of its own.
        self._proxy = None if proxy_bypass(url.host) else _proxy(url.scheme)
        self._session = aiohttp.ClientSession(
            headers=headers,
            connector=aiohttp.TCPConnector(limit=0, ssl=_certificates(url)),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(sock_connect=min(_CONNECT_S, timeout_s / 2)),
            max_line_size=MAX_HEADER_BYTES,
            max_field_size=MAX_HEADER_BYTES,
        )

    @property
    def proxy(self) -> str:
        """The address of the proxy, without the name and password in it; "" for none."""
        return str(URL(self._proxy).with_user(None)) if self._proxy else ""

    async def fetch(
        self, method: str, path: str, body: bytes | None = None, until: float = math.inf
    ) -> Response:
        """The whole response to one request; see :meth:`receive`.

        Raises
        ------
        TimeoutError, aiohttp.ClientError, OSError : there is none.
        """
        response = await self.receive(method, path, body, until)
        if response.error is not None:
            raise response.error
        return response

    async def receive(
        self, method: str, path: str, body: bytes | None = None, until: float = math.inf
    ) -> Response:
        """The response to one request, as far as it comes.

        Parameters
        ----------
        method, path : such as POST and ``/chat/completions``.
        body : JSON.
        until : when it ends at the latest, by the event loop's clock.

        Raises
        ------
        TimeoutError, aiohttp.ClientError, OSError : nothing of it came.
        """
        ends = min(asyncio.get_running_loop().time() + self._timeout_s, until)
        begun: aiohttp.ClientResponse | None = None
        received, fault = bytearray(), None
        try:
            async with (
                asyncio.timeout_at(ends),
                self._session.request(
                    method,
                    URL(self._address + path + self._query, encoded=True),
                    data=body,
                    proxy=self._proxy,
                    allow_redirects=False,
                ) as begun,
            ):
                async for chunk in begun.content.iter_any():
                    received += chunk
                    if len(received) > MAX_BYTES:
                        begun.close()
                        break
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            if begun is None:
                raise
            fault = error
        return Response(
            begun.status, begun.headers, self._secret.strike_bytes(bytes(received)), fault
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()


def _proxy(scheme: str) -> str | None:
    """The address of the proxy that the environment names for a scheme; None for none."""
    named = getproxies().get(scheme)
    if not named:
        return None
    name = f"the environment variable {scheme.upper()}_PROXY (or {scheme}_proxy)"
    # A name and a password may stand before the last "@", and are not shown.
    shown = named.rpartition("@")[2]
    may = "write it as http://host:port or http://name:password@host:port"
    if "#" in named:
        raise ProviderError(f"{name} has a '#' in it, which ends an address; write it as %23.")
    try:
        url = URL(named)
        is_address = url.scheme in ("http", "https") and bool(url.host)
    except ValueError:
        is_address = False
    if not is_address:
        raise ProviderError(f"{name} names the proxy {shown!r}, which is no address; {may}.")
    return named


def _certificates(url: URL) -> ssl.SSLContext | bool:
    """Those that the environment names, else the well-known ones, where they are needed."""
    if url.scheme == "http":
        return True
    named = os.environ.get("SSL_CERT_FILE") or certifi.where()
    try:
        return ssl.create_default_context(cafile=named)
    except OSError as error:
        raise ProviderError(
            f"the environment variable SSL_CERT_FILE names {named}, which holds no certificates "
            f"({error.strerror or 'unreadable'}); correct it, or unset it."
        ) from None

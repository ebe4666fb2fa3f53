"""The HTTP client that providers' packages are given for their batches."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import openai

from dissensus.llm.connection import Secret
from dissensus.llm.exchange import Terms, first_cause
from dissensus.llm.outcomes import label
from dissensus.llm.sender import mislabelled


class PackageClient(openai.DefaultAioHttpClient):
    """Sends what a package asks about batches, in time, and strikes the key out of what comes back.

    Parameters
    ----------
    terms : the provider's settings.
    secret : the key.
    """

    def __init__(self, terms: Terms, secret: Secret) -> None:
        # Redirects would carry the key to wherever they point.
        super().__init__(timeout=None, follow_redirects=False)
        self._terms = terms
        self._secret = secret

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """The response to one request; the package sees its failure."""
        try:
            response, body = await self._fetch(request, options)
        except TimeoutError:
            raise httpx2.ReadTimeout("no answer in time", request=request) from None
        except httpx2.DecodingError:
            raise httpx2.DecodingError("unreadable", request=request) from None
        except Exception as error:
            message = label(self._secret.strike(first_cause(error)))
            raise httpx2.ConnectError(message, request=request) from None
        if response.is_success and (wrong := mislabelled(self._terms, response.headers)):
            raise wrong
        return self._without_key(response, body)

    async def _fetch(
        self, request: httpx2.Request, options: dict[str, Any]
    ) -> tuple[httpx2.Response, bytes]:
        async with asyncio.timeout(self._terms.timeout_s):
            response = await super().send(request, **{**options, "stream": True})
            try:
                body = await response.aread()
            finally:
                await response.aclose()
        return response, self._secret.strike_bytes(body)

    def _without_key(self, response: httpx2.Response, body: bytes) -> httpx2.Response:
        """The same response with its body read, and without the key."""
        transport = ("content-encoding", "content-length", "transfer-encoding")
        headers = [
            (name, self._secret.strike(value))
            for name, value in response.headers.multi_items()
            if name.lower() not in transport
        ]
        return httpx2.Response(
            response.status_code, headers=headers, content=body, request=response.request
        )

"""A provider's key, kept out of all that the provider sends back."""

from __future__ import annotations

import json
import logging
from typing import Any

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

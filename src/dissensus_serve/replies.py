"""The replies of the simulated models: each depends on its request and on nothing else."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.errors import ResourceError, ended_in
from dissensus.llm.call import Message
from dissensus_serve.refusals import Refusal

#: UTF-8 bytes to a token: some four English letters, or a Chinese character and a third.
_BYTES_PER_TOKEN = 4
#: Replies kept in memory, so that a retry does not compose its reply again.
_CACHED = 4096
_NO_STUDY_PROMPT = (
    "I am a simulated model and can only speak to a prompt of my own study, worded as its "
    "prompt files word it, and this was none."
)
#: Five sentences that keep every format rule of the language study.
_FIXED = (
    "A policy is worth adopting only when those who bear its costs can see what it buys them.",
    "Cities that published the price of a reform before they chose it kept the reform for longer.",
    "The previous speaker calls this caution a delay, but a hidden cost is what brings a repeal.",
    "The risk on my side is a slower start, while the other side risks losing the whole measure.",
    "What would you tell the first household that pays for a promise it was never shown?",
)


def tokens(text: str) -> int:
    """The number of tokens that a text is billed for."""
    return -(-len(text.encode(errors="replace")) // _BYTES_PER_TOKEN)


def cut(text: str, limit: int) -> str:
    """As much of a text as ``limit`` tokens hold."""
    return text.encode(errors="replace")[: limit * _BYTES_PER_TOKEN].decode(errors="ignore")


class Replies:
    """Composes the replies of all models.

    Parameters
    ----------
    models : the name that is answered to -> settings of the simulated model behind it.
    fixed : whether every reply is one constant text, for benchmarks.
    """

    def __init__(self, models: Mapping[str, Mapping[str, Any]], fixed: bool) -> None:
        self._models = models
        self._fixed = fixed
        self._cache: OrderedDict[str, str] = OrderedDict()
        self._said: set[str] = set()

    def text(self, model: str, messages: Sequence[Message], digest: str) -> str:
        """The reply to a conversation; ``digest`` (hexadecimal) seeds its random numbers.

        Raises
        ------
        Refusal : the model's behaviour ended in an error, whose line is printed once.
        """
        if self._fixed:
            return " ".join(_FIXED[: 4 if _is_closing(messages[-1].content) else 5])
        text = self._cache.get(digest)
        if text is None:
            text = self._cache[digest] = self._compose(model, messages, digest)
            if len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return text

    def _compose(self, model: str, messages: Sequence[Message], digest: str) -> str:
        settings = self._models[model]
        rng = np.random.default_rng(int(digest[:16], 16))
        behaviour = import_module(settings["behaviour"])
        try:
            text: str = behaviour.speak(messages, settings, rng)
        except ResourceError:
            return _NO_STUDY_PROMPT
        except Exception as error:
            folder = Path(str(behaviour.__file__)).parent
            what = f"{settings['behaviour']}.speak ended in {ended_in(error, folder)}"
            if what not in self._said:
                self._said.add(what)
                print(f"{what}; correct it and start the server again.", file=sys.stderr)
            raise Refusal(400, what) from error
        return text


def _is_closing(prompt: str) -> bool:
    """Whether a debate prompt asks for a closing statement, which has a sentence less."""
    start = prompt.find("Current round:")
    return start >= 0 and "Closing" in prompt[start : prompt.find("\n", start)]

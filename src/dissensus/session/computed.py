"""A turn that a function takes, such as a calculator or a search: journaled like a reply.

What it gave once for an argument stands in the journal, so that a run that goes on, and one that is
verified, has the same again, whatever a search would find by then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from inspect import getsource
from typing import Any

from dissensus.errors import DissensusError, ResourceError
from dissensus.llm.call import Message, Reply, Request
from dissensus.llm.marks import Marks
from dissensus.setting_faults import show

#: How the origin of such a turn begins, before the name of the tool.
FROM_TOOL = "tool:"


@dataclass(eq=False)
class Tool:
    """A function as a provider of replies.

    Attributes
    ----------
    name : of the tool.
    function : from an argument to what it gives, both texts.
    asked_model : its name once more.
    identity : digest of its name and its source: an edit of the function has it called again.
    """

    name: str
    function: Callable[[str], str]
    asked_model: str = ""
    identity: str = ""
    simulated: bool = False
    waits: bool = False
    caches: bool = False
    marks: Marks | None = None

    def __post_init__(self) -> None:
        try:
            source = getsource(self.function)
        except (OSError, TypeError):
            source = getattr(self.function, "__qualname__", "")
        self.asked_model = self.name
        self.identity = sha256(f"tool {self.name}\n{source}".encode()).hexdigest()

    def request(self, argument: str) -> Request:
        """What is asked: equal arguments have one answer in a run."""
        return Request(
            model=self.name,
            identity=self.identity,
            messages=(Message("user", argument),),
            temperature=0.0,
            max_tokens=1,
            seed=0,
        )

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        """What the function gives.

        Raises
        ------
        ResourceError : it raises, or gives no text; the run stops, and nothing is journaled.
        """
        argument = request.messages[-1].content
        try:
            given: Any = self.function(argument)
        except DissensusError:
            raise
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            raise ResourceError(
                f"{self._place} ends with {what} where {self.name} is given {show(argument)}; let "
                "it return a text that says what is wrong, and start again: nothing that was paid "
                "for is lost."
            ) from error
        if not isinstance(given, str):
            raise ResourceError(
                f"{self._place} gives {show(given)} where {self.name} is given {show(argument)}; "
                "it must return a text."
            )
        # Half a character can be in no file.
        return Reply(given.encode("utf-8", "replace").decode())

    @property
    def _place(self) -> str:
        """The file and the line of the function, and its name."""
        code = getattr(self.function, "__code__", None)
        name = getattr(self.function, "__name__", repr(self.function))
        return f"{code.co_filename}, line {code.co_firstlineno}: {name}" if code else name

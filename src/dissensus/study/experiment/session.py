"""What the steps of an experiment are given: the session, and how it asks a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from inspect import Parameter, Signature, isgenerator, signature, unwrap
from math import isnan
from pathlib import Path
from traceback import extract_tb
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dissensus.errors import DissensusError, ResourceError
from dissensus.llm.call import Message
from dissensus.session.computed import FROM_TOOL, Tool
from dissensus.session.protocol import (
    PLACEHOLDER,
    Call,
    Decoding,
    Given,
    Parsed,
    Steps,
    Turn,
    round_label,
)
from dissensus.session.record import as_json
from dissensus.session.spoken import Again, conversation
from dissensus.setting_faults import show
from dissensus.study.endless import KEPT, ending_in_time

if TYPE_CHECKING:
    import numpy as np

    from dissensus.study.study import ModelUse

#: Reads a reply: its value; None, or a ValueError that says what is wrong, where it has none.
Reads = Callable[..., Any]

#: Yields a call, or calls that do not wait for each other; is sent the turn, or the turns.
DebateSteps = Generator[Any, Any, None]


@dataclass(frozen=True)
class Read:
    """The format of a reply that a function reads; without one, of any text.

    Attributes
    ----------
    reads : see :data:`Reads`.
    """

    reads: Reads | None = None

    def read(self, text: str) -> Parsed[Any]:
        """See :class:`~dissensus.session.protocol.ReplyFormat`."""
        return self.read_body(text, None)

    def read_body(self, text: str, body: Any) -> Parsed[Any]:
        """The same, for a function that takes the reply as it came too; None where nothing came."""
        if self.reads is None:
            return Parsed(text) if text.strip() else Parsed(None, ("it is empty",))
        try:
            value = self.reads(text, body) if _takes_two(self.reads) else self.reads(text)
        except ValueError as error:
            return Parsed(None, (str(error),))
        except DissensusError:
            raise
        except (Exception, SystemExit) as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            place = _place(self.reads, error)
            raise ResourceError(
                f"{place} ends with {what} where it reads the reply {show(text)}; "
                "let it give None, or raise a ValueError that says what is wrong, where it cannot "
                "read one, and start again: nothing that was paid for is lost."
            ) from error
        if value is None or (isinstance(value, float) and isnan(value)):
            return Parsed(None, ("it is not in the form that was asked for",))
        try:
            as_json(value).encode()
        except UnicodeEncodeError:
            # JSON can name one, and no file can keep it: a model wrote it, and is asked again.
            return Parsed(None, ("it names half a character, such as \\ud800",))
        except (TypeError, ValueError) as error:
            raise ResourceError(
                f"{_place(self.reads)} gives what a transcript cannot keep: {error}; give numbers, "
                "texts, truth values, lists or mappings of them."
            ) from None
        return Parsed(value)


def _place(function: Callable[..., Any], error: BaseException | None = None) -> str:
    """The file and the line of a function, or of what ended it in that file; and its name."""
    code, name = getattr(unwrap(function), "__code__", None), getattr(function, "__name__", "")
    if code is None:
        return name or repr(function)
    stack = extract_tb(error.__traceback__) if error else []
    lines = [frame.lineno for frame in stack if frame.filename == code.co_filename]
    line = lines[-1] if lines else code.co_firstlineno
    return f"{code.co_filename}, line {line}: {name or repr(function)}"


def _takes_two(function: Callable[..., Any]) -> bool:
    """Whether a function must be given two arguments."""
    if (signature := _signature(function)) is None:
        return False
    by_place = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    asked = signature.parameters.values()
    return sum(each.default is each.empty and each.kind in by_place for each in asked) == 2


def _signature(function: Callable[..., Any]) -> Signature | None:
    """Its arguments; None of some of Python's own, such as int, which have none to be read.

    A function reads many replies, and its signature takes as long as a simulated one.
    """
    try:
        return _kept_signature(function)
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _kept_signature(function: Callable[..., Any]) -> Signature:
    return signature(function)


def _check_reads(function: Any) -> None:
    """Refuse what cannot read a reply.

    Raises
    ------
    ValueError : it is no function, or must be given no argument, or more than two.
    """
    if function is None:
        return
    if not callable(function):
        raise ValueError(f"what reads a reply is {function!r}; it must be a function")
    if (parameters := _signature(function)) is None:
        return
    arguments = ("reply", "body")[: 1 + _takes_two(function)]
    try:
        parameters.bind(*arguments)
    except TypeError as error:
        raise ValueError(
            f"{_place(function)} cannot read a reply ({error}); it must take its text, or its text "
            "and its body"
        ) from None


@dataclass(frozen=True)
class Session:
    """One session of an experiment, as its steps see it.

    Attributes
    ----------
    arm : of the session.
    item : what is debated, a name a column.
    factors : what was drawn at random for the session's draw, a name a factor.
    settings : the study's block.
    seed : the session's own.
    models : setting that names models -> these, and what they are asked for.
    decoding : of calls that say nothing else.
    opening : the turns that all arms of the draw go on from; none where the study has no opening.
    material : a name each of the study's material -> the turns of every session that is shown.
    """

    arm: str
    item: SimpleNamespace
    factors: SimpleNamespace
    settings: Any
    seed: int
    models: Mapping[str, ModelUse]
    decoding: Decoding
    opening: Sequence[Turn] = ()
    material: SimpleNamespace = field(default_factory=SimpleNamespace)

    @cached_property
    def rng(self) -> np.random.Generator:
        """The session's random numbers: the same ones whenever it starts."""
        import numpy as np

        return np.random.default_rng(self.seed)

    def call(
        self,
        speaker: str,
        messages: str | Sequence[Message],
        reads: Reads | None = None,
        *,
        system: str = "",
        by: str = "",
        model: str = "",
        role: str = "",
        label: str = "",
        expected: str = PLACEHOLDER,
        temperature: float | None = None,
        max_tokens: int | None = None,
        required: bool = True,
        otherwise: str = "",
        options: Mapping[str, Any] | None = None,
    ) -> Call:
        """A turn to be taken; yield it, alone or with others that do not wait for it.

        Parameters
        ----------
        speaker : a name of the seat, once a step.
        messages : a prompt, or a conversation that ends with one.
        reads : from its text to its value; None, or a ValueError in words, has it asked for again.
        system : what the model is told it is, before all else.
        by : the setting that names the model; may be left out where there is one.
        model : which of the models that ``by`` names; may be left out where it names one.
        role : for readers; the setting's name where it is left out.
        label : of the step, for readers; "round 1" and so on where it is left out.
        expected : a reply that is assumed where calls are counted, for steps that need a value.
        temperature, max_tokens : others than those of the study's protocol.
        required : whether the session fails where the call does.
        otherwise : another reply that is assumed, for plans whose calls depend on replies.
        options : what else is sent, such as ``logprobs``, by the provider's names; ``reads`` may
            then take the text and the body.

        Raises
        ------
        ValueError : it is not said which model is asked, or what is given cannot be sent.
        """
        field, asked = self._asked(by, str(model))  # A level may be compared with levels alone.
        _check_reads(reads)
        _check_call(speaker, system, temperature, max_tokens, options or {})
        sent = conversation(messages, system)
        return Call(
            number=0,
            speaker=speaker,
            role=str(role or field),
            round_label=label,
            model=asked,
            messages=sent,
            format=Read(reads),
            again=Again(sent),
            decoding=self._decoding(temperature, max_tokens, options),
            purpose=self.models[field].purpose,
            required=required,
            expected=expected,
            otherwise=otherwise,
        )

    def tool(
        self,
        name: str,
        function: Callable[[str], str],
        argument: str,
        reads: Reads | None = None,
        *,
        role: str = "tool",
        label: str = "",
        expected: str = PLACEHOLDER,
    ) -> Call:
        """A turn that a function takes, such as a calculator or a search; yield it like a call.

        What it gives is journaled like a reply: for the same argument a run has it once. No model
        is asked, and it costs nothing.

        Parameters
        ----------
        name : of the tool, which is the speaker.
        function : from the argument to what it gives, both texts.
        argument : such as what a model asked for.
        reads : reads what it gives, as for :meth:`call`.
        role, label, expected : as for :meth:`call`.

        Raises
        ------
        ValueError : it is no function, or the argument is no text.
        """
        _check_reads(reads)
        _check_call(name, "", None, None, {})
        if not callable(function):
            raise ValueError(f"the tool {name} is {function!r}; it must be a function")
        if not isinstance(argument, str):
            raise ValueError(f"the argument of {name} is {show(argument)}; it must be a text")
        sent = conversation(argument, "")
        return Call(
            number=0,
            speaker=name,
            role=role,
            round_label=label,
            model=name,
            messages=sent,
            format=Read(reads),
            again=Again(sent),
            decoding=self.decoding,
            purpose=role,
            expected=expected,
            given=Given(f"{FROM_TOOL}{name}", None, Tool(name, function)),
        )

    def _decoding(
        self,
        temperature: float | None,
        max_tokens: int | None,
        options: Mapping[str, Any] | None,
    ) -> Decoding:
        """The study's, with what a call sets otherwise."""
        given = {"temperature": temperature, "max_tokens": max_tokens, "options": options}
        other: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return replace(self.decoding, **other)

    def _asked(self, by: str, model: str) -> tuple[str, str]:
        fields = [by] if by else list(self.models)
        if len(fields) != 1 or fields[0] not in self.models:
            raise ValueError(f"by is {by!r}; it may be one of {', '.join(self.models)}")
        known_models = self.models[fields[0]].models
        models = [model] if model else list(dict.fromkeys(known_models))
        if len(models) != 1 or models[0] not in known_models:
            names = ", ".join(known_models)
            raise ValueError(f"model is {model!r}; {fields[0]} names {names}")
        return fields[0], models[0]


def _check_call(speaker: Any, system: Any, temperature: Any, max_tokens: Any, options: Any) -> None:
    """Refuse a seat without a name of one line, and what cannot be sent beside a prompt.

    Raises
    ------
    ValueError : with the value.
    """
    if not isinstance(speaker, str) or speaker.splitlines() != [speaker.strip()]:
        raise ValueError(f"the speaker of a call is {speaker!r}; it must be a name of one line")
    if not isinstance(system or "", str):
        raise ValueError(f"system is {system!r}; it must be a text")
    is_number = temperature is None or isinstance(temperature, int | float)
    if not is_number or not 0 <= (temperature or 0) <= 2:
        raise ValueError(f"temperature is {temperature!r}; it must be a number from 0 to 2")
    if max_tokens is not None and (not isinstance(max_tokens, int) or max_tokens < 1):
        raise ValueError(f"max_tokens is {max_tokens!r}; it must be a whole number, at least 1")
    try:
        names = set(json.loads(json.dumps(options)))
    except TypeError as error:
        raise ValueError(f"options is {options!r}, and {error}; it must be plain data") from None
    if not isinstance(options, Mapping) or names & _OURS:
        names_of_ours = ", ".join(sorted(_OURS))
        raise ValueError(f"options is {options!r}; it must be a mapping without {names_of_ours}")


#: What a request is made of, and what would change the form of its reply.
_OURS = {"model", "messages", "system", "stream", "n"}


def numbered(debate: DebateSteps, where: str, before: int = 0, method: str = "debate") -> Steps:
    """The steps of a debate, with their numbers in their calls.

    Parameters
    ----------
    debate : yields calls without numbers, one or several at a time.
    where : the file of the study, for what it may have done wrong.
    before : the number of the last step before the first one.
    method : of the study, which made ``debate``: "opening" or "debate".

    Raises
    ------
    ResourceError : nothing is yielded, a step is no call, two of its calls have one speaker, or it
        does not come to an end.
    """
    if not isgenerator(debate):
        raise ResourceError(
            f"{where}: {method} gives {type(debate).__name__}; it must yield the calls of its "
            "steps."
        )
    sent: Any = None
    number, folder = before, Path(where).parent
    while True:
        try:
            with ending_in_time(folder, f"step {number + 1} of {method}", KEPT):
                step = debate.send(sent)
        except StopIteration:
            return
        number += 1
        turns = yield _step(step, number, f"{where}: step {number} of {method}")
        sent = turns[0] if isinstance(step, Call) else list(turns)


def _step(step: Any, number: int, which: str) -> list[Call]:
    calls = [step] if isinstance(step, Call) else list(step) if isinstance(step, Sequence) else step
    if not isinstance(calls, list) or not all(isinstance(call, Call) for call in calls):
        raise ResourceError(
            f"{which} yields {type(step).__name__}; yield what session.call gives, or a list "
            "of that."
        )
    speakers = [call.speaker for call in calls]
    twice = [name for name in speakers if speakers.count(name) > 1]
    if twice:
        raise ResourceError(
            f"{which} has {twice[0]!r} speak twice; give each call of a step another speaker."
        )
    return [
        replace(call, number=number, round_label=call.round_label or round_label(number))
        for call in calls
    ]

"""Doubts about a model: was it shown all that was sent, and are its replies speech alone?

No rule is sure of either by one reply; a person is told.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import filterfalse
from pathlib import Path
from typing import Any

from dissensus.llm.call import Request
from dissensus.llm.marks import Marks

#: Signs that are repeated; bytes of a prompt that is judged, and of a token that none makes.
_REPEATED = re.compile(r"(.)\1{3,}")
_LEAST_BYTES, _BYTES_A_TOKEN = 8_000, 16


def is_cut(request: Request, size: int, tokens: int) -> bool:
    """Whether so few tokens of a prompt of some bytes were counted that its server has cut it.

    Tokenisers make a token of 3 to 7 bytes of whatever script, those that join words among them.
    Blanks and repeated signs, of which one token takes many, are left out. Short prompts say
    little.
    """
    most = max(_LEAST_BYTES, _BYTES_A_TOKEN * tokens)
    if tokens <= 0 or size <= most:
        return False
    words = (" ".join(message.content.split()) for message in request.messages)
    return sum(len(_REPEATED.sub(r"\1", text).encode()) for text in words) > most


def warn_of_cut(model: str, size: int, tokens: int) -> None:
    """Say that a prompt of some bytes seems to have been cut, and what to change."""
    logging.getLogger("dissensus").warning(
        f"models.{model}: {tokens:,} tokens are counted of a prompt of {size:,} bytes, so its "
        "server has cut it, or counts only what it had not in its cache. Where it cuts prompts, "
        "the model was not shown all that was sent: raise its context (Ollama's num_ctx, a "
        "server's max_model_len), and make the sessions again."
    )


def warn_of_tier(model: str, tier: str) -> None:
    """Say that an answer came from a tier of service whose price is not known."""
    logging.getLogger("dissensus").warning(
        f"models.{model}: an answer was given in the service tier {tier!r}, and its price does not "
        "name one; it is booked at the usual price, which may be more or less than the bill. Name "
        f"it in models.{model}.price.service_tiers or in the table of prices (docs/models.md), or "
        "set service_tier in its `parameters`."
    )


#: The first replies of a model to a run that are looked at, and how many have to be there.
_WATCHED, _FEWEST = 30, 5
#: The share of replies that have a mark, or a beginning, from which on it is said.
_SHARE = 0.5
#: Characters of a beginning that so many replies share by no accident, and how many they are.
_LONG, _MANY = 24, 8
#: What has the shape of a mark: a tag, a token, lozenges, a word in capitals and brackets.
_SHAPED = re.compile(
    r"</?[|｜]?[^\W\d][\w:.-]{1,39}[|｜]?/?>|<[|｜][\w:.▁ -]{1,40}[|｜]?>"
    r"|\[/?[a-z]?[A-Z][A-Z_]{2,30}\]|◁/?[^\s◁▷]{1,40}▷"
    r"|\[[|｜][\w -]{1,40}[|｜]\]|\]~!?\w{1,9}[\[\]]|\[e~\["
)
#: Tags that set type, and no thought apart.
_TYPE = re.compile(
    r"</?(?:[biupsq]|em|strong|br|ul|ol|li|h[1-6]|code|pre|hr|div|span|table|t[rdh]|su[bp]|del|ins|"
    r"small|blockquote|[Tt]itle)/?>",
    re.IGNORECASE,
)
#: Formats that are asked for begin like this.
_FORMATS = ("{", "[", "```")
#: Characters of a reply that are kept to be compared.
_HEAD = 200


def unknown(texts: Sequence[str], marks: Marks, *, simulated: bool) -> str:
    """What most of a model's texts share that may set thought apart, in words; "" for nothing.

    Parameters
    ----------
    texts : what was said in n replies, without the thought that is known.
    marks : that are known.
    simulated : whether the model is; a simulated one begins as it was written to.
    """
    return _unknown([(text[:_HEAD], _shapes(text, marks)) for text in texts], marks, simulated)


def _unknown(seen: Sequence[tuple[str, Sequence[str]]], marks: Marks, simulated: bool) -> str:
    if len(seen) < _FEWEST:
        return ""
    least = max(_FEWEST - 1, math.ceil(_SHARE * len(seen)))
    having = [shapes for _, shapes in seen if shapes]
    if len(having) >= least:
        most, _ = Counter(shape for shapes in having for shape in shapes).most_common(1)[0]
        return f"{len(having)} of {len(seen)} replies have marks such as {most}"
    names = [head.partition("\n")[0].strip().lower() for head, _ in seen if "\n" in head]
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times >= least and name.strip("*#:<>[] ").replace(" ", "_") in marks.names:
        return f"{times} of {len(seen)} replies begin with a line that says {name!r}"
    shared = "" if simulated else _shared([head for head, _ in seen])
    return f"most of {len(seen)} replies begin with {shared!r}" if shared else ""


def _shared(heads: Sequence[str]) -> str:
    """The longest beginning that so many texts have in common; "" where it is a short one."""
    ordered = sorted(heads)
    least = max(_MANY, math.ceil(_SHARE * len(ordered)))
    shared = ""
    for first, last in zip(ordered, ordered[least - 1 :], strict=False):
        common = next(
            (n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b),
            min(len(first), len(last)),
        )
        # Texts that are the same throughout are answers, such as yes.
        if common > len(shared) and common < max(len(first), len(last)):
            shared = first[:common]
    return shared if len(shared) >= _LONG and not shared.startswith(_FORMATS) else ""


def _shapes(text: str, marks: Marks) -> list[str]:
    """What has the shape of a mark in a text, each once: of known ones, those in place of words."""
    shapes = _SHAPED.findall(text[:100_000])
    if marks.signs.search(text):
        shapes += [text[begin:end] for kind, begin, end in marks.find(text) if kind != "if_ended"]
    return [*dict.fromkeys(filterfalse(_TYPE.fullmatch, shapes))]


class Watch:
    """The first replies of each model of a provider, of all processes of a run together.

    Parameters
    ----------
    path : JSON lines; made by the first reply.
    simulated : whether the provider's models are.
    """

    def __init__(self, path: Path, simulated: bool) -> None:
        self._path = path
        self._simulated = simulated
        self._settled: set[str] = set()

    def see(self, model: str, text: str, marks: Marks) -> str:
        """Take note of what was said; what most of the model's replies share, once.

        Returns
        -------
        See :func:`unknown`; "" too where that was said before, or nothing can be kept.
        """
        if model in self._settled:
            return ""
        line = {"model": model, "marks": marks.sha256}
        seen: list[tuple[str, list[str]]] = []
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            self._append(line | {"head": text[:_HEAD], "shapes": _shapes(text, marks)[:5]})
            for kept in self._path.read_text("utf-8").splitlines():
                entry = json.loads(kept)
                if not line.items() <= entry.items():
                    continue
                if "said" in entry:
                    self._settled.add(model)
                    return ""
                seen.append((entry["head"], entry["shapes"]))
            words = _unknown(seen, marks, self._simulated)
            if words or len(seen) >= _WATCHED:
                self._settled.add(model)
                self._append(line | {"said": words})
            return words
        return ""

    def _append(self, line: Mapping[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

"""A target that no rule makes: a sentence that names the nearest that can be made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from pathlib import PurePath
from typing import Any

from dissensus.report.labels import listed
from dissensus.shipped import is_checkout
from dissensus.study.registry import STUDIES

_MOST = 3
#: How like another a target is that may have been meant, of 1.
_LIKENESS = 0.75
#: By how much less another may be like it that is named too.
_MARGIN = 0.05
_WILDCARD = re.compile(r"\{(\w+)(?:\W[^{}]*)?\}")


class Targets:
    """What a run can be asked for."""

    def __init__(self) -> None:
        self._rules: Sequence[Any] = ()
        self._run = ""
        self._studies: Sequence[str] = ()
        self._panels: Sequence[str] = ()

    def know(
        self, rules: Sequence[Any], run: str, studies: Sequence[str], panels: Sequence[str] = ()
    ) -> None:
        """Learn the rules of Snakemake's workflow, and the run's name, studies and panels."""
        self._rules, self._run, self._studies, self._panels = rules, run, studies, panels

    def refusal(self, target: str) -> str:
        """Why there is no such target, and what may have been meant; "" where no rule is known.

        Parameters
        ----------
        target : the name of a rule or of a file.
        """
        if not self._rules:
            return ""
        parts = PurePath(target).parts
        if elsewhere := self._elsewhere(target, parts):
            return elsewhere
        names = [rule.name for rule in self._rules]
        candidates = dict.fromkeys(names if len(parts) == 1 else self._files(parts))
        if close := _nearest(target, candidates):
            return f"No rule makes {target}; the nearest that there is: {listed(close)}."
        listing = "snakemake --list" if is_checkout() else "dissensus run -- --list"
        return (
            f"No rule makes {target}; `{listing}` names the rules, and docs/artefacts.md the files."
        )

    def _elsewhere(self, target: str, parts: Sequence[str]) -> str:
        """The sentence for a target of another run, or of a study that the run leaves out."""
        of_run = parts[:1] == ("results",) and len(parts) > 2
        of_panels = {f"{self._run}.{panel}": panel for panel in self._panels}
        if of_run and parts[1] not in {self._run, *of_panels}:
            if self._panels and parts[1].startswith(f"{self._run}."):
                return (
                    f"{target} is of no panel of run {self._run!r}, which has "
                    f"{listed(self._panels)}; name one of these in its place."
                )
            return (
                f"{target} is of run {parts[1]!r}, and the settings are of run {self._run!r}; "
                f"name the settings of run {parts[1]!r} behind --configfile."
            )
        study = parts[2] if of_run else parts[0] if len(parts) == 1 else ""
        if study in STUDIES and study not in self._studies:
            return (
                f"{target} is of the {study} study, which run {self._run!r} leaves out; "
                f"add {study} to `studies`, which has {listed(self._studies)}."
            )
        return ""

    def _files(self, parts: Sequence[str]) -> Iterator[str]:
        """The files that rules make; where names are open, those that have the target's own."""
        for product in (each for rule in self._rules for each in rule.products()):
            if not _WILDCARD.search(str(product)):
                yield str(product)
                continue
            for study in self._studies:
                filled = _filled(str(product), parts, study)
                if product.match(filled):
                    yield filled


def _nearest(target: str, candidates: Iterable[str]) -> list[str]:
    """The best first; further ones where they are about as near."""
    close = get_close_matches(target, candidates, _MOST, _LIKENESS)
    alike = [SequenceMatcher(None, each, target).ratio() for each in close]
    return [each for each, ratio in zip(close, alike, strict=True) if ratio > alike[0] - _MARGIN]


def _filled(pattern: str, parts: Sequence[str], study: str) -> str:
    """A pattern with a study, and for each other wildcard the stem of the part at its place."""
    places = PurePath(pattern).parts
    filled = []
    for number, place in enumerate(places):
        stem = PurePath(parts[number]).stem if number < len(parts) else ""
        pieces = _WILDCARD.split(place)
        # What is between wildcards stands at even places, their names at odd ones.
        pieces[1::2] = [study if name == "study" else stem for name in pieces[1::2]]
        filled.append("".join(pieces))
    return str(PurePath(*filled))


#: Those of this process, once its rules are known.
TARGETS = Targets()

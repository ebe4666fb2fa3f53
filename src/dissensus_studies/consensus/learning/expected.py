"""What those who learn are taken to read, where prompts are compiled, counted and priced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

from dissensus.session.inputs import PlaceholderInputs, Row
from dissensus.session.placeholders import sized
from dissensus.session.protocol import PLACEHOLDER, round_label
from dissensus.tables.artefact import Schema

from ..scale import LABELS
from ..wording import VOTER
from .block import COUNTERFACTUAL, RATIONALE
from .wording import LearningWords

_AGENTS = ("a", "b", "c", "d")
#: Votes by seat of debates that come out in each of the ways there are: agreed at once; a majority
#: with one who never moves; and two halves.
_ENDINGS = ((3, 3, 3, 3), (3, 3, 3, 0), (0, 0, 4, 4))
#: A statement and an explanation for want of any: so long that an example shows no more of it.
_STATEMENT = "The city should do more of this and less of that, for as long as it has to. "
_EXPLANATION = "It depends on who pays for it and on who was asked. "


@dataclass(frozen=True)
class ExpectedLessons(PlaceholderInputs):
    """Examples of made-up debates that last all rounds; what is said of them is placeholders.

    Attributes
    ----------
    words : of summaries and rounds.
    rounds, characters : the most of a debate, and of an explanation.
    max_tokens : the most tokens of a rationale or counterfactual; None leaves them without a size.
    every_ending : whether debates come out in all the ways there are; else all last all rounds.
    """

    words: LearningWords = field(kw_only=True)
    rounds: int = field(kw_only=True)
    characters: int = field(kw_only=True)
    max_tokens: int | None = None
    every_ending: bool = False

    def rows_of(
        self, artefact: str, schema: Schema, where: Row, expected: int = 1
    ) -> Sequence[Row]:
        """Profiles, or examples, of the label that is asked for."""
        from .profiles import profile_agents

        endings = _ENDINGS if self.every_ending else _ENDINGS[-1:]
        sessions = {f"t{place}": votes for place, votes in enumerate(endings, start=1)}
        manifest = [self._session(name) for name in sessions]
        turns = {name: self._turns(votes) for name, votes in sessions.items()}
        statements = {"t": {"statement": _STATEMENT}}
        profiles = profile_agents(manifest, statements, turns, self.words, 1, self.characters)
        reflection = PLACEHOLDER if self.max_tokens is None else sized(PLACEHOLDER, self.max_tokens)
        chosen = islice(cycle(profiles), max(expected, len(profiles) * self.every_ending))
        rows = [
            {**row, **where, "place": place, RATIONALE: reflection, COUNTERFACTUAL: reflection}
            for place, row in enumerate(chosen, start=1)
        ]
        return [{name: row[name] for name in schema.columns} for row in rows]

    def _session(self, name: str) -> dict[str, Any]:
        ids = dict.fromkeys(("draw_id", "domain", "arm"), "t")
        ids |= {"session_id": name, "statement_id": "t", "kind": "training", "strategy": "debate"}
        return {**ids, "order": list(_AGENTS), "rounds": self.rounds}

    def _turns(self, votes: Sequence[int]) -> list[dict[str, str]]:
        explanation = _EXPLANATION * (1 + self.characters // len(_EXPLANATION))
        lasted = 1 if len(set(votes)) == 1 else self.rounds
        return [
            {
                "role": VOTER,
                "speaker": name,
                "round_label": round_label(number),
                "text": f"{explanation}\nVote: {LABELS[vote]}",
            }
            for number in range(1, lasted + 1)
            for name, vote in zip(_AGENTS, votes, strict=True)
        ]

"""DeliData: 500 groups of people on Wason's cards, through the measures of imported debates.

Kept are who had which cards in mind when, without what they said, and the corpus' own score.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dissensus.measures.answers import Discovery, discovery
from dissensus.report.claims.published import Published, Section
from dissensus.validation.sources import Data, Figures

from .measures import measure

NAME, TURNS, GROUPS = "delidata", "delidata_turns.csv", "delidata_groups.csv"
_CORPUS = "delitoolkit/delidata_corpus"
#: Kinds of rows: what somebody has in mind at first, says, or submits.
FIRST, SAID, SUBMITTED = "first", "said", "submitted"
#: Of somebody who has no card in mind: an answer like others, and a wrong one.
NO_CARDS = "none"
_KINDS = {"MESSAGE": SAID, "SUBMIT": SUBMITTED}
_VOWELS = frozenset("AEIOU")


def figures(folder: Path) -> dict[str, pd.DataFrame]:
    """Turns without texts, and groups with their cards and the corpus' scores."""
    groups, turns = [], []
    paths = (path for path in (folder / _CORPUS).iterdir() if path.suffix != ".py")
    for number, path in enumerate(sorted(paths), start=1):
        with path.open(encoding="utf-8", newline="") as file:
            rows = [*csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
        cards = rows[0]["original_text"].split("&&")[1].split(",")
        scores = {f"score_{at}": row["team_performance"] for at, row in _ends(rows)}
        people = len(json.loads(rows[0]["sol_tracker_all"]))
        hand, right = _sorted(cards), right_of(_sorted(cards))
        of_group = {"id": path.name, "cards": hand, "right": right, "people": people}
        groups.append({"group": number, **of_group, **scores})
        shared = {"right": right, "text": ""}
        turns += [
            {"group": number, "turn": place, **turn, **shared}
            for place, turn in enumerate(_turns(rows), start=1)
        ]
    return {TURNS: pd.DataFrame(turns), GROUPS: pd.DataFrame(groups)}


def _ends(rows: Sequence[dict[str, str]]) -> tuple[tuple[str, dict[str, str]], ...]:
    return ("first", rows[0]), ("last", rows[-1])


def _turns(rows: Sequence[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """Everybody's first cards, then those that the speaker of each row has in mind."""
    seats: dict[str, int] = {}
    for name, cards in json.loads(rows[0]["sol_tracker_all"]).items():
        seats[name] = len(seats) + 1
        yield {"person": seats[name], "kind": FIRST, "cards": _sorted(cards)}
    for row in rows[1:]:
        kind, name = _KINDS[row["message_type"]], row["origin"]
        cards = json.loads(row["sol_tracker_all"]).get(name, [])
        if kind == SUBMITTED:
            cards = [card for card in row["original_text"].split(",") if card]
        yield {"person": seats[name], "kind": kind, "cards": _sorted(cards)}


def _sorted(cards: Sequence[str]) -> str:
    return "".join(sorted(cards)) or NO_CARDS


FIGURES: dict[str, Figures] = {NAME: figures}


def right_of(cards: str) -> str:
    """The two cards to turn for "a vowel has an even number behind it": vowel and odd number."""
    return "".join(each for each in cards if each in _VOWELS or (each.isdigit() and int(each) % 2))


def as_turns(turns: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a group as the measures of imported debates have them."""
    return [
        {"speaker": person, "text": "", "value": json.dumps(cards), "round_label": ""}
        for person, cards in zip(turns["person"], turns["cards"], strict=True)
    ]


def sections(data: Data) -> Iterator[Section]:
    """The corpus' numbers, and ours of the same groups."""
    turns, groups = data.figures(TURNS), data.figures(GROUPS)
    of_group = {str(group): rows for group, rows in turns.groupby("group")}
    truths = dict(zip(turns["group"], turns["right"], strict=True))
    rows = [measure(as_turns(of_group[each]), [], [], None, truths[each]) for each in truths]
    measured = pd.DataFrame(rows, dtype=float)
    improved = groups["score_last"].astype(float) > groups["score_first"].astype(float)
    by_tracker = _found(of_group, truths, (FIRST, SAID, SUBMITTED))
    by_submission = _found(of_group, truths, (SUBMITTED,))
    lines = [
        Published("Groups", 500, len(groups)),
        Published("Messages", 14003, int(turns["kind"].eq(SAID).sum())),
        Published(
            "Groups that improve",
            64.0,
            100 * float(improved.mean()),
            f"{int(improved.sum())} of {len(groups)} by the corpus' own score, the last against "
            "the first: the paper rounds",
            here_digits=1,
            unit="%",
        ),
        _of_right(by_tracker, "what they have in mind", _TRACKED),
        _of_right(by_submission, "what they submit last", _SUBMITTED),
        Published(
            "Groups that find what nobody had (discovery)",
            None,
            100 * by_tracker.found,
            f"of the {by_tracker.n_found} groups in which nobody is right at first",
            digits=1,
            unit="%",
        ),
        *(
            Published(f"Mean {name}", None, float(measured[name].mean()), why, 3)
            for name, why in _MEASURED.items()
        ),
    ]
    yield Section(NAME, "Groups of people on Wason's cards", lines, _WORDS)


def _of_right(found: Discovery, words: str, why: str) -> Published:
    count = round(found.of_right * found.n_of_right)
    return Published(
        f"Groups that end right in which nobody was right before, by {words}",
        43.8,
        100 * found.of_right,
        f"{count} of {found.n_of_right} groups that end right; {why}",
        digits=1,
        unit="%",
    )


def _found(
    of_group: dict[str, pd.DataFrame], truths: dict[str, str], ends: Sequence[str]
) -> Discovery:
    """Discoveries; what is last is of these kinds of rows, what is first is always all's."""
    first, last = [], []
    for rows in (of_group[group] for group in truths):
        first.append([*rows.loc[rows["kind"].eq(FIRST), "cards"]])
        counted = rows[rows["kind"].isin(ends)]
        last.append([*counted.groupby("person")["cards"].last()])
    return discovery(first, last, [*truths.values()])


_WORDS = (
    "Groups of people choose, in a chat, which two of four cards test a rule. A group is one of "
    "imported debates ([transcripts](transcripts.md)): its members' values are the cards that they "
    "have in mind, as the corpus tracks them from what is submitted and said, and the truth is the "
    "vowel and the odd number."
)
_TRACKED = "by the corpus' tracker, which reads cards from what is said; the paper's rule is open"
_SUBMITTED = "who submits nothing does not count; neither rule gives the printed number: open"
_MEASURED = {
    "right_first": "share of a group's members whose first cards are right, over groups",
    "right_last": "the same of the last cards",
    "gain": "from wrong to right less from right to wrong, of members with two values or more",
    "changed": "of the same, those who end with other cards",
    "agreement_last": "pairs of members with the same last cards",
}

"""Which column of a file of votes is what: by its name, or as the user says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from dissensus.errors import ResourceError
from dissensus.user_files import csv_header

DELIMITERS = ",;\t|"

#: Field -> names under which a column is found, the first that is there.
FIELDS = {
    "item": (
        *("item", "item_id", "pair_id", "match", "match_id", "matchup", "group", "question_id"),
        *("session_id", "debate_id", "debate", "question", "prompt_id", "prompt", "example", "id"),
    ),
    "judge": ("judge", "judge_id", "judge_name", "grader", "rater", "annotator", "evaluator"),
    "cluster": ("cluster", "topic", "motion", "topic_id", "motion_id"),
    "winner": (
        *("winner", "vote", "verdict", "preference", "preferred", "choice", "chosen"),
        *("judgment", "judgement", "decision"),
    ),
    "a": ("a", "model_a", "option_a", "first", "assistant_a", "response_a"),
    "b": ("b", "model_b", "option_b", "second", "assistant_b", "response_b"),
    "order": ("order", "swapped", "pass", "exchanged"),
    "pro": ("pro", "proposition", "affirmative", "government"),
    "con": ("con", "opposition", "negative"),
    "length_a": ("length_a", "words_a", "tokens_a", "len_a"),
    "length_b": ("length_b", "words_b", "tokens_b", "len_b"),
    "score_a": ("score_a", "rating_a", "points_a"),
    "score_b": ("score_b", "rating_b", "points_b"),
    "margin_a": ("margin_a",),
    "margin_pro": ("margin_pro",),
    "ranking": ("ranking",),
    "option": ("option", "contestant", "candidate", "response", "answer", "model", "system"),
    "score": ("score", "rating", "points", "grade"),
    "rank": ("rank", "place"),
    "position": ("position", "shown", "slot"),
    "side": ("side", "stance", "label"),
    "length": ("length", "words", "tokens"),
}

#: What says whom a judge prefers: the first of these that a file has counts.
PREFERENCES = (
    *(("winner",), ("margin_a",), ("margin_pro", "pro", "con"), ("score_a", "score_b")),
    *(("ranking",), ("option", "rank"), ("option", "score"), ("score",)),
)


def find_columns(path: str | Path, mapped: Sequence[str]) -> dict[str, str]:
    """Field -> column of the file.

    Parameters
    ----------
    path : of the CSV.
    mapped : ``FIELD=NAME``; an empty name leaves the field out.

    Raises
    ------
    ResourceError : no such file, field or column, or no column that says whom a judge prefers.
    """
    header = csv_header(path, DELIMITERS)
    given: dict[str, str] = {}
    for each in mapped:
        field, parted, name = each.partition("=")
        if not parted or field not in FIELDS:
            raise ResourceError(
                f"--column {each}: write FIELD=NAME, where FIELD is one of {', '.join(FIELDS)}."
            )
        if field in given:
            raise ResourceError(f"--column {each}: {field} is {given[field]!r} already; keep one.")
        if name and name not in header:
            raise ResourceError(
                f"{path} has no column {name!r} for {field}; it has {', '.join(header) or 'none'}."
            )
        given[field] = name
    found = {field: name for field, name in given.items() if name}
    by_name = {re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"): name for name in header[::-1]}
    for field, names in FIELDS.items():
        free = [by_name[name] for name in names if name in by_name]
        free = [name for name in free if name not in {*given.values(), *found.values()}]
        if field not in given and free:
            found[field] = free[0]
    _refuse_no_preference(path, found, by_name.get("margin", ""))
    return found


def preference(found: dict[str, str]) -> str:
    """The field that says whom a judge prefers."""
    return next(
        needed[-1] if needed[0] == "option" else needed[0]
        for needed in PREFERENCES
        if all(field in found for field in needed)
    )


def _refuse_no_preference(path: str | Path, found: dict[str, str], margin: str) -> None:
    if any(all(field in found for field in needed) for needed in PREFERENCES):
        return
    if margin:
        raise ResourceError(
            f"{path} has a column {margin!r}: say for whom it is above 0, with "
            f"--column margin_a={margin} (what is shown first) or --column margin_pro={margin} "
            "(who argues for, with the columns pro and con)."
        )
    raise ResourceError(
        f"{path} has no column that says whom a judge prefers: name it with --column "
        "winner=NAME, or give score_a and score_b, option and score, option and rank, or ranking."
    )

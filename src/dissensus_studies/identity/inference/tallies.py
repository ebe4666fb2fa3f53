"""What the estimates are ratios of: each question's counts, by condition, round and policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dissensus.stats.checks import FloatArray, IntArray

from ..terms import BASELINES, CONDITIONS, LABELLINGS, POLICIES

BoolArray = npt.NDArray[np.bool_]
Places = tuple[IntArray, IntArray, IntArray]

#: All numbers of disagreeing and agreeing peers together.
EVERY = "all"

_TRANSITIONS = ("disagreeing", "conformed", "stayed")
_EXPOSURES = ("exposed_correct", "subverted", "exposed_wrong", "corrected")


@dataclass(frozen=True)
class Tally:
    """One team's counts: M questions, C conditions, T rounds after the opening, 3 policies.

    Attributes
    ----------
    team : its name.
    questions, banks : (M,), the name and the bank of each question.
    conditions : C names; vanilla and anonymized come first, whether they were held or not.
    complete : (M, C), whether the debate under each condition ran to its end.
    cells : :data:`EVERY`, then "<peers that disagree>,<peers that agree>" as observed.
    transitions : disagreeing, conformed, stayed -> (M, C, T, 3, cells).
    exposures : exposed_correct, subverted, exposed_wrong, corrected -> (M, C, T, 3).
    answers : answers, votes, accuracy, vote, parse_failures -> (M, C, T + 1): numbers of answers
        and votes, and of those that are right or could not be parsed.
    """

    team: str
    questions: npt.NDArray[np.object_]
    banks: npt.NDArray[np.object_]
    conditions: tuple[str, ...]
    complete: BoolArray
    cells: list[str]
    transitions: Mapping[str, FloatArray]
    exposures: Mapping[str, FloatArray]
    answers: Mapping[str, FloatArray]

    @property
    def rounds(self) -> int:
        """Rounds after the opening."""
        return int(self.answers["answers"].shape[2]) - 1


def tally(metrics: pa.Table, transitions: pa.Table, manifest: pa.Table) -> list[Tally]:
    """Count every team's answers and transitions by question.

    Parameters
    ----------
    metrics : of every debate of the manifest, failed ones included; what is no debate is left out.
    transitions : of the complete debates.
    manifest : the sessions, with how many agents they have.

    Returns
    -------
    A tally a team, as the metrics first name them.
    """
    of_round, of_agent = columns(metrics), columns(transitions)
    debated = ~np.isin(of_round["condition"], BASELINES)
    of_round = {name: values[debated] for name, values in of_round.items()}
    agents = dict(
        zip(*(manifest[name].to_pylist() for name in ("session_id", "agents")), strict=True)
    )
    of_round["agents"] = np.array([agents[name] for name in of_round["session_id"]], np.float64)
    of_agent["heard_correct"] = _heard_correct(of_agent)
    return [
        _of_team(str(team), _where(of_round, team), _where(of_agent, team))
        for team in dict.fromkeys(of_round["team"])
    ]


def columns(table: pa.Table) -> dict[str, npt.NDArray[Any]]:
    """A table's columns as arrays: truth values, numbers as floats, else objects.

    A number that is missing is NaN. Arrow's own conversion would load pandas first.
    """
    arrays = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_boolean(column.type):
            arrays[name] = np.array(column.to_pylist(), dtype=np.bool_)
        elif pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            arrays[name] = np.array(column.to_pylist(), dtype=np.float64)
        else:
            arrays[name] = np.fromiter(column.to_pylist(), dtype=object, count=len(column))
    return arrays


def _heard_correct(of_agent: Mapping[str, npt.NDArray[Any]]) -> BoolArray:
    """Whether one of an agent's peers was right; the right answer is what a right agent gave."""
    was_correct = of_agent["was_correct"]
    asked, own_answers = of_agent["question_id"], of_agent["own"]
    right = dict(zip(asked[was_correct], own_answers[was_correct], strict=True))
    heard = zip(asked, of_agent["peers"], strict=True)
    return np.array([right.get(question) in peers for question, peers in heard], dtype=bool)


def _where(rows: Mapping[str, npt.NDArray[Any]], team: str) -> dict[str, npt.NDArray[Any]]:
    chosen = rows["team"] == team
    return {name: values[chosen] for name, values in rows.items()}


def _of_team(
    team: str,
    of_round: Mapping[str, npt.NDArray[Any]],
    of_agent: Mapping[str, npt.NDArray[Any]],
) -> Tally:
    bank_of = dict(zip(of_round["question_id"], of_round["bank"], strict=True))
    place = {question: index for index, question in enumerate(bank_of)}
    present = set(of_round["condition"])
    conditions = (*CONDITIONS, *(labelling for labelling in LABELLINGS if labelling in present))
    shape = (len(place), len(conditions), int(of_round["round"].max()))
    complete = np.zeros(shape[:2], dtype=bool)
    where = _places(of_round, place, conditions)
    complete[where[:2]] = of_round["complete"]
    cells, transitions, exposures = _count_transitions(
        of_agent, _places(of_agent, place, conditions), shape
    )
    return Tally(
        team,
        np.array(list(bank_of), dtype=object),
        np.array(list(bank_of.values()), dtype=object),
        conditions,
        complete,
        cells,
        transitions,
        exposures,
        _count_answers(of_round, where, shape),
    )


def _places(
    rows: Mapping[str, npt.NDArray[Any]], place: Mapping[str, int], conditions: Sequence[str]
) -> Places:
    """Each row's question, condition and round."""
    questions = [place[question] for question in rows["question_id"]]
    indices = [conditions.index(condition) for condition in rows["condition"]]
    return (
        np.array(questions, dtype=np.int64),
        np.array(indices, dtype=np.int64),
        rows["round"].astype(np.int64),
    )


def _count_answers(
    of_round: Mapping[str, npt.NDArray[Any]], where: Places, shape: tuple[int, int, int]
) -> dict[str, FloatArray]:
    complete, agents = of_round["complete"], of_round["agents"]
    counts = {
        "answers": agents,
        "votes": np.ones(len(agents)),
        "accuracy": agents * of_round["accuracy"],
        "vote": of_round["vote"],
        "parse_failures": agents * (1.0 - of_round["parsed_share"]),
    }
    answers = {}
    for name, values in counts.items():
        answers[name] = np.zeros((*shape[:2], shape[2] + 1))
        answers[name][where] = np.where(complete, values, 0.0)
    return answers


def _count_transitions(
    of_agent: Mapping[str, npt.NDArray[Any]], places: Places, shape: tuple[int, int, int]
) -> tuple[list[str], dict[str, FloatArray], dict[str, FloatArray]]:
    """Cells, and transitions and exposures by question, condition, round, policy (and cell)."""
    question, condition, number = places
    usable, kept = of_agent["usable"], of_agent["kept"]
    disagree, agree = (of_agent[name].astype(np.int64) for name in ("n_disagree", "n_agree"))
    met = (usable | kept) & (disagree > 0)
    observed = sorted(set(zip(disagree[met].tolist(), agree[met].tolist(), strict=True)))
    code = {cell: index + 1 for index, cell in enumerate(observed)}
    pairs = zip(disagree.tolist(), agree.tolist(), strict=True)
    cell = np.array([code.get(pair, 0) for pair in pairs], dtype=np.int64)
    full = (*shape, len(POLICIES), len(observed) + 1)
    counts = {name: np.zeros(full) for name in (*_TRANSITIONS, *_EXPOSURES)}
    for policy, events in enumerate(_events(of_agent)):
        where = (question, condition, number - 1, policy, cell)
        for name, flags in events.items():
            np.add.at(counts[name], tuple(np.broadcast_arrays(*where)), flags.astype(np.float64))
    # Cell 0 holds those whose peers all agree with them, until all cells are summed into it.
    for name in _TRANSITIONS:
        counts[name][..., 0] = counts[name][..., 1:].sum(axis=-1)
    return (
        [EVERY, *(f"{cell[0]},{cell[1]}" for cell in observed)],
        {name: counts[name] for name in _TRANSITIONS},
        {name: counts[name].sum(axis=-1) for name in _EXPOSURES},
    )


def _events(of_agent: Mapping[str, npt.NDArray[Any]]) -> Sequence[dict[str, BoolArray]]:
    """Policy by policy, which transitions count as what."""
    flags = {name: of_agent[name] for name in _FLAGS}
    kept = flags["kept"]
    by_policy = (
        (flags["usable"], flags["follows_own"], flags["follows_peer"], flags["is_correct"]),
        (
            flags["usable"] | kept,
            flags["follows_own"] | kept,
            flags["follows_peer"],
            np.where(kept, flags["was_correct"], flags["is_correct"]),
        ),
        tuple(flags[f"lenient_{name}"] for name in _LENIENT),
    )
    events = []
    for counted, stays, conforms, right in by_policy:
        disagreeing = counted & (of_agent["n_disagree"] > 0)
        exposed_correct = disagreeing & flags["was_correct"]
        exposed_wrong = counted & ~flags["was_correct"] & flags["heard_correct"]
        events.append(
            {
                "disagreeing": disagreeing,
                "conformed": disagreeing & conforms,
                "stayed": disagreeing & stays,
                "exposed_correct": exposed_correct,
                "subverted": exposed_correct & ~right,
                "exposed_wrong": exposed_wrong,
                "corrected": exposed_wrong & right,
            }
        )
    return events


_LENIENT = ("usable", "follows_own", "follows_peer", "is_correct")
_FLAGS = (
    "usable",
    "kept",
    "follows_own",
    "follows_peer",
    "was_correct",
    "is_correct",
    "heard_correct",
    *(f"lenient_{name}" for name in _LENIENT),
)

"""What each agent did with the answers that it was shown: kept its own, took a peer's, neither."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, flag, text, texts

from ..design.graph import read_peers
from ..design.manifest import MANIFEST
from ..terms import BASELINES
from .answers import NAMES

ANSWERS = Schema(
    name="answers",
    row="agent in a round of a complete debate; round 0 is its opening's",
    columns={
        **MANIFEST.pick(*NAMES),
        **common("round"),
        "agent": Column("int", "Number of the agent's seat, from 1."),
        "answer": text("Letter or number that the agent gives; empty where it could not be read."),
        **common("parsed"),
        "correct": flag("Whether the answer is the right one."),
        "lenient_answer": text(
            "The same, where no marker can be read as a lenient reader reads it; for sensitivity."
        ),
        "lenient_correct": flag("Whether that is the right one."),
    },
    key=("session_id", "round", "agent"),
)

TRANSITIONS = Schema(
    name="transitions",
    row="agent in a round after the opening",
    columns={
        **ANSWERS.pick(*NAMES, "round", "agent"),
        "own": text("The agent's answer in the round before; empty where it could not be read."),
        "peers": texts(
            "Answers of its peers in the round before, empty where they could not be read."
        ),
        **ANSWERS.pick("answer"),
        "n_peers": count("How many peers' answers the agent was shown."),
        "n_disagree": count("How many peers gave another answer than the agent's own."),
        "n_agree": count("How many peers gave the agent's own answer."),
        "follows_peer": flag("Whether the new answer is that of a peer who disagreed."),
        "follows_own": flag("Whether the new answer is the agent's own from before."),
        "was_correct": flag("Whether its answer in the round before was right."),
        "is_correct": flag("Whether the new answer is right."),
        "usable": flag("Whether its own, all its peers' and its new answer could be read."),
        "kept": flag("Whether its new answer alone could not be read, and may count as its own."),
        "lenient_follows_peer": flag("As follows_peer, of the new answer as read leniently."),
        "lenient_follows_own": flag("As follows_own, of the new answer as read leniently."),
        "lenient_is_correct": flag("As is_correct, of the new answer as read leniently."),
        "lenient_usable": flag("As usable, of the new answer as read leniently."),
    },
    key=("session_id", "round", "agent"),
)


#: What a lenient reading of the new answer can change.
_LENIENT = ("follows_peer", "follows_own", "usable")


def follow_answers(
    answers: Iterable[Mapping[str, Any]], manifest: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The transitions of all agents of all debates.

    Parameters
    ----------
    answers : rows of :data:`ANSWERS`, a session's together.
    manifest : the sessions, with the graph that says who sees whom.

    Returns
    -------
    Rows of :data:`TRANSITIONS`, in the order of the answers. ``own`` and ``peers`` are answers of
    the round before, ``answer`` is the new one, "" where unparsed. An agent follows a peer where
    its new answer is that of at least one peer who disagreed with it ("Measuring and mitigating
    identity bias", equation 19; with one peer, equation 1). A transition is ``usable`` where its
    own, all its peers' and its new answer were parsed; it is ``kept`` where only the new one was
    not, which one sensitivity policy counts as the agent's own and another reads leniently. Where
    it is neither, peers are counted as far as both answers are known. Where agents were shown no
    peers (the controls refined and sampled) there are no transitions.
    """
    graphs = {row["session_id"]: row["graph"] for row in manifest}
    shown = {graph: read_peers(graph) for graph in dict.fromkeys(graphs.values())}
    rows = []
    for session_id, group in groupby(answers, key=itemgetter("session_id")):
        session = list(group)
        if session[0]["condition"] in BASELINES:
            continue
        named = {name: session[0][name] for name in NAMES}
        rounds: dict[int, dict[int, Mapping[str, Any]]] = {}
        for answer in session:
            rounds.setdefault(answer["round"], {})[answer["agent"]] = answer
        peers = shown[graphs[session_id]]
        rows += [named | row for row in _of_session(rounds, peers)]
    return rows


def _of_session(
    rounds: Mapping[int, Mapping[int, Mapping[str, Any]]], peers: Sequence[Sequence[int]]
) -> Iterator[dict[str, Any]]:
    for number in sorted(rounds)[1:]:
        before = rounds[number - 1]
        for agent, now in sorted(rounds[number].items()):
            was = before[agent]
            seen = [before[peer]["answer"] for peer in peers[agent - 1]]
            counts = _compared(was["answer"], seen, now["answer"])
            lenient = _compared(was["answer"], seen, now["lenient_answer"])
            yield {
                "round": number,
                "agent": agent,
                **counts,
                "was_correct": was["correct"],
                "is_correct": now["correct"],
                "lenient_is_correct": now["lenient_correct"],
                **{f"lenient_{name}": lenient[name] for name in _LENIENT},
            }


def _compared(own_answer: str, peers: list[str], answer: str) -> dict[str, Any]:
    disagreeing = [peer for peer in peers if peer and own_answer and peer != own_answer]
    all_read = own_answer != "" and all(peers)
    return {
        "own": own_answer,
        "peers": peers,
        "answer": answer,
        "n_peers": len(peers),
        "n_disagree": len(disagreeing),
        "n_agree": peers.count(own_answer) if own_answer else 0,
        "follows_peer": answer in disagreeing,
        "follows_own": answer != "" and answer == own_answer,
        "usable": all_read and answer != "",
        "kept": all_read and answer == "",
    }

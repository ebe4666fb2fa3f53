"""The graph of one debate: agents as lanes, rounds as columns, and who took up what of whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve

from dissensus.errors import ArtefactError
from dissensus.report.escaping import label
from dissensus.report.frames import Record, records
from dissensus.report.labels import arm_words, counted, wrapped
from dissensus.report.style import FAINT, GREY, INK, WIDTH, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

_COMMON = "rebut"
#: relation -> colour and dashes; any two differ in both.
RELATIONS: dict[str, tuple[str, Any]] = {
    "rebut": ("#b2182b", "-"),
    "concede": ("#1b7837", (0, (5, 1.5))),
    "question": ("#555555", (0, (1, 1.2))),
    "support": ("#2166ac", (0, (4, 1, 1, 1))),
}

#: Options without an order, far from the colours of the relations while they last.
_NOMINAL = ("#f2b35d", "#9d7fc0", "#7fcdbb", "#e5a3c4", "#c9b18b", "#cfd96b", "#8fa3ad", "#e07f5f")

_UNKNOWN = "#ffffff"

_DOT: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 3.4, "markeredgewidth": 0.7}

#: What became of a claim -> how it is drawn.
_DOTS = {
    "taken": {**_DOT, "markerfacecolor": INK, "markeredgecolor": INK},
    "ignored": {**_DOT, "markerfacecolor": "white", "markeredgecolor": INK},
    "last": {**_DOT, "markerfacecolor": FAINT, "markeredgecolor": FAINT},
}

#: Inches from a turn to its claims, and to where its edges leave it.
_CLAIM, _LEAVE = 0.24, 0.12

#: Inches beside the lanes for the names of agents.
_NAMES = 1.4


@dataclass(frozen=True)
class DrawnDebate:
    """One session, ready to be drawn.

    Attributes
    ----------
    session : its row of the manifest.
    topic : row of its topic.
    turns : stances by agent and round.
    claims : with ``taken``: whether another agent engaged the claim in a later round.
    edges : resolved engagements of other agents' claims.
    """

    session: Record
    topic: Record
    turns: pd.DataFrame
    claims: pd.DataFrame
    edges: pd.DataFrame

    @property
    def agents(self) -> list[str]:
        """Seats in their order."""
        return [f"A{seat}" for seat in range(1, len(self.session["cast"]) + 1)]

    @property
    def options(self) -> list[str]:
        """Labels of the topic's options."""
        return [str(option) for option in self.topic["options"]]


def debate(
    claims: pd.DataFrame,
    engagements: pd.DataFrame,
    stances: pd.DataFrame,
    manifest: pd.DataFrame,
    topics: pd.DataFrame,
    session: str,
) -> DrawnDebate:
    """What one session left behind.

    Raises
    ------
    ArtefactError : the manifest does not have the session, or it was lost for good.
    """
    rows = records(manifest[manifest["session_id"] == session])
    if not rows:
        first = min(manifest["session_id"], default="none")
        raise ArtefactError(
            f"There is no session {session!r} to draw; the manifest has such as {first!r}."
        )
    turns = stances[stances["session_id"] == session]
    if turns.empty:
        raise ArtefactError(
            f"The session {session!r} failed for good and left no turns to draw; choose another."
        )
    topic = records(topics[topics["topic_id"] == rows[0]["topic_id"]])[0]
    of_session = engagements[
        (engagements["session_id"] == session) & (engagements["status"] == "resolved")
    ]
    edges = of_session[of_session["source"] != of_session["resolved_agent"]]
    made = claims[claims["session_id"] == session]
    made = made.assign(taken=made["claim_id"].isin(edges["resolved_claim"]))
    return DrawnDebate(rows[0], topic, turns, made, edges)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw the first session of the reference that ran to its end."""
    stances = artefacts.frame("stances")
    sessions = stances.loc[stances["arm"] == view.reference, "session_id"]
    if sessions.empty:
        sentence = f"No session of {view.arm(view.reference)} came through, so that none is drawn."
        return Drawn(notice(sentence, view.simulated), {"text": sentence})
    return draw_session(artefacts, str(sessions.min()), view.simulated)


@styled
def draw_session(artefacts: Artefacts, session: str, simulated: bool) -> Drawn:
    """Draw any session, named by its id.

    Raises
    ------
    ArtefactError : the manifest does not have the session, or it was lost for good.
    """
    claims, engagements, stances = artefacts.frames("claims", "engagements", "stances")
    manifest, topics = artefacts.frames("manifest", "topics")
    shown = debate(claims, engagements, stances, manifest, topics, session)
    return Drawn(picture(shown, simulated), describe(artefacts, shown))


def picture(shown: DrawnDebate, simulated: bool) -> Figure:
    """Draw a session: turns as discs, their claims as dots beside them, engagements as curves.

    Parameters
    ----------
    shown : the session.
    simulated : whether its models were simulated.
    """
    n, rounds = len(shown.agents), int(shown.session["rounds"])
    options = shown.options
    width = max(WIDTH, 1.05 * rounds + _NAMES)
    # Rounds to an inch, for what keeps its distance on paper.
    scale = rounds / (width - _NAMES)
    rows = max(len(options), 6) + 1
    lane = 0.62 if n <= 6 else 0.52
    figure = new_figure(0.6 + lane * n + 0.17 * rows, simulated, width)
    axes = figure.subplots()
    colours = stance_colours(options, bool(shown.topic["ordered"]))
    places = _claim_places(shown, _CLAIM * scale)
    _edges(axes, shown, places, _LEAVE * scale)
    _claims(axes, shown, places)
    _turns(axes, shown, colours)
    _frame(axes, shown, rounds, n)
    handles, names = _legend(options, colours)
    figure.legend(
        handles,
        names,
        loc="outside lower left",
        ncols=3,
        frameon=False,
        fontsize=6.8,
        handlelength=2.4,
        columnspacing=2.2,
    )
    return figure


def stance_colours(options: Sequence[str], ordered: bool) -> dict[str, str]:
    """A colour for each option; of ordered ones, the ends of the order are the ends of a scale."""
    if ordered and len(options) > 1:
        shades = colormaps["plasma"](np.linspace(0.1, 0.92, len(options)))
        return {name: to_hex(shade) for name, shade in zip(options, shades, strict=True)}
    return {name: _NOMINAL[i % len(_NOMINAL)] for i, name in enumerate(options)}


def _claim_places(shown: DrawnDebate, offset: float) -> dict[str, tuple[float, float]]:
    """Where each claim stands: in a column at the right of its turn, so many rounds off."""
    places = {}
    for key, claims in shown.claims.groupby(["agent", "round"], sort=True):
        agent, number = cast(tuple[str, int], key)
        lane = shown.agents.index(agent)
        ids = claims["claim_id"].tolist()
        gap = min(0.17, 0.66 / len(ids))
        for index, name in enumerate(ids):
            lift = (index - (len(ids) - 1) / 2) * gap
            places[str(name)] = (number + offset, lane + lift)
    return places


def _edges(
    axes: Axes, shown: DrawnDebate, places: Mapping[str, tuple[float, float]], offset: float
) -> None:
    """A curve from each engaging turn back to the claim."""
    crowd = len(shown.edges) > 80
    for key, edges in shown.edges.groupby(["source", "round"], sort=True):
        agent, number = cast(tuple[str, int], key)
        lane = shown.agents.index(agent)
        # Edges leave the disc in the order of where they go, so that they do not cross at once.
        ends = sorted(records(edges), key=lambda edge: places[edge["resolved_claim"]][1])
        for index, edge in enumerate(ends):
            start = (
                number - offset,
                lane + (index - (len(ends) - 1) / 2) * min(0.08, 0.3 / len(ends)),
            )
            x, y = places[edge["resolved_claim"]]
            reach = 0.45 * (start[0] - x)
            curve = Curve(
                [start, (start[0] - reach, start[1]), (x + reach, y), (x + 0.3 * offset, y)],
                [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4],
            )
            axes.add_patch(
                PathPatch(
                    curve,
                    fill=False,
                    zorder=2,
                    **_edge(edge["relation"], crowd),
                )
            )


def _edge(relation: str, crowd: bool = False) -> dict[str, Any]:
    """How an engagement is drawn, in the legend too."""
    colour, dashes = RELATIONS[relation]
    is_common = relation == _COMMON
    return {
        "edgecolor": colour,
        "linestyle": dashes,
        # Most engagements are rebuttals: pale, so that the others are seen.
        "linewidth": 0.6 if is_common else 0.8 if crowd else 1.1,
        "alpha": 0.45 if is_common else 0.9,
    }


def _claims(axes: Axes, shown: DrawnDebate, places: Mapping[str, tuple[float, float]]) -> None:
    """A dot for each claim, hollow where nobody took it up, pale where nobody could."""
    last = int(shown.session["rounds"])
    for claim in records(shown.claims):
        look = "last" if claim["round"] == last else "taken" if claim["taken"] else "ignored"
        axes.plot(*places[claim["claim_id"]], zorder=4, **_DOTS[look])


def _turns(axes: Axes, shown: DrawnDebate, colours: Mapping[str, str]) -> None:
    """A numbered disc for each turn, in the colour of its stance."""
    for turn in records(shown.turns):
        place = (float(turn["round"]), shown.agents.index(turn["agent"]))
        stance, colour = turn["stance"], colours.get(turn["stance"], _UNKNOWN)
        axes.plot(*place, zorder=5, **_disc(colour, turn["switched"], turn["abstained"]))
        is_option = stance in colours
        name = str(list(colours).index(stance) + 1) if is_option else "?"
        dark = is_option and not turn["abstained"] and _brightness(colour) < 0.5
        axes.text(
            *place,
            name,
            ha="center",
            va="center_baseline",
            size=7,
            weight="bold",
            color="white" if dark else INK,
            zorder=6,
        )


def _disc(colour: str, switched: bool, abstained: bool) -> dict[str, Any]:
    """How a turn is drawn: ringed where the stance is new, hollow where the agent abstained."""
    return {
        "marker": "o",
        "linestyle": "",
        "markersize": 13,
        "markerfacecolor": "white" if abstained else colour,
        "markeredgecolor": colour if abstained else INK if switched else GREY,
        "markeredgewidth": 2.2 if abstained else 1.7 if switched else 0.5,
    }


def _brightness(colour: str) -> float:
    return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114)))


def _frame(axes: Axes, shown: DrawnDebate, rounds: int, n: int) -> None:
    """Lanes, names and the question."""
    for lane in range(n):
        axes.axhline(lane, color=FAINT, linewidth=0.6, zorder=0)
    labels = [
        f"{agent}\n{label(model, 32)}"
        for agent, model in zip(shown.agents, shown.session["cast"], strict=True)
    ]
    axes.set_yticks(range(n), labels)
    axes.set_xticks(range(1, rounds + 1), [f"round {number}" for number in range(1, rounds + 1)])
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelsize=6.8)
    axes.set(xlim=(0.75, rounds + 0.4), ylim=(n - 0.5, -0.5))
    axes.spines[:].set_visible(False)
    asked = label(shown.topic["question"], 360)
    question = wrapped(f"{asked} ({arm_words(shown.session['arm'])})", 95)
    axes.set_title(question, pad=6)


def _legend(options: Sequence[str], colours: Mapping[str, str]) -> tuple[list[Line2D], list[str]]:
    """Handles in three columns of one length: stances, relations, marks."""
    blank = Line2D([], [], linestyle="")
    stances = [
        (
            Line2D([], [], **_small(_disc(colours[name], False, False))),
            f"{i}  {wrapped(label(name, 72), 36)}",
        )
        for i, name in enumerate(options, 1)
    ]
    relations = []
    for name in RELATIONS:
        look = _edge(name)
        relations.append((Line2D([], [], color=look.pop("edgecolor"), **look), name))
    marks = [
        (Line2D([], [], **_DOTS["taken"]), "claim taken up later"),
        (Line2D([], [], **_DOTS["ignored"]), "claim never taken up"),
        (Line2D([], [], **_DOTS["last"]), "claim that nobody could take up"),
        (Line2D([], [], **_small(_disc("#dddddd", True, False))), "stance changed"),
        (Line2D([], [], **_small(_disc(GREY, False, True))), "sent back, stance kept"),
        (
            Line2D([], [], **_small(_disc(_UNKNOWN, False, False))),
            "?  no stance: abstained, or not read",
        ),
    ]
    columns = [("Stance", stances), ("Engagement, back to the claim", relations), ("", marks)]
    deep = max(len(entries) for _, entries in columns) + 1
    handles: list[Line2D] = []
    names: list[str] = []
    for head, entries in columns:
        padded = [(blank, head), *entries] + [(blank, "")] * (deep - 1 - len(entries))
        handles.extend(handle for handle, _ in padded)
        names.extend(name for _, name in padded)
    return handles, names


def _small(disc: dict[str, Any]) -> dict[str, Any]:
    return {**disc, "markersize": 7}


def describe(artefacts: Artefacts, shown: DrawnDebate) -> dict[str, str]:
    """What the caption says."""
    of_it = {"session_id": shown.session["session_id"]}
    claims, engagements, stances, manifest = map(
        artefacts.facts, ("claims", "engagements", "stances", "manifest")
    )
    last = manifest.row(**of_it)["rounds"]
    agents = stances.over("distinct", "agent", **of_it)
    changes = stances.over("sum", "switched", **of_it)
    resolved, others = {**of_it, "status": "resolved"}, "source != resolved_agent"
    relations = {
        name: engagements.over("sum", others, **resolved, relation=name) for name in RELATIONS
    }
    counts = [f"{name} {number}" for name, number in relations.items() if number] or ["none"]
    made = engagements.over("count", "relation", **of_it)
    drawn = f"{engagements.over('sum', others, **resolved)} of {counted(made, 'engagement')}"
    taken = engagements.over("distinct", f"resolved_claim.where({others})", **resolved)
    open_to = claims.over("sum", f"round < {int(last)}", **of_it)
    return {
        "text": (
            f"One debate as its references tell it: {shown.session['session_id']}, "
            f"{label(shown.topic['title'], 200)}, arm {arm_words(shown.session['arm'])}, "
            f"{counted(agents, 'agent')} in {counted(last, 'round')}. A disc is a turn, "
            "numbered and coloured by stance, ringed where the stance changed "
            f"({counted(changes, 'change')}); the dots at its right are "
            "its claims, hollow where nobody took them up, faint in the last round. Curves run "
            f"from a turn back to the claim that it engages: {drawn} resolve to a claim of another "
            f"agent ({', '.join(counts)}). Of the claims that a later round could have answered, "
            f"{taken} of {open_to} were taken up."
        )
    }

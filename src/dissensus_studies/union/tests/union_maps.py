"""Made-up maps of claims: rows as the artefacts map and clusters have them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Row = dict[str, Any]

MOTIONS = {
    "lottery": "This House would choose its legislators by lot",
    "memory": "This House would let people erase their own memories",
}
SPEAKERS = {
    "proposition": ("Dr Mara Lindqvist", "Tobias Achterberg", "Yusra Haddad"),
    "opposition": ("Prof Ines Calvário-Roth", "Rt Hon Gideon Ashworth", "Dr Kwabena Osei-Boateng"),
}
#: Name of a cluster -> two sentences in its vein.
THEMES = {
    "Assemblies that learn from evidence": (
        "The citizens' assembly on water rates heard forty experts and changed its mind twice.",
        "People who are drawn by lot read the file, because no party has read it for them.",
    ),
    "Accountability through elections": (
        "A legislator who cannot be voted out owes nobody an explanation.",
        "Elections are the only appointment that a nurse in Hull can cancel.",
    ),
    "Capture by organised interests": (
        "You cannot fund the campaign of somebody who has none.",
        "Lobbyists need two dinners with a member of parliament, and four hundred with a lot.",
    ),
    "Expertise of career politicians": (
        "It takes six years to learn how a finance bill hides its costs.",
        "The clerks would govern, since they alone remain when the lot has been drawn again.",
    ),
    "Descriptive representation of workers": (
        "Two of a hundred members have ever worked with their hands; of the country, thirty.",
        "The lot does not ask for a degree, an accent, or an uncle.",
    ),
    "Consent and the right to refuse": (
        "An office that one cannot refuse is conscription.",
        "Those who decline are not a random sample, so neither are those who serve.",
    ),
    "Legitimacy of random selection": (
        "Juries have decided over liberty by lot for eight centuries.",
        "A verdict of twelve is not a law for sixty million.",
    ),
    "Identity rests on memory": (
        "Who erases the year of the accident erases the person who survived it.",
        "We are what we remember having done, and above all what we regret.",
    ),
    "Relief from trauma": (
        "Nobody tells a burnt man that his scar is instructive.",
        "In the trial of 2019, half of the veterans slept through for the first time.",
    ),
    "Testimony and public truth": (
        "A witness who may forget is a witness who can be paid to.",
        "The archive of a crime begins in a memory that somebody wanted to lose.",
    ),
    "Pressure on victims to forget": (
        "The employer will not order it; he will offer to pay for it.",
        "What may be erased will soon be what ought to have been.",
    ),
    "Autonomy over one's own mind": (
        "If my mind is not mine, it is hard to say whose it is.",
        "We let people drink to forget; we could let them do it well.",
    ),
}
FATES = ("survives", "contested", "demolished")
KINDS = ("evidence_backed", "principled", "assertion")
WINNERS = ("proposition", "opposition", "contested")


def claims(n: int = 250, seed: int = 5) -> list[Row]:
    """So many claims, one of thirteen in no cluster; some in others' words, at their place."""
    draw = np.random.default_rng(seed)
    themes = list(THEMES)
    made: list[Row] = []
    for number in range(n):
        theme = int(draw.integers(len(themes) + 1))
        grouped = theme < len(themes)
        motion = "lottery" if (theme if grouped else number) % len(themes) < 7 else "memory"
        side = "proposition" if draw.random() < 0.3 + 0.4 * (theme % 2) else "opposition"
        epoch, run = int(draw.integers(1, 5)), int(draw.integers(1, 6))
        arm = ("coached", "control")[int(draw.integers(2))]
        name = themes[theme] if grouped else ""
        text = THEMES[name][int(draw.integers(2))] if grouped else "Nobody has tried it."
        again = grouped and draw.random() < 0.2
        angle, distance = 2 * math.pi * theme / len(themes), 3.0 + theme % 3
        x, y = draw.normal((distance * math.cos(angle), distance * math.sin(angle)), 0.45)
        if again:
            x, y = distance * math.cos(angle), distance * math.sin(angle)
        elif not grouped:
            x, y = draw.uniform(-6, 6, 2)
        detail = "" if again else f" See the case of {1990 + number % 35}, number {number}."
        session = f"{motion}-e{epoch}-r{run:02d}-{arm}"
        made.append(
            {
                **{"session_id": session, "claim_id": f"{1 + number % 6}.{number}"},
                **{"motion_id": motion, "arm": arm, "epoch": epoch, "run": run},
                **{"speaker": SPEAKERS[side][int(draw.integers(3))], "side": side},
                "kind": KINDS[int(draw.integers(3))],
                "fate": FATES[int(draw.choice(3, p=(0.5, 0.3, 0.2)))],
                "winner": WINNERS[(run + epoch) % 3],
                **{"x": float(x), "y": float(y), "cluster": theme + 1 if grouped else -1},
                **{"cluster_name": name, "text": text + detail},
            }
        )
    return made


def clusters(rows: list[Row], seed: int = 5) -> list[Row]:
    """A row for each cluster: what can be counted is, and the rest is made up."""
    draw = np.random.default_rng(seed)
    return [
        _cluster(rows, number, draw) for number in sorted({row["cluster"] for row in rows} - {-1})
    ]


def _cluster(rows: list[Row], number: int, draw: np.random.Generator) -> Row:
    own = [row for row in rows if row["cluster"] == number]
    survives = sum(row["fate"] == "survives" for row in own) / len(own)
    p = float(draw.uniform(0, 0.3) ** 2)
    won = float(draw.uniform(0.2, 0.7))
    return {
        "motion_id": own[0]["motion_id"],
        "cluster": number,
        "name": own[0]["cluster_name"],
        "description": "",
        "example": own[0]["text"],
        "claims": len(own),
        "distinct": len({row["text"] for row in own}),
        "debates": len({row["session_id"] for row in own}),
        "proposition": sum(row["side"] == "proposition" for row in own) / len(own),
        "speakers": sorted({row["speaker"] for row in own}),
        "survives": survives,
        "survives_low": max(0.0, survives - 0.13),
        "survives_high": min(1.0, survives + 0.13),
        **{"first_epoch": float(draw.uniform()), "last_epoch": float(draw.uniform())},
        **{"first_epoch_control": 0.25, "last_epoch_control": 0.5},
        **{"won": won, "lift": won - 0.42},
        **{"p_value": p, "p_adjusted": min(1.0, 12 * p), "p_bh": min(1.0, 3 * p)},
    }

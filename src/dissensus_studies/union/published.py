"""The debates that the source of this study has published, read as figures: no text is kept.

Its repository has a text file for each debate and one file of all claims that its map shows. People
are called by their number among the six speeches.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .tables import SIDES

Row = dict[str, Any]
#: The files of figures.
DEBATES, SPEECHES, POINTS, CLAIMS, REBUTTALS, VOTES, MAP = (
    f"union_{name}.csv"
    for name in ("debates", "speeches", "points", "claims", "rebuttals", "votes", "map")
)
_SPEECH = re.compile(r"^(.+) \((PROPOSITION|OPPOSITION)\)\nPosition: (\d)/6 · (\d+) words", re.M)
_POINT = re.compile(r"^  \[POI from (.+) — (ACCEPTED|DECLINED)\]$", re.M)
_RUBRIC = re.compile(
    r"^  (.+) \((?:PROP|OPP)\): Arg=(\d+) Reb=(\d+) Evd=(\d+) Rht=(\d+) Per=(\d+) → OVR=(\d+)",
    re.M,
)
_CLAIM = re.compile(r"^    \[(\w+)\] (.+) \((PROP|OPP)\) \[(\w+), (\w+)\] (.+)$", re.M)
_REBUTTAL = re.compile(
    r"^    (.+) → \[(\w+)\] \((\w+), (\w+)\)\n"
    r"      Addresses logic: ([✓✗])  New info: ([✓✗])  Undermines: ([✓✗])$",
    re.M,
)
_VOTE = re.compile(r"^  Judge (\d+): (AYE|NO) \(confidence: ([\d.]+)\)$", re.M)
_RESULT = re.compile(r"^Result: (PROPOSITION|OPPOSITION) \(\w+\) by an? (\w+) margin", re.M)
_SCORE = re.compile(
    r"^    (PROPOSITION|OPPOSITION): ([\d.]+) pts\n"
    r"      Surviving claims: (\d+)/(\d+) \(claim score: ([\d.]+)\)\n"
    r"      Successful rebuttals of \w+: ([\d.]+) pts$",
    re.M,
)
_SIDE = dict(zip(("PROPOSITION", "OPPOSITION"), SIDES, strict=True))
_SHORT = dict(zip(("PROP", "OPP"), SIDES, strict=True))
_VOTED = dict(zip(("AYE", "NO"), SIDES, strict=True))
_STUDENT = "Student Speaker"


def figures(folder: Path) -> dict[str, pd.DataFrame]:
    """Name of a file -> its figures, from the source's repository."""
    rows: dict[str, list[Row]] = {}
    for path in sorted((folder / "export").glob("*.txt")):
        number = int(path.name.partition("_")[0])
        for name, found in _debate(path.stem.partition("_")[2], path.read_text("utf-8")).items():
            rows.setdefault(name, []).extend({"debate": number, **row} for row in found)
    rows[MAP] = [*_map(json.loads((folder / "docs/viz_data.json").read_text("utf-8")))]
    return {name: pd.DataFrame(found) for name, found in rows.items()}


def _debate(name: str, text: str) -> dict[str, list[Row]]:
    """The figures of one debate."""
    speeches = [*_SPEECH.finditer(text)]
    number = {match[1]: int(match[3]) for match in speeches}
    rubric = {match[1]: match.groups()[1:] for match in _RUBRIC.finditer(text)}
    result = _RESULT.search(text)
    totals = {_SIDE[match[1]]: match for match in _SCORE.finditer(text)}
    return {
        DEBATES: [
            {
                "name": name,
                "winner": _SIDE[result[1]] if result else "",
                "margin": result[2] if result else "",
                **{
                    f"{name}_{side}": totals[side][place] if side in totals else ""
                    for side in SIDES
                    for name, place in (("points", 2), ("claims", 5), ("rebuttals", 6))
                },
            }
        ],
        SPEECHES: [
            {
                **{"speech": int(match[3]), "side": _SIDE[match[2]]},
                **{"student": match[1].startswith(_STUDENT), "words": int(match[4])},
                **dict(zip(_SCORES, rubric.get(match[1], ("",) * len(_SCORES)), strict=True)),
            }
            for match in speeches
        ],
        POINTS: [*_points(text, speeches, number)],
        CLAIMS: [
            {
                **{"claim": match[1], "speech": number[match[2]], "side": _SHORT[match[3]]},
                **{"kind": match[4], "specific": match[5] == "specific"},
                "survives": "SURVIVES" in match[6],
            }
            for match in _CLAIM.finditer(text)
        ],
        REBUTTALS: [
            {
                **{"claim": match[2], "speech": number[match[1]], "level": match[3]},
                **{"logic": match[5] == "✓", "new": match[6] == "✓", "undermines": match[7] == "✓"},
            }
            for match in _REBUTTAL.finditer(text)
        ],
        VOTES: [
            {"judge": int(match[1]), "side": _VOTED[match[2]], "confidence": match[3]}
            for match in _VOTE.finditer(text)
        ],
    }


_SCORES = ("argument", "rebuttal", "evidence", "rhetoric", "persona", "overall")


def _points(text: str, speeches: list[re.Match[str]], number: dict[str, int]) -> Iterator[Row]:
    """Points of information, each behind the speech in which it was offered."""
    for match in _POINT.finditer(text):
        before = [int(speech[3]) for speech in speeches if speech.start() < match.start()]
        yield {
            **{"speech": before[-1], "by": number.get(match[1], "")},
            "accepted": match[2] == "ACCEPTED",
        }


def turns(folder: Path) -> Iterator[Row]:
    """A row a speech with its text, for ``dissensus import``; people by their seats."""
    for path in sorted((folder / "export").glob("*.txt")):
        text = path.read_text("utf-8")
        speeches = [*_SPEECH.finditer(text)]
        ends = [*(match.start() for match in speeches[1:]), len(text)]
        for match, end in zip(speeches, ends, strict=True):
            # Below its head and a line; points of information and verdicts stand behind it.
            body = _BEHIND.split(text[match.end() : end])[0].partition("\n")[2]
            said = _LINE.sub("", body).strip()
            number = int(match[3])
            yield {
                **{"session": path.stem, "item": "the motion", "arm": "published"},
                **{"turn": number, "speaker": f"S{number}", "role": match[2].lower()},
                **{"model": "o3", "text": said},
            }


_BEHIND = re.compile(r"^(?:  \[POI from |={20,}$)", re.M)
_LINE = re.compile(r"^─+$", re.M)


def _map(found: dict[str, Any]) -> Iterator[Row]:
    """The claims that the source's map shows."""
    ensembles = sorted({point["ensemble"] for point in found["points"]})
    for point in found["points"]:
        yield {
            "ensemble": ensembles.index(point["ensemble"]) + 1,
            **{name: point[key] for name, key in _OF_MAP.items()},
            "student": point["speaker_name"].startswith(_STUDENT),
            "specific": point["specificity"] == "specific",
            "winner": point["winner"].lower(),
            "engagement": (point["engagement_winner"] or "").lower(),
        }


_OF_MAP = {
    **{"epoch": "epoch", "run": "run_number", "claim": "claim_id", "side": "side"},
    **{"kind": "claim_type", "cluster": "cluster", "survived": "survived"},
    **{"rebutted": "was_rebutted", "demolished": "was_demolished", "rebuttals": "n_rebuttals"},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the speeches of the source's repository as a table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="the source's repository")
    parser.add_argument("table", type=Path, help="that is written: a row a speech")
    chosen = parser.parse_args(arguments)
    rows = [*turns(chosen.folder)]
    if not rows:
        wanted = f"{chosen.folder}/export has no debates; name the folder of the repository."
        print(wanted, file=sys.stderr)
        return 1
    pd.DataFrame(rows).to_csv(chosen.table, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What the union study makes of its sessions, in the order data takes."""

from __future__ import annotations

from dissensus.study.stages import Page, Stage

from .map.page_files import files_digest
from .settings import UnionSettings

_INFERENCE = f"{__package__}.inference"
_RECORDS = ("speeches", "points", "claims", "rebuttals", "scores", "votes", "verdicts")


def stages_of(settings: UnionSettings) -> list[Stage]:
    """Passages, what was said and judged, the estimates, the map of arguments, and the pages."""
    return [
        Stage(
            f"{__package__}.passages:retrieve_passages",
            ("corpus.embedder", "corpus.pool", "corpus.diversity"),
            named={"calls": "passage_calls.parquet"},
            message="Find the passages that each speaker may draw on",
            on_node=True,
        ),
        Stage(
            f"{__package__}.measures.records:reconstruct_debates",
            ("layers", "protocol"),
            name="reconstruct_union",
            # What names clusters reads what is made of all other sessions.
            part={"turns": 0},
            message="Read what was said and judged, tally it, and give the verdicts",
            on_node=True,
        ),
        Stage(
            f"{_INFERENCE}.audit:audit_judges",
            ("inference",),
            message="Audit the judges: position, length, side, agreement",
        ),
        Stage(
            f"{_INFERENCE}.wins:estimate_wins",
            ("inference",),
            message="Estimate win shares, by side and place",
        ),
        Stage(
            f"{_INFERENCE}.survival:estimate_survival",
            ("inference",),
            message="Estimate which claims survive",
        ),
        Stage(
            f"{_INFERENCE}.coaching:estimate_coaching",
            ("inference", "diagnosis.gains"),
            message="Estimate the effect of coaching",
        ),
        *_pages(settings),
    ]


def _pages(settings: UnionSettings) -> list[Stage]:
    return [
        Stage(
            f"{__package__}.map.claims:map_run",
            ("corpus.embedder", "inference"),
            # A name changes nothing in it.
            computed={"map": {name: v for name, v in settings.map if name != "namer"}},
            name="map_claims",
            named={"calls": "map_calls.parquet"},
            message="Map the arguments: embed claims, find clusters, name them",
            on_node=True,
        ),
        Stage(
            f"{__package__}.map.page:draw_map",
            ("map.namer", "map.projection", "inference.confidence"),
            computed={"files": files_digest()},
            named={
                **{"claims": "map.parquet", "names": "cluster_names.parquet"},
                **{"page": "map.html"},
            },
            message="Name the clusters, and draw the map of the arguments",
            page=Page("page", "Map of the arguments", "3 Map"),
        ),
        # Of any debate, such as results/<run>/union/debates/lottery-e1-r01-control.md.
        Stage(
            f"{__package__}.pages.debate:write_debate",
            further=(*_RECORDS, "turns", "outcomes", "manifest", "motions"),
            named={"page": "debates/{session}.md", "data": "debates/{session}.json"},
            message="Write debate {wildcards.session} as a whole",
            each_session=True,
            first="debate",
        ),
        Stage(
            f"{__package__}.pages.synthesis:summarise_union",
            further=(*_RECORDS, "turns", "outcomes", "manifest", "motions"),
            named={"summary": "summary.json", "memos": "memos.md", "synthesis": "synthesis.md"},
            message="Write what all debates come to, and the memos",
        ),
    ]

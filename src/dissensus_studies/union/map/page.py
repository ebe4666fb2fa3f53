"""The map of the arguments as one page that needs nothing else: no network, no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.report.captions import filled
from dissensus.report.escaping import html, line
from dissensus.report.labels import counted, percent
from dissensus.report.pages.shell import common_style, header, page
from dissensus.report.tables import as_html
from dissensus.report.view import View
from dissensus.study.makes import makes
from dissensus.tables.artefact import write_text

from .cluster_table import cluster_table
from .naming import name_clusters
from .page_data import Row, as_json, page_data
from .page_files import scripts, style
from .tables import CLUSTER_NAMES

TITLE = "Map of the arguments"


@makes(names=CLUSTER_NAMES, page=write_text, caption=write_text)
def draw_map(
    claims: list[dict[str, Any]],
    clusters: list[dict[str, Any]],
    motions: list[dict[str, Any]],
    turns: list[dict[str, Any]],
    caption: Path,
    namer: str | None,
    projection: str,
    confidence: float,
    simulated: bool,
) -> tuple[list[Row], str, str]:
    """The names of the clusters, which a model may give in turns of its own; page and caption."""
    names = name_clusters(clusters, turns, namer or "")
    page = map_page(
        claims,
        [{**cluster, **name} for cluster, name in zip(clusters, names, strict=True)],
        {row["motion_id"]: row["motion"] for row in motions},
        projection=projection,
        confidence=confidence,
        simulated=simulated,
    )
    facts = caption_facts(claims, clusters, confidence)
    return names, page, filled(caption, facts, simulated)


def map_page(
    claims: Sequence[Row],
    clusters: Sequence[Row],
    motions: Mapping[str, str],
    *,
    projection: str,
    confidence: float,
    simulated: bool,
) -> str:
    """The page.

    Parameters
    ----------
    claims : rows of ``map.parquet``.
    clusters : rows of ``clusters.parquet`` with those of ``cluster_names.parquet``.
    motions : motion_id -> the motion.
    projection : ``umap`` or ``pca``.
    confidence : level of the intervals in `clusters`.
    simulated : whether the models were simulated.
    """
    data = page_data(claims, clusters, motions, confidence)
    parts = [
        _head(data["motions"], _seen(claims, clusters), _facts(claims, clusters), simulated),
        _NO_SCRIPT,
        _APPLICATION.replace("PROJECTION", _PROJECTIONS[projection]),
        '<section class="numbers" aria-label="Table of the clusters">',
        as_html(cluster_table(clusters, View("union", {"confidence": confidence}, simulated))),
        "</section>",
        f'<script type="application/json" id="data">{as_json(data)}</script>',
    ]
    return page(TITLE, f"{common_style()}\n{style()}", "\n".join(parts), scripts())


def caption_facts(
    claims: Sequence[Row], clusters: Sequence[Row], confidence: float
) -> dict[str, str]:
    """What the map's caption in the report says, from rows of ``map`` and ``clusters``."""
    alone = sum(row["cluster"] < 0 for row in claims)
    tested = [row["p_adjusted"] for row in clusters if row["p_adjusted"] is not None]
    return {
        "claims": f"{len(claims):,}",
        "debates": f"{len({row['session_id'] for row in claims}):,}",
        "clusters": str(len(clusters)),
        "alone": percent(alone / len(claims)) if claims else "none",
        "found": f"{sum(p < 1.0 - confidence for p in tested)} of {len(clusters)}",
    }


def _seen(claims: Sequence[Row], clusters: Sequence[Row]) -> str:
    """What is to be seen: the largest cluster, and what becomes of its claims."""
    if not clusters:
        return "Each point is a claim; no cluster was found among them."
    most = max(clusters, key=lambda row: row["claims"])
    return (
        "Each point is a claim, and claims with a similar meaning lie close together. The largest "
        f"of {counted(len(clusters), 'cluster')}, number {most['cluster']}, has {most['claims']:,} "
        f"of {counted(len(claims), 'claim')}, of which {percent(most['survives'], 0)} survive "
        f"their debates: “{line(most['name'])}”"
    )


def _facts(claims: Sequence[Row], clusters: Sequence[Row]) -> str:
    numbers = {row["cluster"] for row in clusters}
    alone = sum(row["cluster"] not in numbers for row in claims)
    debates = len({row["session_id"] for row in claims})
    share = f" ({percent(alone / len(claims))})" if claims else ""
    return (
        f"{counted(len(claims), 'claim')} in {counted(debates, 'debate')}; "
        f"{counted(len(clusters), 'cluster')}; {alone} in no cluster{share}."
    )


def _head(motions: Sequence[str], seen: str, facts: str, simulated: bool) -> str:
    debated = "".join(f"<p class=motion dir=auto>{html(motion)}</p>" for motion in motions)
    said = f'<p id="seen" dir="auto">{html(seen)}</p>\n<p id="facts">{html(facts)}</p>'
    head = f"<header><h1>{TITLE}</h1>\n{said}\n{debated}</header>"
    return "\n".join([header([("index.html", "All results")], simulated), head])


#: page.js takes it away.
_NO_SCRIPT = (
    '<p id="no-script">The map and its charts need scripts; the table below needs none.</p>'
)

#: What the picture is of.
_PROJECTIONS = {
    "pca": "The picture shows the first two principal components. Clusters were found in more "
    "dimensions, so that they overlap here.",
    "umap": "UMAP keeps neighbours together; distances between far groups mean little.",
}
#: Empty: page.js fills it in, and shows it.
_APPLICATION = """
<main id="application" hidden>
<form id="controls" autocomplete="off">
<label>Motion <select id="motion"></select></label>
<label>Colour by <select id="colour"></select></label>
<label>Words in claims <input id="word" type="search"></label>
<p id="shown" role="status"></p>
</form>
<div class="beside">
<section aria-labelledby="map-title">
<h2 id="map-title">Claims</h2>
<div id="legend" role="group" aria-label="Legend: show one value alone"></div>
<div id="map" role="group" aria-label="Map of the claims; the list of clusters has the same"></div>
<p class="note">Claims that lie close together have a similar meaning; the axes have no unit.
PROJECTION Claims in the same words are spread about their place. A number marks the middle of
its cluster.</p>
</section>
<section id="panel" aria-labelledby="panel-title">
<div class="heading"><h2 id="panel-title" tabindex="-1">Clusters</h2>
<button type="button" id="back" hidden>All clusters</button></div>
<div id="list"></div>
<div id="cluster" hidden></div>
</section>
</div>
<div class="charts">
<figure><figcaption id="survival-title"></figcaption>
<div id="survival" role="group" aria-labelledby="survival-title"></div></figure>
<figure><figcaption id="lift-title"></figcaption>
<div id="lift" role="group" aria-labelledby="lift-title"></div></figure>
<figure><figcaption id="speakers-title"></figcaption>
<div id="speakers" role="group" aria-labelledby="speakers-title"></div></figure>
<figure><figcaption id="sides-title"></figcaption>
<div id="sides" role="group" aria-labelledby="sides-title"></div></figure>
</div>
<p class="note">A click on a point or a row of a chart shows the cluster. The table has the same
numbers, of the clusters that are shown; a claim leads to its debate.</p>
<div id="tip" aria-hidden="true" hidden></div>
</main>
"""

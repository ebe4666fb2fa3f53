"""Name the clusters, and draw the map of the arguments as one page."""

from typing import Any

from dissensus.report.captions import write_caption
from dissensus.study.gather import turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, read_by, write, write_text
from dissensus.union.map.naming import name_clusters
from dissensus.union.map.page import caption_facts, map_page
from dissensus.union.map.tables import CLUSTER_NAMES, CLUSTERS, MAP
from dissensus.union.tables import IDS, MOTIONS


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    namer = stage.settings["namer"] or ""
    turns = read(inputs.turns, turns_schema(IDS)).to_pylist() if namer else []
    clusters = read(inputs.clusters, CLUSTERS).to_pylist()
    names = name_clusters(clusters, turns, namer)
    motions = read_by(inputs.motions, MOTIONS, "motion_id")
    claims = read(inputs.map, MAP).to_pylist()
    page = map_page(
        claims,
        [cluster | name for cluster, name in zip(clusters, names, strict=True)],
        {name: row["motion"] for name, row in motions.items()},
        projection=stage.settings["projection"],
        confidence=stage.settings["confidence"],
        simulated=stage.simulated,
    )
    write(outputs.names, CLUSTER_NAMES, names, stage.provenance)
    write_text(outputs.page, page)
    facts = caption_facts(claims, clusters, stage.settings["confidence"])
    write_caption(outputs.caption, inputs.caption, facts, stage.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

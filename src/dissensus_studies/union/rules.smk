# What no stage of the union study says: the page of the map, and any debate to be read as a whole.
#
# in:    results/<run>/union/: turns, outcomes, manifest, motions; speeches, points, claims, rebuttals, scores, votes,
#        verdicts; map, clusters
# out:   results/<run>/union/: cluster_names, map.html; debates/<session>
# steps: draw_map; write_debate
# Its measures and estimates are in stages.py.

from dissensus_studies.union.map.page_files import files_digest

U = RESULTS / "union"
UNION = SETTINGS.union
# What was said and judged, which whatever writes of a debate reads.
RECORDS_OF_UNION = tables(
    U, "speeches", "points", "claims", "rebuttals", "scores", "votes", "verdicts"
)


use rule local_stage as draw_map with:
    input:
        # What names the clusters has read the map.
        **({"turns": U / "turns.parquet"} if UNION.map.namer else {}),
        **tables(U, "clusters", "motions"),
        claims=U / "map.parquet",
        caption=caption_of(SETTINGS, "union", "map"),
    output:
        names=U / "cluster_names.parquet",
        page=report(
            U / "map.html",
            caption=captions("union") / "map.rst",
            category=f"{OF_PANEL}union",
            subcategory="3 Map",
            labels={"result": "Map of the arguments"},
        ),
        caption=U / "captions/map.rst",
    params:
        functions=["dissensus_studies.union.map.page:draw_map"],
        settings=given(UNION, "map.namer", "map.projection", "inference.confidence"),
        files=files_digest(),
    message:
        "Name the clusters, and draw the map of the arguments"


# Any debate: snakemake results/<run>/union/debates/lottery-e1-r01-control.md
use rule local_stage as write_debate with:
    input:
        **RECORDS_OF_UNION,
        **tables(U, "turns", "outcomes"),
        manifest=manifest_with_session("union"),
        motions=U / "motions.parquet",
    output:
        page=U / "debates/{session}.md",
        data=U / "debates/{session}.json",
    log:
        U / "logs/write_debate/{session}.log",
    params:
        functions=["dissensus_studies.union.pages.debate:write_debate"],
        settings=of_session,
    message:
        "Write debate {wildcards.session} as a whole"


rule union:
    """All results of the union study."""
    input:
        core("union"),
        stage_targets("union"),
        made_in_own_folder("union"),
        of_first("union", "debate", "debates/{session}.md", "debates/{session}.json"),

# The union study: passages, what was said, verdicts, judges, coaching, and a map of the arguments, in the order data
# takes.
#
# in:    results/<run>/union/: motions, chunks, turns, outcomes, manifest
# out:   results/<run>/union/: passages; speeches, points, claims, rebuttals, scores, votes, verdicts; judges, wins,
#        survival, coaching; map, clusters, cluster_names, map.html; summary, memos, synthesis, and any debate to read
# steps: retrieve_passages; reconstruct_union; audit_judges, estimate_wins, estimate_survival, estimate_coaching; map_claims, draw_map; summarise_union,
#        write_debate
# What every study goes through is in study.smk.

from dissensus_studies.union.map.page_files import files_digest

U = RESULTS / "union"
UNION = SETTINGS.union
# What was said and judged, which whatever writes of a debate reads.
RECORDS_OF_UNION = tables(
    U, "speeches", "points", "claims", "rebuttals", "scores", "votes", "verdicts"
)


use rule stage as retrieve_passages with:
    input:
        **tables(U, "motions", "chunks"),
    output:
        passages=U / "passages.parquet",
        calls=U / "passage_calls.parquet",
    localrule: ON_LOGIN_NODE and not is_own(UNION.corpus.embedder)
    params:
        functions=["dissensus_studies.union.passages:retrieve_passages"],
        settings=given(UNION, "corpus.embedder", "corpus.pool", "corpus.diversity"),
    message:
        "Find the passages that each speaker may draw on"


use rule stage as reconstruct_union with:
    input:
        **tables(U, "manifest", "motions"),
        # What names clusters reads what is made of all other sessions.
        turns=of_shards("union", "turns", part=0),
    output:
        **RECORDS_OF_UNION,
    params:
        functions=["dissensus_studies.union.measures.records:reconstruct_debates"],
        settings=given(UNION, "layers", "protocol"),
        shards=shards_of("union"),
    message:
        "Read what was said and judged, tally it, and give the verdicts"


use rule local_stage as audit_judges with:
    input:
        **tables(U, "votes", "verdicts"),
    output:
        judges=U / "judges.parquet",
    params:
        functions=["dissensus_studies.union.inference.audit:audit_judges"],
        settings=given(UNION, "inference", seed=SETTINGS.seed),
    message:
        "Audit the judges: position, length, side, agreement"


use rule local_stage as estimate_wins with:
    input:
        **tables(U, "verdicts", "speeches", "manifest"),
    output:
        wins=U / "wins.parquet",
    params:
        functions=["dissensus_studies.union.inference.wins:estimate_wins"],
        settings=given(UNION, "inference", seed=SETTINGS.seed),
    message:
        "Estimate win shares, by side and place"


use rule local_stage as estimate_survival with:
    input:
        claims=U / "claims.parquet",
    output:
        survival=U / "survival.parquet",
    params:
        functions=["dissensus_studies.union.inference.survival:estimate_survival"],
        settings=given(UNION, "inference", seed=SETTINGS.seed),
    message:
        "Estimate which claims survive"


use rule local_stage as estimate_coaching with:
    input:
        **tables(U, "verdicts", "manifest"),
    output:
        coaching=U / "coaching.parquet",
    params:
        functions=["dissensus_studies.union.inference.coaching:estimate_coaching"],
        settings=given(UNION, "inference", "diagnosis.gains", seed=SETTINGS.seed),
    message:
        "Estimate the effect of coaching"


use rule stage as map_claims with:
    input:
        **tables(U, "claims", "verdicts"),
    output:
        **tables(U, "map", "clusters"),
        calls=U / "map_calls.parquet",
    localrule: ON_LOGIN_NODE and not is_own(UNION.corpus.embedder)
    params:
        functions=["dissensus_studies.union.map.claims:map_run"],
        settings=given(
            embedder=UNION.corpus.embedder,
            # A name changes nothing in it.
            map={name: value for name, value in UNION.map if name != "namer"},
            inference=UNION.inference,
            seed=SETTINGS.seed,
        ),
    message:
        "Map the arguments: embed claims, find clusters, name them"


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


use rule local_stage as summarise_union with:
    input:
        **RECORDS_OF_UNION,
        **tables(U, "turns", "outcomes", "manifest", "motions"),
    output:
        summary=U / "summary.json",
        memos=U / "memos.md",
        synthesis=U / "synthesis.md",
    params:
        functions=["dissensus_studies.union.pages.synthesis:summarise_union"],
    message:
        "Write what all debates come to, and the memos"


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
        a_debate,
        rules.retrieve_passages.output,
        rules.reconstruct_union.output,
        rules.audit_judges.output,
        rules.estimate_wins.output,
        rules.estimate_survival.output,
        rules.estimate_coaching.output,
        rules.map_claims.output,
        rules.draw_map.output,
        rules.summarise_union.output,

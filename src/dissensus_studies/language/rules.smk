# The language study: its measures and estimates, in the order data takes.
#
# in:    results/<run>/language/: shards (turns), manifest, outcomes, pool
# out:   results/<run>/language/: embeddings, components, reuse, metrics, estimates, the case study's page
# steps: render_turns, embed_turns, measure_shard, measure_homogeneity; measure_instrument, estimate_language_effect, estimate_domains,
#        diagnose_design, trace_specifications, compute_power; compare_speeches
# What every study goes through is in study.smk.

L = RESULTS / "language"
LANGUAGE = SETTINGS.language
EMBEDDERS = [name for _, name in STUDIES["language"].embedders()]


use rule local_stage as render_turns with:
    input:
        turns=L / "shards/{shard}/turns.parquet",
        manifest=ancient(L / "manifest.parquet"),
    output:
        rendered=L / "shards/{shard}/rendered_turns.parquet",
    log:
        L / "logs/render_turns/{shard}.log",
    priority: AFTER_A_SHARD
    params:
        functions=["dissensus_studies.language.measures.renderings:render_turns"],
        settings=given(
            **STUDIES["language"].rendering(
                {name: model.model_dump() for name, model in SETTINGS.models.items()}
            ),
            seed=SETTINGS.seed,
        ),
    message:
        "Put the debates of shard {wildcards.shard} into the other languages"


use rule stage as embed_turns with:
    input:
        turns=L / "shards/{shard}/turns.parquet",
        rendered=L / "shards/{shard}/rendered_turns.parquet",
        manifest=ancient(L / "manifest.parquet"),
    output:
        embeddings=L / "shards/{shard}/embeddings.parquet",
        calls=L / "shards/{shard}/embedding_calls.parquet",
    log:
        L / "logs/embed_turns/{shard}.log",
    priority: AFTER_A_SHARD
    # On a cluster: embedders behind an address are asked where the sessions are.
    localrule: ON_LOGIN_NODE and not all(map(is_own, EMBEDDERS))
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        functions=["dissensus_studies.language.measures.embed:embed_turns"],
        settings=given(embedders=EMBEDDERS),
    message:
        "Embed the turns of shard {wildcards.shard}"


use rule stage as measure_shard with:
    input:
        turns=L / "shards/{shard}/turns.parquet",
        rendered=L / "shards/{shard}/rendered_turns.parquet",
        embeddings=L / "shards/{shard}/embeddings.parquet",
    output:
        components=L / "shards/{shard}/components.parquet",
        reuse=L / "shards/{shard}/reuse.parquet",
    log:
        L / "logs/measure_shard/{shard}.log",
    priority: AFTER_A_SHARD
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        functions=["dissensus_studies.language.measures.block:measure_shard"],
        settings=given(
            LANGUAGE,
            "measures.repetitions",
            tokenizers=[name for _, name in STUDIES["language"].tokenizers()],
            seed=SETTINGS.seed,
        ),
    message:
        "Measure the sessions of shard {wildcards.shard}"


use rule local_stage as measure_homogeneity with:
    input:
        **tables(L, "manifest", "outcomes"),
        components=of_shards("language", "components"),
        reuse=of_shards("language", "reuse"),
        looks=looks_of("language"),
    output:
        **tables(L, "components", "reuse", "metrics", "renderings"),
    params:
        functions=["dissensus_studies.language.measures.homogeneity:measure_sessions"],
        settings=given(LANGUAGE, "measures", "reference"),
    message:
        "Give every session its Homogeneity Index"


use rule local_stage as measure_instrument with:
    input:
        **tables(L, "components", "metrics", "renderings"),
        looks=looks_of("language"),
    output:
        instrument=L / "instrument.parquet",
    params:
        functions=["dissensus_studies.language.inference.instrument:measure_instrument"],
        settings=given(
            LANGUAGE, "reference", "measures", "inference", seed=SETTINGS.seed
        ),
    message:
        "Measure what the instrument makes of parallel texts"


use rule local_stage as estimate_language_effect with:
    input:
        **tables(L, "metrics", "renderings"),
        looks=looks_of("language"),
    output:
        effect=L / "language_effect.parquet",
        saturation=L / "saturation.parquet",
    params:
        functions=["dissensus_studies.language.inference.effect:estimate_effects"],
        settings=given(
            LANGUAGE, "inference", "reference", "measures", seed=SETTINGS.seed
        ),
    message:
        "Estimate the effect of the language"


use rule local_stage as estimate_domains with:
    input:
        **tables(L, "metrics", "pool"),
    output:
        domains=L / "domains.parquet",
        contrasts=L / "domain_contrasts.parquet",
        tests=L / "domain_tests.parquet",
    params:
        functions=["dissensus_studies.language.inference.domain_tests:compare_domains"],
        settings=given(
            LANGUAGE,
            "inference",
            "reference",
            scales=[LANGUAGE.measures.primary, LANGUAGE.measures.paper_scale],
            seed=SETTINGS.seed,
        ),
    message:
        "Estimate and compare the domains"


use rule local_stage as diagnose_design with:
    input:
        **tables(L, "manifest", "outcomes", "pool", "metrics", "turns"),
    output:
        diagnostics=L / "diagnostics.parquet",
    params:
        functions=["dissensus_studies.language.inference.diagnostics:diagnose"],
        settings=given(
            LANGUAGE,
            "panel",
            "reference",
            "measures.primary",
            "inference",
            seed=SETTINGS.seed,
        ),
    message:
        "Check randomisation, attrition and compliance"


use rule local_stage as trace_specifications with:
    input:
        **tables(L, "components", "metrics", "renderings"),
    output:
        curve=L / "specification_curve.parquet",
        tests=L / "specification_tests.parquet",
    params:
        functions=[
            "dissensus_studies.language.inference.specification:specification_curve"
        ],
        settings=given(
            LANGUAGE, "reference", "measures", "inference", seed=SETTINGS.seed
        ),
    message:
        "Estimate the effect under every choice of measure"


use rule local_stage as compute_power with:
    input:
        pool=L / "pool.parquet",
        effect=L / "language_effect.parquet",
    output:
        power=L / "power.parquet",
    params:
        functions=["dissensus_studies.language.inference.power:power_table"],
        settings=given(
            LANGUAGE,
            "diagnosis.effects",
            "diagnosis.motion_share",
            "inference.confidence",
            planned=LANGUAGE.draws,
            seed=SETTINGS.seed,
        ),
    message:
        "Compute power and the smallest detectable effect"


use rule local_stage as compare_speeches with:
    input:
        **tables(L, "reuse", "turns", "manifest", "pool"),
        caption=caption_of(SETTINGS, "language", "recycled_speeches"),
    output:
        html=report(
            L / "tables/recycled_speeches.html",
            caption=captions("language") / "recycled_speeches.rst",
            category=f"{OF_PANEL}language",
            subcategory="5 Case study",
            labels={"result": "The most and the least recycled speeches"},
        ),
        markdown=L / "tables/recycled_speeches.md",
        caption=L / "captions/recycled_speeches.rst",
    params:
        functions=["dissensus_studies.language.figures.speeches:compare_speeches"],
        settings=given(view=view_settings(STUDIES["language"])),
    message:
        "Put the extreme speeches side by side"


rule language:
    """All results of the language study."""
    input:
        core("language"),
        of_shards("language", "reuse"),
        of_shards("language", "embeddings"),
        rules.measure_homogeneity.output,
        rules.measure_instrument.output,
        rules.estimate_language_effect.output,
        rules.estimate_domains.output,
        rules.diagnose_design.output,
        rules.trace_specifications.output,
        rules.compute_power.output,
        rules.compare_speeches.output,

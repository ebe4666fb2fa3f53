# Turns to numbers, shard by shard; then every session's Homogeneity Index.


rule embed_turns:
    input:
        turns=L / "shards/{shard}/turns.parquet",
        manifest=ancient(L / "manifest.parquet"),
    output:
        embeddings=L / "shards/{shard}/embeddings.parquet",
        calls=L / "shards/{shard}/embedding_calls.parquet",
    log:
        L / "logs/embed_turns/{shard}.log",
    priority: 1
    localrule: EMBEDDED_HERE
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        stage=stage(
            "language.measures.embed",
            embedders=EMBEDDERS,
        ),
    message:
        "Embed the turns of shard {wildcards.shard}"
    script:
        "../../scripts/language/embed_turns.py"


rule measure_shard:
    input:
        turns=L / "shards/{shard}/turns.parquet",
        embeddings=L / "shards/{shard}/embeddings.parquet",
    output:
        components=L / "shards/{shard}/components.parquet",
        reuse=L / "shards/{shard}/reuse.parquet",
    log:
        L / "logs/measure_shard/{shard}.log",
    priority: 1
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        stage=stage(
            "language.measures.block",
            tokenizers=[
                STUDY.measures.tokenizer,
                *STUDY.measures.alternative_tokenizers,
            ],
            repetitions=STUDY.measures.repetitions,
            seed=SETTINGS.seed,
        ),
    message:
        "Measure the sessions of shard {wildcards.shard}"
    script:
        "../../scripts/language/measure_shard.py"


rule measure_homogeneity:
    input:
        manifest=L / "manifest.parquet",
        outcomes=L / "outcomes.parquet",
        components=of_shards("components", "language"),
        reuse=of_shards("reuse", "language"),
    output:
        components=L / "components.parquet",
        reuse=L / "reuse.parquet",
        metrics=L / "metrics.parquet",
    log:
        L / "logs/measure_homogeneity.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.measures.homogeneity",
            measures=STUDY.measures,
            reference=STUDY.reference,
        ),
    message:
        "Give every session its Homogeneity Index"
    script:
        "../../scripts/language/measure_homogeneity.py"

# Transcripts to numbers, one job a temporal block; then every session's Homogeneity Index.


rule embed_turns:
    input:
        transcripts=block_transcripts,
    output:
        embeddings=L / "embeddings/{block}.parquet",
        calls=L / "embedding_calls/{block}.parquet",
    log:
        L / "logs/embed_turns/{block}.log",
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.measures.embed",
            embedders=[STUDY.measures.embedder, *STUDY.measures.alternative_embedders],
        ),
    message:
        "Embed the turns of block {wildcards.block}"
    script:
        "../../scripts/language/embed_turns.py"


rule measure_block:
    input:
        transcripts=block_transcripts,
        embeddings=L / "embeddings/{block}.parquet",
    output:
        components=L / "components/{block}.parquet",
        reuse=L / "reuse/{block}.parquet",
    log:
        L / "logs/measure_block/{block}.log",
    conda:
        ENVIRONMENT
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
        "Measure the sessions of block {wildcards.block}"
    script:
        "../../scripts/language/measure_block.py"


rule measure_homogeneity:
    input:
        manifest=L / "manifest.parquet",
        outcomes=L / "outcomes.parquet",
        components=all_components,
        reuse=all_reuse,
    output:
        components=L / "components.parquet",
        reuse=L / "reuse.parquet",
        metrics=L / "metrics.parquet",
    log:
        L / "logs/measure_homogeneity.log",
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

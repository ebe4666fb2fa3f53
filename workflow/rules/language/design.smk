# From the motion pool to the manifest.


rule code_pool:
    input:
        motions=STUDY.pool.motions,
        codebook=STUDY.pool.codebook,
        coder_a=STUDY.pool.coder_a,
        coder_b=STUDY.pool.coder_b,
        adjudication=STUDY.pool.adjudication,
    output:
        pool=L / "pool.parquet",
        reliability=L / "reliability.parquet",
    log:
        L / "logs/code_pool.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage(
            "language.design.reliability",
            pool=STUDY.pool,
            languages=STUDY.languages,
            resamples=STUDY.inference.resamples,
            seed=SETTINGS.seed,
        ),
    message:
        "Code the motion pool"
    script:
        "../../scripts/language/code_pool.py"


checkpoint draw_manifest:
    input:
        pool=rules.code_pool.output.pool,
    output:
        manifest=L / "manifest.parquet",
    log:
        L / "logs/draw_manifest.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        stage=stage("language.design.manifest", **DRAWING),
    message:
        "Draw the manifest of {STUDY.draws} draws"
    script:
        "../../scripts/language/draw_manifest.py"

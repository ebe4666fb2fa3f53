# Looks at the studies that may stop.
#
# in:    results/<run>/<study>/: artefacts of the study and of a block's shards, which the study declares
# out:   results/<run>/<study>/looks/<block>/: differences; look, which the sessions of the next block wait for;
#        looks, of all blocks
# steps: compare_<study>_block and look_at_<study> after each block; gather_<study>_looks

from dissensus.study.given import look_settings

for NAME, STUDY in STUDIES.items():
    if not STUDY.settings.stop:
        continue
    FOLDER = RESULTS / NAME
    COMPARISON = STUDY.comparison

    rule:
        name:
            f"compare_{NAME}_block"
        input:
            **{
                kind: of_block(NAME, kind, COMPARISON.with_first)
                for kind in COMPARISON.of_block
            },
            **lasting(FOLDER, *COMPARISON.of_study),
        output:
            differences=FOLDER / "looks/{block}/paired_differences.parquet",
        log:
            FOLDER / "logs/compare_block/{block}.log",
        priority: AFTER_A_SHARD
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=[*COMPARISON.functions],
            settings=lambda wildcards, settings=COMPARISON.settings: given(
                **settings, number=int(wildcards.block)
            ),
        message:
            f"Compare the arms of the {NAME} study in block {{wildcards.block}}"
        script:
            "../scripts/study/run_stage.py"

    rule:
        name:
            f"look_at_{NAME}"
        input:
            differences=differences_of(NAME),
        output:
            look=FOLDER / "looks/{block}/looks.parquet",
        log:
            FOLDER / "logs/look_at/{block}.log",
        priority: AFTER_A_SHARD
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=["dissensus.study.looking:look"],
            settings=look_settings(STUDY),
        message:
            f"Look at the {NAME} study after block {{wildcards.block}}"
        script:
            "../scripts/study/run_stage.py"

    rule:
        name:
            f"gather_{NAME}_looks"
        input:
            differences=differences_of(NAME),
        output:
            look=FOLDER / "looks.parquet",
        log:
            FOLDER / "logs/gather_looks.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=["dissensus.study.looking:look"],
            settings=look_settings(STUDY),
            shards=shards_of(NAME),
        message:
            f"Gather the looks at the {NAME} study"
        script:
            "../scripts/study/run_stage.py"

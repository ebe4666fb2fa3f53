# The pages of a run: its results, and the head of Snakemake's report.
#
# in:    all that the studies make by default
# out:   results/<run>/: truth, its table; closing.sha256; index.html, report.rst, reader/; index.html, columns.html, findings and facts of each study
# steps: compare_with_truth, close_run, write_results_page; write_<study>_reader, write_reader_page; summarise_run

from dissensus.report.pages.reader import reader_assets
from dissensus.report.pages.study import assets_digest
from dissensus.plan.diagnosed import truth_settings
from dissensus.study.given import asked_models, page_settings

# Whose models have known effects planted in them; real models have no known truth.
PLANTED = [study for study in STUDIES.values() if study.truth and SETTINGS.simulated]


if PLANTED:

    rule compare_with_truth:
        input:
            [shown(study.name) for study in PLANTED],
        output:
            truth=[RESULTS / study.name / "truth.parquet" for study in PLANTED],
            csv=RESULTS / "tables/table_truth.csv",
            markdown=RESULTS / "tables/table_truth.md",
            page=report(
                RESULTS / "tables/index.html",
                caption="../report/truth.rst",
                category=f"{OF_PANEL}What was planted",
                labels={"result": "What was planted, and what was found"},
            ),
        log:
            RESULTS / "logs/compare_with_truth.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=[study.truth for study in PLANTED],
            settings={"studies": [truth_settings(SETTINGS, study) for study in PLANTED]},
        message:
            "Put what was planted in the simulated models beside what was found"
        script:
            "../scripts/study/compare_with_truth.py"


# Before any page, so that these can name its digest.
use rule local_stage as close_run with:
    input:
        [shown(study) for study in STUDIES],
        rules.compare_with_truth.output if PLANTED else [],
    output:
        closing=RESULTS / "closing.sha256",
    params:
        functions=["dissensus.keep.closing:close"],
    message:
        f"List the digests of all that run {SETTINGS.run} planned, was told, paid and computed"


rule write_results_page:
    input:
        [shown(study) for study in STUDIES],
        truth=rules.compare_with_truth.output.truth if PLANTED else [],
        closing=rules.close_run.output.closing,
        stamps=[path for study in STUDIES for path in stamps(study)],
    output:
        page=RESULTS / "index.html",
        pages=[RESULTS / name / "index.html" for name in STUDIES],
        columns=[RESULTS / name / "columns.html" for name in STUDIES],
        findings=[RESULTS / name / "findings.parquet" for name in STUDIES],
        facts=[RESULTS / name / "facts.parquet" for name in STUDIES],
    log:
        RESULTS / "logs/write_results_page.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        functions=[
            function
            for study in STUDIES.values()
            for function in (
                study.headline and study.headline.maker,
                study.reader.exchange,
            )
            if function
        ],
        settings={
            "run": SETTINGS.run,
            "models": len(asked_models(SETTINGS)),
            "studies": [page_settings(SETTINGS, study) for study in STUDIES.values()],
        },
        seed=SETTINGS.seed,
        files=assets_digest(),
    message:
        "State the findings, and write the pages of results"
    script:
        "../scripts/study/write_results_page.py"


for NAME, STUDY in STUDIES.items():

    rule:
        name:
            f"write_{NAME}_reader"
        input:
            of_rules(
                RESULTS / NAME / f"{name}.parquet" for name in STUDY.reader.artefacts
            ),
            turns=RESULTS / NAME / "turns.parquet",
        output:
            data=directory(RESULTS / f"reader/{NAME}"),
        log:
            RESULTS / NAME / "logs/write_reader.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            functions=[STUDY.reader.details] if STUDY.reader.details else [],
            settings={"run": SETTINGS.run},
        message:
            f"Write the debates of the {NAME} study for the reader"
        script:
            "../scripts/study/write_reader.py"


use rule local_stage as write_reader_page with:
    input:
        [RESULTS / f"reader/{name}" for name in STUDIES],
        findings=rules.write_results_page.output.findings,
        marks=[
            RESULTS / name / "figure_marks.parquet"
            for name, study in STUDIES.items()
            if study.figures
        ],
    output:
        page=RESULTS / "reader/index.html",
    params:
        functions=["dissensus.run.summary:write_reader_page"],
        settings={
            "run": SETTINGS.run,
            "titles": {
                name: {figure.name: figure.title for figure in study.figures}
                for name, study in STUDIES.items()
            },
        },
        files=reader_assets(),
    message:
        "Write the page of the reader"


use rule local_stage as summarise_run with:
    output:
        report=RESULTS / "report.rst",
    params:
        functions=["dissensus.run.summary:summarise"],
        settings={
            "run": SETTINGS.run,
            "seed": SETTINGS.seed,
            "studies": {name: study.summary() for name, study in STUDIES.items()},
            "imported": not SETTINGS.used,
        },
    message:
        "Write the head of the report"

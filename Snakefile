"""dissensus: multi-agent debates as designed experiments. One page; the rules are in workflow/rules."""

from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")


if Path("config.yaml").exists():

    configfile: "config.yaml"


include: "workflow/rules/start.smk"


report: RESULTS / "report.rst"


if SETTINGS.panels:

    include: "workflow/rules/panels.smk"

else:

    include: "workflow/rules/run.smk"

    GRAPHS.append(GRAPH)


rule all:
    """All results of the run, and the page of its findings."""
    default_target: True
    input:
        ALL,
    message:
        f"All results of run {SETTINGS.run}, in {RESULTS}"


TARGETS.know(
    list(workflow.rules), SETTINGS.run, SETTINGS.studies, list(SETTINGS.panels)
)

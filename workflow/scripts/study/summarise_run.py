"""Write the head of the report: what the run is, and each study's design in numbers."""

from typing import Any

from dissensus.study.stage import Stage, run
from dissensus.study.summary import summarise
from dissensus.tables.artefact import write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    write_text(outputs[0], summarise(**stage.settings, simulated=stage.simulated))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

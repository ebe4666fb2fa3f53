"""Read the questions of every bank, and draw at random where not all of them are wanted."""

from typing import Any

from dissensus.identity.design.banks import QUESTIONS, collect_questions
from dissensus.identity.settings import BankSettings
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    banks = {name: BankSettings(**bank) for name, bank in stage.settings["banks"].items()}
    rows = collect_questions(banks, stage.settings["seed"])
    write(outputs.questions, QUESTIONS, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

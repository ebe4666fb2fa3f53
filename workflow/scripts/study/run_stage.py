"""Run the function that the rule names, on the rule's inputs, to the rule's outputs."""

from typing import Any

from dissensus.run.run_stage import run_function
from dissensus.run.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    run_function(
        stage.function,
        dict(inputs.items()),
        dict(outputs.items()),
        stage.settings,
        stage.provenance,
        stage.embedder,
        stage.simulated,
        {
            "configuration": lambda: stage.configuration,
            "commit": lambda: stage.provenance["commit"],
        },
    )


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

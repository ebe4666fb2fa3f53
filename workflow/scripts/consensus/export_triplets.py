"""Export preference data of the training debates, for models with open weights."""

from typing import Any

from dissensus.consensus.domains import read_domain
from dissensus.consensus.learning.tables import FEWSHOT, PROFILES
from dissensus.consensus.training.triplets import TRIPLETS, make_triplets
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    agents = {
        name: {agent.id: agent for agent in read_domain(folder).agents}
        for name, folder in stage.settings["domains"].items()
    }
    profiles = read(inputs.profiles, PROFILES).to_pylist()
    rows = make_triplets(profiles, read(inputs.fewshot, FEWSHOT).to_pylist(), agents)
    write(outputs.triplets, TRIPLETS, list(rows), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

"""Profile the agents of the training debates, and choose the best and the worst."""

from typing import Any

from dissensus.consensus.design import IDS, MANIFEST
from dissensus.consensus.domains import STATEMENTS
from dissensus.consensus.learning.profiles import profile_agents
from dissensus.consensus.learning.tables import PROFILES
from dissensus.consensus.learning.wording import LearningWords
from dissensus.session.prompt_files import read_prompts
from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, read, read_by, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    learning = stage.settings["learning"]
    rows = profile_agents(
        read(inputs.manifest, MANIFEST).to_pylist(),
        read_by(inputs.statements, STATEMENTS, "statement_id"),
        by_session(concatenate(inputs.turns, turns_schema(IDS))),
        read_prompts(LearningWords, inputs.prompts),
        learning["examples"],
        learning["characters"],
    )
    write(outputs.profiles, PROFILES, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

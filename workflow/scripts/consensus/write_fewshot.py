"""Gather the examples with what was said of them: the few-shot block, and a page to read it on."""

from typing import Any

from dissensus.consensus.design import IDS
from dissensus.consensus.learning.block import gather_examples, readable
from dissensus.consensus.learning.tables import FEWSHOT, PROFILES
from dissensus.consensus.learning.wording import LearningWords
from dissensus.session.prompt_files import read_prompts
from dissensus.study.gather import turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import concatenate, read, write, write_text


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    said: dict[str, dict[tuple[str, str], str]] = {}
    for turn in concatenate(inputs.turns, turns_schema(IDS)).to_pylist():
        of_agent = said.setdefault(turn["domain"], {})
        of_agent[turn["speaker"], turn["role"]] = turn["text"]
    rows = list(gather_examples(read(inputs.profiles, PROFILES).to_pylist(), said))
    words = read_prompts(LearningWords, inputs.prompts)
    write(outputs.fewshot, FEWSHOT, rows, stage.provenance)
    write_text(outputs.page, readable(rows, words))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

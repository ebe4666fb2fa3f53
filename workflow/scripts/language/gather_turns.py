"""Put all transcripts into one table, and say of each session what became of it."""

from dissensus.language.gather import OUTCOMES, TURNS, gather
from dissensus.stage import run
from dissensus.tables.artefact import write
from dissensus.tables.provenance import provenance


def main(inputs, outputs, stage):
    turns, outcomes = gather(inputs.transcripts)
    made = provenance("gather_turns", stage["simulated"], stage)
    write(outputs.turns, TURNS, turns, made)
    write(outputs.outcomes, OUTCOMES, outcomes, made)


if __name__ == "__main__":
    run(main, snakemake)  # noqa: F821

"""Map the arguments: embed claims, find clusters, name them, and say what becomes of them."""

from pathlib import Path
from typing import Any

from dissensus.study.embedding import call_rows, stage_embedder
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write
from dissensus.union.map.claims import Options, map_claims
from dissensus.union.map.tables import CLUSTERS, MAP, MAP_CALLS
from dissensus.union.tables import CLAIMS, VERDICTS


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    journals = Path(outputs.map).parent / "journal/embeddings"
    used, paid = stage_embedder(stage, settings["embedder"], journals, "claims")
    claims, clusters = map_claims(
        read(inputs.claims, CLAIMS).to_pandas(use_threads=False),
        read(inputs.verdicts, VERDICTS).to_pandas(use_threads=False),
        used.embed,
        Options(settings["map"], settings["inference"], settings["seed"]),
    )
    write(outputs.map, MAP, claims, stage.provenance)
    write(outputs.clusters, CLUSTERS, clusters, stage.provenance)
    write(outputs.calls, MAP_CALLS, call_rows(0, paid), stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

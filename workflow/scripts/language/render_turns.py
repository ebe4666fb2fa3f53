"""Put the debates of one shard into the other languages, to measure the instrument by them."""

from typing import Any

from dissensus.language.design.instrument import rendered_draws
from dissensus.language.design.manifest import IDS, read_manifest
from dissensus.language.measures.renderings import RENDERED_TURNS, exact, translated
from dissensus.study.gather import by_session, turns_schema
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import read, write


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    settings = stage.settings
    sessions = by_session(read(inputs.turns, turns_schema(IDS)))
    rows = translated(sessions)
    if settings["sources"]:
        manifest = read_manifest(inputs.manifest).values()
        topics = {row["draw_id"]: row["motion_id"] for row in manifest}
        draws = rendered_draws(topics, settings["draws"], settings["seed"])
        rows = exact(
            sessions, draws, topics, settings["pairs"], settings["spoken"], settings["sources"]
        )
    write(outputs.rendered, RENDERED_TURNS, rows, stage.provenance)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

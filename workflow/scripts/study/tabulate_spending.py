"""Write the tables of what a study has spent and of how its models behaved."""

from pathlib import Path
from typing import Any

from dissensus.plan.cost import priced
from dissensus.report.arm_conduct import ARM_CONDUCT, table_arm_conduct
from dissensus.report.captions import write_caption
from dissensus.report.labels import arm_words
from dissensus.report.tables import write_tables
from dissensus.run.spending import CONDUCT, SPENDING
from dissensus.run.spending_tables import table_arm_spending, table_models, table_spending
from dissensus.run.stage import Stage, run
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import read


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    given = stage.settings
    sessions = Sessions.read(stage.configuration, Path(inputs.manifest).parent)
    lines = priced(given, sessions)
    spent = read(inputs.spending, SPENDING).to_pylist()
    conduct = read(inputs.conduct, CONDUCT).to_pylist()
    tables = [
        table_spending(spent, lines, given["budget_usd"], stage.simulated),
        table_arm_spending(spent, arms_of(sessions), lines, stage.simulated),
        table_models(conduct, spent, lines, stage.simulated),
        table_arm_conduct(
            read(inputs.arm_conduct, ARM_CONDUCT).to_pylist(),
            stage.simulated,
            sessions.study.shown().get("arm_words"),
        ),
    ]
    tables = [table.noted(given["marked"]) for table in tables]
    write_tables(
        tables,
        outputs.csv,
        outputs.markdown,
        outputs.page,
        f"{sessions.study.name}: conduct and cost",
    )
    counts = {"calls": str(sum(row["calls"] for row in spent))}
    write_caption(outputs.caption, inputs.caption, counts, stage.simulated)


def arms_of(sessions: Sessions) -> dict[str, tuple[str, str]]:
    """session_id -> its kind, "" where the study has one, and its arm for readers."""
    study = sessions.study
    words = study.shown().get("arm_words", {})
    return {
        name: (str(row.get("kind") or ""), words.get(row[study.arm]) or arm_words(row[study.arm]))
        for name, row in sessions.rows.items()
    }


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821

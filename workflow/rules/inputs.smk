# What every study's rules read: its sessions, their bundles and shards, by its manifest; its bill.

import os
from contextlib import suppress
from functools import lru_cache

from dissensus.study.jobs import bundled, bundles, shards
from dissensus.study.sessions import ARTEFACTS, Sessions, spec_in
from dissensus.study.registry import study_of

STUDIES = list(SETTINGS.studies)
# Per study: the checkpoint that draws its manifest, and the table that it draws from.
DRAWN_BY = {
    "language": "draw_manifest",
    "identity": "draw_identity_manifest",
    "deliberation": "draw_deliberation_manifest",
}
DRAWN_FROM = {
    "language": "pool.parquet",
    "identity": "questions.parquet",
    "deliberation": "topics.parquet",
}
# Whether sessions wait for models, or compute their words themselves.
WAITS = any(MODELS[name]["provider"] != "simulated" for name in SETTINGS.used)
# On a cluster: what stays with the process that submits jobs.
RUN_HERE = SETTINGS.sessions_on == "login"


wildcard_constraints:
    study="|".join(STUDIES),
    session="[A-Za-z0-9_.-]+",
    bundle="[A-Za-z0-9_.-]+",
    shard=r"\d+",


# Study -> the sessions that this run is to hold.
PENDING = {}


@lru_cache
def study_at(study, path, _changed):
    """A study's sessions and its rows by shard: once for every state of its manifest."""
    sessions = Sessions(study_of(SETTINGS, RESULTS / study))
    rows = sessions.debates.rows
    if workflow.is_main_process:
        pending = {row["session_id"] for row in sessions.note()}
        PENDING[study] = pending
        BOARD.expect(study, len(rows), len(rows) - len(pending))
    return sessions, shards(rows.values())


def study_drawn(study):
    """A study's sessions and shards; Snakemake draws the manifest first where there is none."""
    getattr(checkpoints, DRAWN_BY[study]).get()
    return study_now(study)


@exit_on_user_error
def study_now(study):
    """The same, of the manifest that is there."""
    path = RESULTS / study / "manifest.parquet"
    return study_at(study, path, os.stat(path).st_mtime_ns)


# Before Snakemake looks which files there are. A manifest of models, languages or motions that the
# settings do not know is drawn anew.
for study in STUDIES:
    needed = [
        RESULTS / study / name for name in ("manifest.parquet", DRAWN_FROM[study])
    ]
    if all(path.exists() for path in needed):
        with suppress(KeyError):
            study_now(study)


def per_job(rows):
    """How many of a study's sessions a job may hold."""
    few = len(rows) <= FEW_SESSIONS and runs_here()
    return SETTINGS.sessions_per_job or (1 if few else BUNDLE)


def runs_here():
    """Whether this process runs the jobs: it is neither their submitter nor one of them."""
    return workflow.is_main_process and workflow.local_exec


def session_row(wildcards, study=None):
    """A session's row of the manifest; of the wildcard's study unless one is named."""
    rows = study_drawn(study or wildcards.study)[0].debates.rows
    if wildcards.session not in rows:
        first, last = min(rows), max(rows)
        exit_with(
            f"{wildcards.session} is no session of run {SETTINGS.run}, which has {first} to {last}."
        )
    return rows[wildcards.session]


def session_spec(wildcards):
    """What a session depends on: a file that is written when that changes."""
    return spec_in(RESULTS / wildcards.study, session_row(wildcards)["session_id"])


def bundle_spec(wildcards):
    """The same of a bundle, in one file: Snakemake looks at the inputs of waiting jobs again and again."""
    return study_drawn(wildcards.study)[0].note_bundle(wildcards.bundle)


def in_order(wildcards, rows, marks):
    """What some sessions come after: of no account for whether they are held, as ancient files are.

    Snakemake looks for no other reason to run a job where one is to run that it depends on, even
    by an ancient file alone; so files are ancient only where there is nothing to hold.
    """
    files = [RESULTS / wildcards.study / mark for mark in marks]
    held = PENDING.get(wildcards.study, set()).isdisjoint(
        row["session_id"] for row in rows
    )
    return list(map(ancient, files)) if held else files


def sessions_before(wildcards):
    """Those that this one comes after, by the marks that they were held."""
    row, debates = session_row(wildcards), study_drawn(wildcards.study)[0].debates
    return in_order(wildcards, [row], [f"held/{name}" for name in debates.before(row)])


def bundles_before(wildcards):
    """The bundles that this one comes after: those of sessions that its own need, but itself."""
    debates = study_drawn(wildcards.study)[0].debates
    rows = debates.rows
    own = bundled(rows.values(), wildcards.bundle)
    jobs = {
        rows[name]["job"] for row in own if "job" in row for name in debates.before(row)
    }
    marks = [f"bundles/{name}" for name in sorted(jobs - {wildcards.bundle})]
    return in_order(wildcards, own, marks)


def drawn_from(wildcards):
    """The table that a study draws from."""
    return RESULTS / wildcards.study / DRAWN_FROM[wildcards.study]


def every_session(study):
    """All that a study's sessions leave: targets, so that a deleted one is made again."""

    def files(wildcards):
        dealt = study_drawn(study)[1]
        return [
            file for shard in dealt for file in sessions_of(study, shard, ARTEFACTS)
        ]

    return files


def shard_sessions(wildcards):
    """What a shard waits for."""
    study_drawn(wildcards.study)
    return sessions_of(wildcards.study, wildcards.shard, ("calls", "transcripts"))


def sessions_of(study, shard, kinds):
    """What a shard's sessions leave, or the marks of the bundles that they are held in."""
    sessions, dealt = study_now(study)
    rows, most = dealt[shard], per_job(sessions.debates.rows)
    if most > 1 or "job" in rows[0]:
        return [RESULTS / study / f"bundles/{name}" for name in bundles(rows, most)]
    return [
        RESULTS / study / f"{kind}/{row['session_id']}.parquet"
        for kind in kinds
        for row in rows
    ]


def of_shards(kind, study=None):
    """One kind of artefact of every shard, as an input; of the wildcard's study unless one is named."""

    def files(wildcards):
        name = study or wildcards.study
        return [
            RESULTS / name / f"shards/{shard}/{kind}.parquet"
            for shard in study_drawn(name)[1]
        ]

    return files


def in_flight(wildcards):
    """How many cores a bundle counts for: as many as sessions wait for models at once."""
    return size_of(wildcards) if WAITS and runs_here() else 1


def together(wildcards, threads):
    """How many sessions a bundle holds at once: on a node of a cluster, all of them."""
    if not WAITS:
        # One computes while the other's replies are on their way to the disk.
        return 2
    return threads if runs_here() else size_of(wildcards)


def size_of(wildcards):
    """How many sessions a bundle's name stands for."""
    return len(
        bundled(study_drawn(wildcards.study)[0].debates.rows.values(), wildcards.bundle)
    )


def run_logged(study, session, log):
    """Hold a session; what became of it stands in its log, a failure on the screen too."""
    sessions, _ = study_now(study)
    try:
        failure = sessions.hold(sessions.debates.rows[session], REGISTRY)
    except DissensusError as error:
        stop(error)
    except OSError as error:
        stop(
            f"{session} could not be written ({error}); mend that and start again: its replies are kept."
        )
    line = f"{session}: " + (f"failed for good, {failure}" if failure else "held")
    Path(log).write_text(f"{line}\n", encoding="utf-8")
    if failure:
        logger.warning(line)


SPENDING_TABLES = ["table_spending", "table_models"]


def money(study):
    """What a study is paid by: how models behave, and how long to wait for one, is of no account."""
    own = getattr(SETTINGS, study)
    asked = SETTINGS.asked(study)
    return {
        "folder": str(RESULTS / study),
        "models": {
            name: {key: MODELS[name].get(key) for key in ("provider", "model", "price")}
            for name in sum(asked.values(), [])
        },
        "providers": {
            name: {"simulated": provider.simulated, "batch": provider.batch}
            for name, provider in SETTINGS.providers.items()
        },
        "asked": asked,
        "embedders": (
            [name for _, name in own.measures.named_embedders()]
            if study == "language"
            else []
        ),
        "prices": SETTINGS.prices,
        "budget_usd": SETTINGS.budget_usd,
        "protocol": own.protocol,
    }


def paid_by(study):
    """The files that a study's bill is made of."""
    prompts = [
        file
        for file in getattr(SETTINGS, study).files().values()
        if file.endswith(".yaml")
    ]
    return {
        "prices": SETTINGS.prices or [],
        "prompts": prompts,
        "manifest": RESULTS / study / "manifest.parquet",
        "table": RESULTS / study / DRAWN_FROM[study],
    }


def embedding_calls(wildcards):
    """What was asked of embedders, in the one study that asks any."""
    return (
        of_shards("embedding_calls")(wildcards) if wildcards.study == "language" else []
    )


def money_of(study):
    """What there is to see of a study's money."""
    folder = RESULTS / study
    tables = [folder / f"tables/{name}.md" for name in SPENDING_TABLES]
    return [folder / "spending.parquet", *tables]


def graphed_manifest(wildcards):
    """The manifest, which has the session: else the whole study would be held to say that it has not."""
    session_row(wildcards, "deliberation")
    return RESULTS / "deliberation/manifest.parquet"

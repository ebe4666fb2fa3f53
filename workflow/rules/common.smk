# What the rules of a run share, or those of one of its panels: its settings, and the files that connect its jobs.

from pathlib import Path

from snakemake.exceptions import IncompleteCheckpointException

from dissensus.plan.deviations import DATA as PLAN
from dissensus.plan.priced import priced_files
from dissensus.plan.registering.direction import registered_side
from dissensus.plan.registering.settings import triggers
from dissensus.run.job_graph import JobGraph
from dissensus.run.rules import (
    check_targets,
    depend_on_code,
    describe_targets,
    name_logs,
    temporary_folders,
)
from dissensus.run.shutdown import before_exit, exit_on_user_error
from dissensus.study.settings import pick, plain
from dissensus.study.registry import study_folder
from dissensus.tables.provenance import STAMPS_FILE
from snakemake_logger_plugin_dissensus.board import BOARD

# Rules of other panels, which come before.
OTHERS = len(list(workflow.rules))
STUDIES = {name: SETTINGS.study(name) for name in SETTINGS.studies}
RESULTS = SETTINGS.results
# Before the categories of Snakemake's report, which has those of all panels.
OF_PANEL = f"{SETTINGS.panel}: " if SETTINGS.panel else ""
ENVIRONMENT = workflow.current_basedir.join(
    "../../envs/dissensus.yaml"
).get_path_or_uri(secret_free=True)
# How many sessions of a job that is named may run at once.
AT_ONCE = 64
# On a cluster: whether sessions stay with the process that submits jobs.
ON_LOGIN_NODE = SETTINGS.sessions_on == "login"
GRAPH = JobGraph(
    SETTINGS,
    RESULTS,
    is_main=workflow.is_main_process,
    expect=BOARD.expect,
    temporary=temporary_folders(workflow)[0].name,
)
before_exit(GRAPH.close)


def own_rules():
    """The rules of this run, or of this panel: a process has those of all panels."""
    return list(workflow.rules)[OTHERS:]


def given(block=None, /, *paths, **settings):
    """Settings as the plain data that Snakemake can compare and keep: those of a block by their paths, each under the
    last of its names, and others.
    """
    named = {
        path.rpartition(".")[2]: value for path, value in pick(block, paths).items()
    }
    return plain({**named, **settings})


def tables(folder, *names):
    """Artefacts of a folder, each by its name."""
    return {name: folder / f"{name}.parquet" for name in names}


def lasting(folder, *names):
    """The same, where a manifest that only grew makes nothing anew."""
    return {
        name: ancient(path) if name == "manifest" else path
        for name, path in tables(folder, *names).items()
    }


def drawn(study):
    """Have Snakemake draw a study's manifest first where it is not there, or is to be drawn anew."""
    getattr(checkpoints, f"draw_{study}_manifest").get()


@exit_on_user_error
def session_inputs(wildcards):
    drawn(wildcards.study)
    return GRAPH.session_inputs(wildcards.study, wildcards.session)


@exit_on_user_error
def shard_inputs(wildcards):
    drawn(wildcards.study)
    return GRAPH.shard_inputs(wildcards.study, wildcards.shard)


# Of what comes before any session, and of what a shard's sessions are measured by as soon as they have ended.
BEFORE_SESSIONS = len(STUDIES) + 1
AFTER_A_SHARD = len(STUDIES)


def shard_priority(wildcards):
    """Sessions begin by study and block, the measures of a shard before further sessions."""
    return GRAPH.priority(wildcards.study, wildcards.shard)


@exit_on_user_error
def shard_settings(wildcards):
    """What a shard depends on besides its files: which sessions it has."""
    drawn(wildcards.study)
    return GRAPH.shard_settings(wildcards.study, wildcards.shard)


def manifest_schema(wildcards):
    return [STUDIES[wildcards.study].manifest.schema]


def runs_here():
    """Whether this process runs the jobs: it is neither their submitter nor one of them.

    The executor is not known while the rules are read.
    """
    return workflow.is_main_process and workflow.local_exec


def in_flight(wildcards):
    """How many sessions of all jobs of this machine may run at once; 0 for any number."""
    return (workflow.cores or 0) if SETTINGS.waits and runs_here() else 0


def shard_cores(wildcards):
    return GRAPH.cores(wildcards.study, wildcards.shard, runs_here())


def shard_at_once(wildcards):
    return GRAPH.at_once(wildcards.study, wildcards.shard)


def of_shards(study, kind, part=None):
    """One kind of artefact of every shard of a study, or of one of its parts, as an input."""

    @exit_on_user_error
    def files(wildcards):
        drawn(study)
        return GRAPH.shard_files(study, kind, part)

    return files


def of_first(study, kind, *files):
    """Files of the first session of a kind, as an input; ``{session}`` stands for its name."""

    @exit_on_user_error
    def named(wildcards):
        drawn(study)
        rows = GRAPH.drawn(study).sessions.rows.values()
        first = next(row["session_id"] for row in rows if row["kind"] == kind)
        return [str(RESULTS / study / file).format(session=first) for file in files]

    return named


def embedding_calls_of(study):
    """A study's calls for embeddings, as an input: artefacts of their own, or one of every shard."""
    declared = STUDIES[study]
    if not declared.embedders():
        return []
    own = [RESULTS / study / f"{name}.parquet" for name in declared.embedding_calls]
    return own or of_shards(study, "embedding_calls")


def of_block(study, kind, with_first):
    """One kind of artefact of the shards of a block, as an input, and of the first one's where it is asked for."""

    @exit_on_user_error
    def files(wildcards):
        drawn(study)
        return GRAPH.shards_of_block(study, int(wildcards.block), kind, with_first)

    return files


def differences_of(study):
    """The differences of a study's blocks, as an input: until one where a block is named."""

    @exit_on_user_error
    def files(wildcards):
        drawn(study)
        block = wildcards.get("block")
        return GRAPH.differences(study, block and int(block))

    return files


def looks_of(study):
    """The looks at a study, where it may stop."""
    return [RESULTS / study / "looks.parquet"] * bool(STUDIES[study].settings.stop)


def shards_of(study):
    """The names of a study's shards, as a parameter: what gathers them depends on which there are."""

    def names(wildcards):
        return GRAPH.shard_names(study)

    return names


def manifest_with_session(study):
    """A study's manifest, if it has the session: else all of it would run to say that it has not."""

    @exit_on_user_error
    def file(wildcards):
        drawn(study)
        GRAPH.row(study, wildcards.session)
        return RESULTS / study / "manifest.parquet"

    return file


def registered_of(wildcards):
    """What a study's plan says of its settings, its prompts, its code and its packages."""
    return triggers(SETTINGS, wildcards.study)


def stamps(study):
    """What others say of when a study's plan was there, where somebody has noted it."""
    path = RESULTS / study / STAMPS_FILE
    return [path] * path.exists()


def stamps_of(wildcards):
    return stamps(wildcards.study)


@exit_on_user_error
def directed_of(wildcards):
    """The estimates of a study whose plan expects them on one side of 0."""
    study = STUDIES[wildcards.study]
    is_directed = study.headline_rows and registered_side(RESULTS / study.name)
    return headline_rows_of(wildcards) if is_directed else []


def confirmations(study):
    """The page of what a study is to confirm, where its plan says that it is."""
    folder = RESULTS / study
    is_registered = SETTINGS.confirms is not None and (folder / PLAN).exists()
    return [folder / "confirmation.md"] * is_registered


def headline_rows_of(wildcards):
    """The table that has the estimates which a study is judged by."""
    name = STUDIES[wildcards.study].headline_rows
    return RESULTS / wildcards.study / f"{name}.parquet"


def source_of(wildcards):
    """The table that a study's manifest is drawn from."""
    source = STUDIES[wildcards.study].source
    return RESULTS / wildcards.study / f"{source.artefact}.parquet"


def captions(study):
    """Where a study's captions are: absolute, since the report looks beside the rule's file otherwise."""
    return Path.cwd() / RESULTS / study / "captions"


def rules_of(study):
    """The file of the rules that a study has besides its stages; none of most."""
    path = study_folder(study) / "rules.smk"
    return [str(path)] if path.is_file() else []


def of_rules(files):
    """Those of some files that a rule makes; the others are there, or are not."""
    made = {str(file) for each in own_rules() for file in each.output}
    return [file for file in files if str(file) in made]


def made_in_own_folder(study):
    """What the rules of a reader's own folder make, but for files with wildcards."""
    return [
        each.output
        for each in own_rules()
        if str(each.snakefile) in rules_of(study) and not each.wildcard_names
    ]


@exit_on_user_error
def targets_of(study):
    """All that a study makes by default: what the rule of its name asks for."""
    targets = getattr(rules, study).input if rules.has(study) else []
    check_targets(study, targets, RESULTS / study / "manifest.parquet")
    return targets


def shown(study):
    """What a study's default targets are, but for its sessions, of which there may be thousands."""
    return [file for file in targets_of(study) if not callable(file)]


def manifests_and_sources():
    """What the studies' calls can be counted from, before any is made."""
    files = [priced_files(SETTINGS, name, RESULTS / name) for name in STUDIES]
    return [each[kind] for kind in ("manifest", "source") for each in files]


def core(study):
    """What every study makes. Its own file of rules adds its measures and estimates."""
    folder = RESULTS / study
    declared = STUDIES[study]
    made = [
        "collect",
        *["plot"] * bool(declared.figures),
        *["tabulate"] * bool(declared.tables),
    ]
    return [
        folder / "manifest.parquet",
        folder / "turns.parquet",
        of_shards(study, "calls"),
        *(getattr(rules, f"{verb}_{study}").output for verb in made),
        getattr(rules, f"gather_{study}_spending").output,
        getattr(rules, f"compare_{study}_conduct").output,
        getattr(rules, f"tabulate_{study}_spending").output,
        *[folder / "deviations.md"] * (folder / PLAN).exists(),
        *confirmations(study),
    ]

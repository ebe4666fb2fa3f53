"""Whether all of a run is as it was made, without a call and without a change.

Sessions are derived again from their journals, what is gathered from sessions is gathered again,
every Parquet file is read with all checks, and every result is compared with the digest in the log
of the stage that made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from dissensus.digests import file_digest
from dissensus.errors import ArtefactError, DissensusError
from dissensus.keep.reply_counts import answers_elsewhere, journals, replies_in
from dissensus.keep.verified import MEND, Verified
from dissensus.keep.verify_closing import (
    verify_archives,
    verify_closed,
    verify_lines,
    verify_made,
    verify_replies,
)
from dissensus.keep.verify_pages import verify_pages
from dissensus.llm.call import Reply
from dissensus.llm.journal import NotJournaled
from dissensus.llm.ledger import LEDGER, Ledger
from dissensus.llm.registry import ModelRegistry
from dissensus.plan.order import changed_pages, contradiction
from dissensus.plan.registering.stamps import checked
from dissensus.run.spending import CONDUCT, SPENDING, conduct, spending
from dissensus.run.stage_log import read_log
from dissensus.session.record import (
    ATTEMPTS,
    CALLS,
    SessionPaths,
    SessionRows,
    made_to,
    transcript,
)
from dissensus.study.configuration import Configuration
from dissensus.study.gather import (
    GATHERED_CALLS,
    Gathered,
    gather,
    outcomes_schema,
    turns_schema,
)
from dissensus.study.kind import Row
from dissensus.study.makes import makes
from dissensus.study.session_tables import TRIED
from dissensus.study.sessions import Sessions, journal_path
from dissensus.tables.artefact import provenance_of
from dissensus.tables.provenance import PLAN_DIGEST, PLAN_FILE, STAMPS_FILE

#: More than the rounding error of a sum of dollars.
_ROUNDING_USD = 1e-6


@makes()
def verify_run(configuration: Configuration) -> list[str]:
    """That all of a run is as it was made.

    Raises
    ------
    ArtefactError : something is not; a line for each file.
    """
    verified = verify(configuration, configuration.results)
    if verified.findings:
        raise ArtefactError("\n".join([*verified.findings.values(), verified.summary]))
    return [*verified.notes, verified.summary]


@makes()
def verify_panels(configuration: Configuration) -> list[str]:
    """That all of a run with panels is as it was made: every panel, and what compares them.

    Raises
    ------
    ArtefactError : something is not; a line for each file.
    """
    home = Verified(configuration.run)
    folders = [part.results for part in configuration.parts]
    _verify_files(configuration.results, home)
    _verify_spending(configuration.results, home, folders)
    verified = [*(verify(part, part.results) for part in configuration.parts), home]
    verify_made(configuration.results, home, is_compared=True)
    verify_lines(configuration.results, home)
    verify_closed(configuration.results, home)
    verify_archives(configuration, home)
    wrong = [line for each in verified for line in each.findings.values()]
    summaries = [line for each in verified[:-1] for line in (*each.notes, each.summary)]
    summaries.append(
        f"Verified what compares the panels of run {configuration.run}: "
        + ("damaged." if home.findings else "all as it was made.")
    )
    if wrong:
        raise ArtefactError("\n".join([*wrong, *summaries]))
    return summaries


def verify(settings: Configuration, results: Path) -> Verified:
    """Compare all of a run; ``results``: its folder."""
    verified = Verified(settings.run)
    registry = settings.registry(results, "verify")
    for study in settings.studies:
        try:
            _verify_study(settings, results / study, registry, verified)
        except DissensusError as error:
            verified.find(results / study / "manifest.parquet", error)
    _verify_files(results, verified)
    _verify_spending(settings.home(results), verified, [results])
    verify_made(results, verified)
    verify_lines(results, verified)
    verify_replies(results, verified)
    verify_closed(results, verified)
    verify_archives(settings, verified)
    verify_pages(results, settings.studies, verified)
    return verified


def _verify_files(results: Path, verified: Verified) -> None:
    """All other artefacts of a folder, and what its logs say was made."""
    for path in sorted(results.rglob("*.parquet")):
        if path not in verified.files:
            verified.table(path)
    for path in sorted(results.glob("**/logs/**/*.log")):
        _verify_log(path, verified)


def _verify_study(
    settings: Configuration, folder: Path, registry: ModelRegistry, verified: Verified
) -> None:
    """A study's sessions, and what is gathered from them."""
    source = settings.study(folder.name).source.artefact
    drawn = [folder / "manifest.parquet", folder / f"{source}.parquet"]
    if late := contradiction(folder):
        verified.find(folder / PLAN_FILE, f"{folder / PLAN_FILE}: {late}")
    verified.missing += sum(not path.exists() for path in drawn)
    if not all(path.exists() and verified.table(path) is not None for path in drawn):
        return
    _verify_plan(folder, verified)
    sessions = Sessions.read(settings, folder)
    gathered = Gathered([], [], [], [])
    are_sound = True
    for shard, rows in sessions.shards.items():
        run = [row for row in rows if not sessions.looks.call_off(row)]
        made = [_verify_session(sessions, row, registry, verified) for row in run]
        are_sound = are_sound and None not in made
        # What is gathered waits for all sessions of its shard.
        if None not in made:
            again = gather(session for session in made if session)
            _verify_shard(sessions, shard, again, verified)
            gathered.turns.extend(again.turns)
            gathered.outcomes.extend(again.outcomes)
            gathered.calls.extend(again.calls)
    if are_sound:
        _verify_gathered(sessions, gathered, verified)


def _verify_plan(folder: Path, verified: Verified) -> None:
    """That what was made since a plan was registered was made under it as it is now."""
    plan = folder / PLAN_FILE
    if not plan.is_file():
        for path in sorted(folder.rglob("*.parquet")):
            if _made_under(path):
                verified.find(
                    plan,
                    f"{plan} is gone, and {path} was made under it; restore it from where it was "
                    "deposited.",
                )
                return
        return
    now = file_digest(plan)
    for is_wrong, sentence in checked(folder, now):
        if is_wrong:
            verified.find(folder / STAMPS_FILE, f"{folder / STAMPS_FILE}: {sentence}.")
        else:
            verified.notes.append(f"{plan}: {sentence}.")
    for path in changed_pages(folder):
        verified.find(
            path,
            f"{path} is not what {plan} says that was registered; restore it from where it was "
            "deposited.",
        )
    for path in sorted(folder.rglob("*.parquet")):
        before = _made_under(path) or now
        if before != now:
            verified.find(
                plan,
                f"{plan} is not the plan that {path} was made under (SHA-256 {before[:12]}, now "
                f"{now[:12]}); restore the plan from where it was deposited.",
            )
            return


def _made_under(artefact: Path) -> str:
    """SHA-256 of the plan that an artefact was made under; "" of none, and of a damaged one."""
    try:
        return str(provenance_of(artefact).get(PLAN_DIGEST, ""))
    except ArtefactError:
        return ""


def _verify_session(
    sessions: Sessions, row: Row, registry: ModelRegistry, verified: Verified
) -> SessionRows | None:
    """Derive a session again and compare; what it left, None where that is not as it was made."""
    name = row["session_id"]
    paths, journal = SessionPaths.of(sessions.folder, name), journal_path(sessions.folder, name)
    if not paths.transcript.is_file():
        verified.pending += 1
        return None
    verified.files.add(journal)
    is_its_own = _session_in(paths.transcript, verified) == name
    if is_its_own and not _is_current(sessions, row, made_to(paths.transcript)):
        verified.find(
            paths.transcript,
            f"{paths.transcript} is made to other settings or code; start again, and it is made "
            "again: no call that stays the same is paid twice.",
        )
        return None
    try:
        made = sessions.replay(row, registry)
    except NotJournaled as error:
        verified.find(
            journal,
            f"{journal} lacks a reply that {name} was made from ({error}); restore it from a copy, "
            "or that call is made, and paid, again when the session is.",
        )
        return None
    except DissensusError as error:
        verified.find(journal, error)
        return None
    verified.sessions += 1
    verified.turns += len(made.turns)
    _compare_session(sessions, paths, made, verified)
    is_sound = not verified.findings.keys() & {paths.attempts, paths.calls, paths.transcript}
    return made if is_sound else None


def _session_in(transcript: Path, verified: Verified) -> str:
    """The session whose transcript it is by its metadata; "" where it is damaged."""
    session_id = (
        "" if verified.table(transcript) is None else provenance_of(transcript)["session_id"]
    )
    return str(session_id)


def _is_current(sessions: Sessions, row: Row, made_to: str | None) -> bool:
    """Whether a session is made to what it depends on now."""
    try:
        return made_to == sessions.digest(row)
    except KeyError:
        return False


def _compare_session(
    sessions: Sessions, paths: SessionPaths, made: SessionRows, verified: Verified
) -> None:
    """A session's artefacts, with what its journal gives."""
    for path, schema, rows in (
        (paths.attempts, ATTEMPTS, made.attempts),
        (paths.calls, CALLS, made.calls),
    ):
        if path.exists():
            verified.compare(path, schema, rows, "its journal")
    verified.compare(paths.transcript, transcript(sessions.study.ids), made.turns, "its journal")
    if paths.transcript not in verified.findings:
        provenance = provenance_of(paths.transcript)
        if any(provenance.get(key) != value for key, value in made.outcome.items()):
            verified.find(paths.transcript, f"{paths.transcript} did not end like that; {MEND}.")


def _verify_shard(sessions: Sessions, shard: str, gathered: Gathered, verified: Verified) -> None:
    """Compare what a shard holds with what its sessions' journals give."""
    folder, ids = sessions.folder / f"shards/{shard}", sessions.study.ids
    for name, schema, rows in (
        ("turns", turns_schema(ids), gathered.turns),
        ("outcomes", outcomes_schema(ids), gathered.outcomes),
        ("calls", GATHERED_CALLS, gathered.calls),
        ("attempts", TRIED, gathered.attempts),
    ):
        verified.compare(folder / f"{name}.parquet", schema, rows, "its sessions")


def _verify_gathered(sessions: Sessions, gathered: Gathered, verified: Verified) -> None:
    """Compare what turns, outcomes, spending and conduct hold with what all sessions left."""
    folder, ids = sessions.folder, sessions.study.ids
    shards = "its shards"
    verified.compare(folder / "turns.parquet", turns_schema(ids), gathered.turns, shards)
    verified.compare(folder / "outcomes.parquet", outcomes_schema(ids), gathered.outcomes, shards)
    whole = [folder / f"{name}.parquet" for name in sessions.study.embedding_calls]
    paths = [*sorted(folder.glob("shards/*/embedding_calls.parquet")), *filter(Path.exists, whole)]
    tables = [verified.table(path) for path in paths]
    embeddings = [row for table in tables if table is not None for row in table.to_pylist()]
    if None in tables:
        return
    blocks = {name: row["block"] for name, row in sessions.rows.items()}
    spent = spending(gathered.calls, embeddings, blocks)
    verified.compare(folder / "spending.parquet", SPENDING, spent, "its calls")
    verified.compare(
        folder / "conduct.parquet", CONDUCT, conduct(gathered.calls, embeddings), "its calls"
    )


def _verify_log(log: Path, verified: Verified) -> None:
    """Compare what a stage made with the digests in its log."""
    verified.files.add(log)
    try:
        made = read_log(log)
    except (ValueError, OSError) as error:
        verified.find(
            log, f"{log} is damaged ({error}); delete what its stage made and start again."
        )
        return
    verified.made |= made
    for path, digest in made.items():
        if not path.is_file():
            verified.missing += 1
        elif sha256(verified.bytes_of(path)).hexdigest() != digest:
            verified.find(path, f"{path} is not what {log} says that was made; {MEND}.")


def _verify_spending(home: Path, verified: Verified, folders: Sequence[Path]) -> None:
    """Compare the ledger with what the replies in all journals of some folders have cost."""
    replies = [reply for folder in folders for reply in _replies(folder, verified)]
    paid = sum((reply.cost_usd or 0.0) + reply.faults_usd for reply in replies)
    ledger = home / LEDGER
    if not ledger.exists():
        return
    verified.files.add(ledger)
    try:
        booked = Ledger(ledger, None).spent_usd
    except DissensusError as error:
        verified.find(ledger, error)
        return
    if sentence := answers_elsewhere(ledger, paid):
        verified.notes.append(sentence)
    # It may have more: tries whose answer never arrived.
    if booked < paid - _ROUNDING_USD:
        verified.find(
            ledger,
            f"{ledger} has ${booked:,.6f} and the replies in the journals have cost ${paid:,.6f}; "
            "start again with a budget_usd, and what it lacks is added.",
        )


def _replies(results: Path, verified: Verified) -> Iterator[Reply]:
    """The replies in all journals, those of sessions long gone among them."""
    for path in journals(results):
        verified.files.add(path)
        try:
            yield from replies_in(path)
        except DissensusError as error:
            verified.find(path, error)

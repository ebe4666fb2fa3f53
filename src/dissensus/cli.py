"""The command ``dissensus``; what a study runs is Snakemake's, what stands beside it is here."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, NoReturn

from dissensus.audit.command import add_audit_options, audit
from dissensus.compare.command import add_comparing_options, compare
from dissensus.errors import DissensusError
from dissensus.keep.worlds import add_worlds_options, worlds
from dissensus.plan.registering.command import add_stamp_options
from dissensus.project.making import add_new_options, new
from dissensus.project.running import add_run_options, run
from dissensus.report.escaping import complain, line, say
from dissensus.shipped import home, is_checkout
from dissensus.validation.command import add_validation_options, validate

#: The package of ``dissensus serve``, which stands beside this one and imports it.
SERVER = "dissensus_serve"
_NO_SERVER = (
    f"`dissensus serve` is a package of its own, {SERVER}, which is not installed here; it is in "
    "src/ of the dissensus repository: `pip install -e .` there brings it."
)


#: What argparse says of a command that it does not know.
_UNKNOWN = re.compile(r"argument COMMAND: invalid choice: '(.+)' \(")


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        sentence = message[0].upper() + message[1:].rstrip(".")
        if unknown := _UNKNOWN.match(message):
            sentence = f"There is no command {unknown[1]}"
            if unknown[1].isidentifier():
                sentence += f" (a rule of the workflow is run by `dissensus run {unknown[1]}`)"
        self.exit(2, f"{line(sentence)}; `{self.prog} --help` lists what there is.\n")


#: Command -> what it does, and lines that can be typed after `make reproduce`.
_COMMANDS = {
    "run": (
        "run the project in this folder: Snakemake, with the workflow of dissensus",
        "dissensus run",
        "dissensus run plan",
        "dissensus run -n --configfile my.yaml",
        "dissensus run -- --keep-going --rerun-triggers params",
    ),
    "new": (
        "write a project that works at once, in a folder of its name",
        "dissensus new echo",
        "dissensus new mine --like judged_debate",
        "dissensus new chats --from turns.csv",
    ),
    "studies": ("list the studies that can be run here", "dissensus studies"),
    "settings": ("print all settings, with what each does", "dissensus settings > all.yaml"),
    "serve": (
        "put the simulated models behind real HTTP",
        "dissensus serve --port 8321 --latency 0.3 --faults 0.05",
    ),
    "read": (
        "print any session of a run, and what its models were sent",
        "dissensus read d001-zh --study language",
        "dissensus read d001-zh --study language --prompts --format md > d001-zh.md",
    ),
    "fork": (
        "say something else in one turn of a session, and ask only what comes after",
        "echo 'We measured it twice.' > said.txt",
        "dissensus fork d001-en --study language --turn 4 --say said.txt",
    ),
    "compare": (
        "put the same estimate of several runs, or of the panels of one, into one forest",
        "dissensus compare demo again --study language",
        "dissensus compare demo --study identity --over team",
    ),
    "audit": (
        "say what anybody's judges favour, how far they agree, and what their votes cannot tell",
        "dissensus audit examples/votes/votes.csv --column judge=grader --to audit.csv",
    ),
    "validate": (
        "say what others published, and what it is when their data go through this project",
        "dissensus validate --to docs/validation.md",
        "dissensus validate --fetched delidata=delitoolkit",
    ),
    "worlds": (
        "say the level, power and coverage of what a study declares, in simulated worlds",
        "dissensus worlds mine --null --n 500 --configfile mine.yaml",
    ),
    "sample": (
        "draw texts at random for people to label, without arms, models and what judges say",
        "dissensus sample demo --study mine --n 60 --seed 1 --to sample",
    ),
    "import": (
        "make a run of debates that others ran, from a table of their turns",
        "dissensus import chats.csv --run chats --column session=id --column speaker=who "
        "--column text=said",
        "dissensus import groups.csv --run both --always arm=people --always person=true",
    ),
    "export": (
        "write the sessions of a run for other tools",
        "dissensus export demo --study language --to turns --output turns.parquet",
    ),
    "stamp": (
        "note who else can say when a registered plan was there",
        "dissensus stamp demo --study language --query plan.tsq",
        "dissensus stamp demo --study language --answer answer.tsr --trust authority.pem",
        "dissensus stamp demo --study language --doi 10.5281/zenodo.123456",
        "dissensus stamp demo --study language --commit HEAD --remote origin",
    ),
    "replies": (
        "say how many replies of a run could be read, were repaired or are lost",
        "dissensus replies demo",
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; the exit code."""
    parser = _Parser(
        prog="dissensus",
        description="Multi-agent debates as designed experiments: made, run and read.",
        **_examples("dissensus read d001-zh --study language", "dissensus replies demo"),
    )
    parser.add_argument("--version", action="version", version=f"dissensus {version('dissensus')}")
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=_Parser, title="commands", metavar="COMMAND"
    )
    added = {
        name: commands.add_parser(name, help=about, description=about, **_examples(*lines))
        for name, (about, *lines) in _COMMANDS.items()
    }
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    if given[:1] == ["serve"]:
        # No other command waits for it to load, or needs it.
        if not find_spec(SERVER):
            complain(_NO_SERVER)
            return 1
        import_module(f"{SERVER}.options").add_options(added["serve"])
    _add_reading(added["read"])
    _add_forking(added["fork"])
    add_comparing_options(added["compare"])
    add_audit_options(added["audit"])
    add_validation_options(added["validate"])
    add_worlds_options(added["worlds"])
    _add_sampling(added["sample"])
    _add_importing(added["import"])
    _add_exporting(added["export"])
    add_stamp_options(added["stamp"])
    added["replies"].add_argument("run", help="its name, as under results/")
    add_run_options(added["run"])
    add_new_options(added["new"])
    _add_mapping(added["new"])
    # What stands after -- is for Snakemake.
    at = given.index("--") if "--" in given else len(given)
    chosen = parser.parse_args(given[:at])
    does = {
        "run": lambda chosen: run(chosen, given[at + 1 :]),
        **{"new": _new, "studies": _studies, "settings": _settings},
        **{"serve": serve, "read": read, "replies": replies, "fork": fork, "compare": compare},
        **{"sample": sample, "import": import_, "export": export, "stamp": stamp_, "audit": audit},
        **{"validate": validate, "worlds": worlds},
    }
    try:
        return does[chosen.command](chosen)
    except DissensusError as error:
        complain(error)
        return 1


def _examples(*lines: str) -> dict[str, Any]:
    """How a parser is made whose help ends with lines that work after `make reproduce`."""
    shown = "\n".join(f"  {line}" for line in lines)
    # They name the runs and the files of a checkout.
    when = ", after `make reproduce`" if is_checkout() else ""
    return {
        "epilog": f"examples{when}:\n{shown}",
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
    }


def _add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help="id of the session, such as d007-zh")
    parser.add_argument("--study", help="where several studies have such a session")
    parser.add_argument("--run", help="where several runs have it")


def _add_forking(parser: argparse.ArgumentParser) -> None:
    _add_session(parser)
    parser.add_argument("--turn", type=int, required=True, help="its number in the transcript")
    parser.add_argument("--speaker", default="", help="where several speak in that turn")
    parser.add_argument("--say", required=True, metavar="FILE", help="has the text that is said")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    _add_session(parser)
    parser.add_argument("--format", choices=("text", "md", "json"), default="text")
    parser.add_argument(
        "--prompts", action="store_true", help="what was sent, message by message, and each reply"
    )
    _add_configuration(parser, "; for --prompts")


def _add_sampling(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="its name, as under results/")
    parser.add_argument("--study", required=True, help="of one's own, which says what is labelled")
    parser.add_argument("--n", type=int, required=True, help="how many texts, at most")
    parser.add_argument("--seed", type=int, default=1, help="another one draws others")
    parser.add_argument("--to", default="sample", metavar="FOLDER", help="where they are written")
    _add_configuration(parser)


def _add_configuration(parser: argparse.ArgumentParser, use: str = "") -> None:
    parser.add_argument(
        "--configfile",
        nargs="+",
        metavar="FILE",
        default=[],
        help=f"over config.yaml, instead of the configuration that the run keeps{use}",
    )


def _add_importing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help=".csv, .xlsx, .parquet or .jsonl with a row a turn")
    parser.add_argument("--run", required=True, help="name of the run that it becomes")
    _add_mapping(parser)
    parser.add_argument("--add", action="store_true", help="to the files that the run has")


def _add_mapping(parser: argparse.ArgumentParser) -> None:
    """What a file of turns is, and what is taken from it."""
    parser.add_argument(
        "--format",
        default="turns",
        help="of the file: turns for a table, or one that docs/transcripts.md lists",
    )
    mapped: dict[str, Any] = {"action": "append", "default": [], "metavar": "FIELD=NAME"}
    parser.add_argument("--column", help="what the file calls a field of a turn", **mapped)
    parser.add_argument("--always", help="a field that all turns have alike", **mapped)
    parser.add_argument(
        "--keep", nargs="+", choices=("names", "times"), default=[], help="of people"
    )
    parser.add_argument("--embedder", default="", help="none leaves semantic measures out")


def _add_exporting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="its name, as under results/")
    parser.add_argument("--study", help="where the run has several")
    parser.add_argument("--to", required=True, choices=("turns", "inspect", "scout", "docent"))
    parser.add_argument("--output", required=True, type=Path, help="the file that is written")


def serve(chosen: argparse.Namespace) -> int:
    """Put the simulated models behind HTTP until a signal ends it."""
    code: int = import_module(f"{SERVER}.main").serve(chosen)
    return code


def _new(chosen: argparse.Namespace) -> int:
    """Write a project, and say how to go on."""
    from dissensus.study.makes import resolve
    from dissensus.study.registry import importer

    chosen.add = False
    say(new(chosen, lambda given: resolve(importer())(given)))
    return 0


def _studies(chosen: argparse.Namespace) -> int:
    """Print the studies that can be run here."""
    from dissensus.project.listing import studies

    say(studies())
    return 0


def _settings(chosen: argparse.Namespace) -> int:
    """Print the default settings with their comments."""
    _print((home() / "config.yaml").read_text(encoding="utf-8"))
    return 0


def import_(chosen: argparse.Namespace) -> int:
    """Check a file of turns, and write the configuration of its run."""
    from dissensus.study.makes import resolve
    from dissensus.study.registry import importer

    say(resolve(importer())(chosen))
    return 0


def export(chosen: argparse.Namespace) -> int:
    """Write the sessions of a study for another tool."""
    from dissensus.keep.exporting.command import export_study

    say(export_study(chosen.run, chosen.study, chosen.to, chosen.output))
    return 0


def replies(chosen: argparse.Namespace) -> int:
    """Print what became of a run's turns."""
    from dissensus.keep.reply_counts import reply_page

    print(reply_page(Path("results") / chosen.run), end="")
    return 0


def stamp_(chosen: argparse.Namespace) -> int:
    """Note an outside witness of a plan."""
    from dissensus.plan.registering.command import stamp

    say(stamp(chosen))
    return 0


def sample(chosen: argparse.Namespace) -> int:
    """Write a sample to label, and say what comes next."""
    from dissensus.keep.labelling import write_sample
    from dissensus.keep.reading import CONFIGURATION, configured_of

    folder = Path("results") / chosen.run / chosen.study
    files = [*CONFIGURATION, *chosen.configfile] if chosen.configfile else []
    settings = configured_of(folder, files)
    table, page = write_sample(folder, settings, chosen.n, chosen.seed, Path(chosen.to))
    setting = f"{chosen.study}.labels.file"
    say(
        [
            f"{page} is a page to read and click; {table} has the same texts.",
            f"Name the table with the labels as {setting}, and start the run again.",
        ]
    )
    return 0


def fork(chosen: argparse.Namespace) -> int:
    """Fork a session, and print the fork."""
    from dissensus.keep.forking import fork_session
    from dissensus.keep.reading import configured_of, find_session
    from dissensus.keep.reading_pages import page
    from dissensus.user_files import read_text

    folder = find_session(chosen.session, chosen.study, chosen.run)
    text = read_text(chosen.say)
    forked, place, made = fork_session(
        folder, configured_of(folder), chosen.session, chosen.turn, chosen.speaker, text
    )
    _print(page(forked, None, "text"))
    kept = f"{place}/journal.jsonl"
    complain(f"{made} calls were made, and {len(forked.calls) - made} answered by {kept}.")
    return 0


def read(chosen: argparse.Namespace) -> int:
    """Print a session."""
    from dissensus.keep.reading import (
        CONFIGURATION,
        configured_of,
        find_session,
        read_session,
        sent,
    )
    from dissensus.keep.reading_pages import fitted, page

    folder = find_session(chosen.session, chosen.study, chosen.run)
    messages = None
    if chosen.prompts:
        files = [*CONFIGURATION, *chosen.configfile] if chosen.configfile else []
        settings = configured_of(folder, files)
        messages = sent(folder, chosen.session, settings)
    text = page(read_session(folder, chosen.session), messages, chosen.format)
    if chosen.format == "text" and sys.stdout.isatty():
        text = fitted(text, get_terminal_size().columns)
    _print(text)
    return 0


def _print(text: str) -> None:
    """Write a text to standard output, which may be closed before its end."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has read enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

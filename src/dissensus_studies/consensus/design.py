"""The manifest: which statements are debated, who speaks in which order, and the order of arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.design.manifest import rows_of_draw, stream
from dissensus.digests import seed_of
from dissensus.errors import ResourceError
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, text, texts

from .domains import STATEMENTS, read_domain
from .sanity.questions import read_questions
from .wording import LEARNED

MANIFEST = Schema(
    name="manifest",
    row="session",
    columns={
        **common("session_id", "draw_id", "block"),
        "kind": text(
            "debate: one that is compared; training: one that CCAgent learns from; reflection: the "
            "look back on the best and worst agents of a domain's training debates; sanity: "
            "questions to its agents."
        ),
        **STATEMENTS.pick("statement_id", "domain", "split"),
        "arm": text("Name of the arm in the configuration; all where arms are pooled."),
        "strategy": text("How the arm debates; two arms may have the same."),
        "arm_order": text("Order in which the arms of the draw are run, as in a>b>c."),
        **common("position", "agents"),
        "order": texts("Agents in the order in which they are shown, the same in every arm."),
        "rounds": count("How many rounds the debate has at most."),
        **common("seed"),
    },
    key=("session_id",),
)

DEBATE, TRAINING, REFLECTION, SANITY = "debate", "training", "reflection", "sanity"
#: The columns that name a session.
IDS = MANIFEST.pick("session_id", "draw_id", "statement_id", "domain", "arm")


def draw(
    statements: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int
) -> list[dict[str, Any]]:
    """Draw every session; see :class:`dissensus.study.study.Manifest`.

    Of every domain so many statements are drawn without replacement, and each is one draw in each
    repeat: the same statement, agents and order of speaking in every arm. Domains take turns, so
    that a study with more statements keeps the draws that it has. Arms that learn wait for what
    they learn from, and for no other arm. Where there are any, training debates are drawn likewise
    of the statements of that split, and each domain has a session that looks back on them. Where a
    domain has questions, its agents are checked in a session for each condition. Sessions that are
    about no statement stand under the first of their domain.

    Parameters
    ----------
    statements : statement_id -> row of :data:`~.domains.STATEMENTS`.
    settings : domains, splits, statements, repeats, rounds, block_size, arms (name ->
        strategy), of learning its statements and arms, and checks by condition.
    seed : of the run.

    Raises
    ------
    ResourceError : a domain has fewer statements than are to be drawn.
    """
    compared = _Debates(
        DEBATE, settings["arms"], settings["splits"], settings["statements"], "consensus.statements"
    )
    rows = _draw_debates(compared, statements, settings, seed)
    if any(strategy in LEARNED for strategy in settings["arms"].values()):
        training = _Debates(
            TRAINING,
            settings["learning.arms"],
            ["train"],
            settings["learning.statements"],
            "consensus.learning.statements",
            letter="t",
        )
        earlier = _draw_debates(training, statements, {**settings, "repeats": 1}, seed)
        rows += earlier
        rows += [_alone(REFLECTION, name, [], statements, seed) for name in settings["domains"]]
    for name, folder in settings["domains"].items():
        names = read_domain(folder).names
        if read_questions(folder, tuple(names)):
            rows += [_alone(SANITY, name, names, statements, seed, c) for c in settings["checks"]]
    return sorted(rows, key=lambda row: str(row["session_id"]))


@dataclass(frozen=True)
class _Debates:
    """Debates of one kind: in which arms, and on which and how many statements of each domain.

    ``setting`` is what says how many, ``letter`` how their ids begin.
    """

    kind: str
    arms: Mapping[str, str]
    splits: Sequence[str]
    statements: int | None
    setting: str
    letter: str = "c"


def _draw_debates(
    debates: _Debates,
    statements: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    seed: int,
) -> list[dict[str, Any]]:
    domains = settings["domains"]
    drawn = {name: _drawn(debates, name, domains[name], statements, seed) for name in domains}
    agents = {name: read_domain(folder).names for name, folder in domains.items()}
    longest = max(map(len, drawn.values()))
    chosen = [
        (name, some[place])
        for _ in range(settings["repeats"])
        for place in range(longest)
        for name, some in drawn.items()
        if place < len(some)
    ]
    learned = sorted(arm for arm, strategy in debates.arms.items() if strategy in LEARNED)
    others = sorted(set(debates.arms) - set(learned))
    streams = ("consensus",) if debates.kind == DEBATE else ("consensus", debates.kind)
    rows = []
    for index, (domain, statement) in enumerate(chosen):
        rng = stream(seed, *streams, index)
        shared = {
            "kind": debates.kind,
            "statement_id": statement["statement_id"],
            "domain": domain,
            "split": statement["split"],
            "order": [str(name) for name in rng.permutation(agents[domain])],
            "agents": len(agents[domain]),
            "rounds": settings["rounds"],
        }
        order = [str(arm) for arm in rng.permutation(others)]
        shared["arm_order"] = ">".join(order)
        place = (index, len(chosen))
        form = {"letter": debates.letter, "block_size": settings["block_size"]}
        rows += rows_of_draw(*place, order, seed, shared, **form)
        # They begin together, once there is what they learn from.
        late = rows_of_draw(*place, learned, seed, shared, **form)
        rows += [row | {"position": 1} for row in late]
    return [row | {"strategy": debates.arms[row["arm"]]} for row in rows]


def _alone(
    kind: str,
    domain: str,
    agents: Sequence[str],
    statements: Mapping[str, Mapping[str, Any]],
    seed: int,
    condition: str = "",
) -> dict[str, Any]:
    """A session of a domain that is no debate."""
    name = "-".join(filter(None, (kind, domain, condition)))
    first = next(row for row in statements.values() if row["domain"] == domain)
    return {
        "session_id": name,
        "draw_id": name,
        "block": 1,
        "kind": kind,
        "statement_id": first["statement_id"],
        "domain": domain,
        "split": first["split"],
        "arm": condition or kind,
        "strategy": kind,
        "arm_order": "",
        "position": 1,
        "agents": len(agents),
        "order": list(agents),
        "rounds": 0,
        "seed": seed_of(seed, name),
    }


def _drawn(
    debates: _Debates,
    domain: str,
    folder: str,
    statements: Mapping[str, Mapping[str, Any]],
    seed: int,
) -> list[Mapping[str, Any]]:
    """The statements of a domain that are debated, in a random order."""
    of_domain = [row for row in statements.values() if row["domain"] == domain]
    of_domain = [row for row in of_domain if row["split"] in debates.splits]
    wanted = debates.statements
    if not of_domain or (wanted and wanted > len(of_domain)):
        raise ResourceError(
            f"{folder}/statements.csv has {len(of_domain)} statements of "
            f"{' and '.join(debates.splits)}, and {debates.setting} wants "
            f"{wanted or 'all'}; add some, or take fewer."
        )
    name = "statements" if debates.kind == DEBATE else debates.kind
    order = stream(seed, name, domain).permutation(len(of_domain))
    return [of_domain[int(place)] for place in order[: wanted or len(of_domain)]]

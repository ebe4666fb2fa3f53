"""The manifest: which statements are debated, who speaks in which order, and the order of arms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.consensus.domains import STATEMENTS, read_domain
from dissensus.design.manifest import rows_of_draw, stream
from dissensus.errors import ResourceError
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, text, texts

MANIFEST = Schema(
    name="manifest",
    row="session",
    columns={
        **common("session_id", "draw_id", "block"),
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

#: The columns that name a session.
IDS = MANIFEST.pick("session_id", "draw_id", "statement_id", "domain", "arm")


def draw(
    statements: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int
) -> list[dict[str, Any]]:
    """Draw every session; see :class:`dissensus.study.study.Manifest`.

    Of every domain so many statements are drawn without replacement, and each is one draw in each
    repeat: the same statement, agents and order of speaking in every arm. Domains take turns, so
    that a study with more statements keeps the draws that it has.

    Parameters
    ----------
    statements : statement_id -> row of :data:`~dissensus.consensus.domains.STATEMENTS`.
    settings : domains, splits, statements, repeats, rounds, block_size and arms (name ->
        strategy).
    seed : of the run.

    Raises
    ------
    ResourceError : a domain has fewer statements than are to be drawn.
    """
    drawn = {name: _drawn(name, statements, settings, seed) for name in settings["domains"]}
    agents = {name: read_domain(folder).names for name, folder in settings["domains"].items()}
    longest = max(map(len, drawn.values()))
    chosen = [
        (name, some[place])
        for _ in range(settings["repeats"])
        for place in range(longest)
        for name, some in drawn.items()
        if place < len(some)
    ]
    arms, rows = sorted(settings["arms"]), []
    for index, (domain, statement) in enumerate(chosen):
        rng = stream(seed, "consensus", index)
        shared = {
            "statement_id": statement["statement_id"],
            "domain": domain,
            "split": statement["split"],
            "order": [str(name) for name in rng.permutation(agents[domain])],
            "agents": len(agents[domain]),
            "rounds": settings["rounds"],
        }
        order = [str(arm) for arm in rng.permutation(arms)]
        shared["arm_order"] = ">".join(order)
        rows += rows_of_draw(
            index,
            len(chosen),
            order,
            seed,
            shared,
            letter="c",
            block_size=settings["block_size"],
        )
    strategies = settings["arms"]
    rows = [row | {"strategy": strategies[row["arm"]]} for row in rows]
    return sorted(rows, key=lambda row: str(row["session_id"]))


def _drawn(
    domain: str,
    statements: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    seed: int,
) -> list[Mapping[str, Any]]:
    """The statements of a domain that are debated, in a random order."""
    own = [row for row in statements.values() if row["domain"] == domain]
    own = [row for row in own if row["split"] in settings["splits"]]
    wanted = settings["statements"]
    if not own or (wanted and wanted > len(own)):
        raise ResourceError(
            f"{settings['domains'][domain]}/statements.csv has {len(own)} statements of "
            f"{' and '.join(settings['splits'])}, and consensus.statements wants "
            f"{wanted or 'all'}; add some, or take fewer."
        )
    order = stream(seed, "statements", domain).permutation(len(own))
    return [own[int(place)] for place in order[: wanted or len(own)]]

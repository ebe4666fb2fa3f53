"""The consensus study, declared: what a strategy of debate does to agreement."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

from dissensus.consensus.design import IDS
from dissensus.consensus.domains import Domain, read_domain
from dissensus.consensus.figures import FIGURES, HEADLINE, TABLES
from dissensus.consensus.protocol import VOTER, Debate, Persona
from dissensus.consensus.reader import READER
from dissensus.consensus.settings import ConsensusSettings
from dissensus.consensus.wording import EXTRAS, SIDES, STRATEGIES, Words
from dissensus.digests import digest
from dissensus.session.inputs import Inputs
from dissensus.session.prompt_files import check_filled, read_prompts
from dissensus.session.protocol import (
    PLACEHOLDER,
    Call,
    Decoding,
    Steps,
    assumed_calls,
    round_label,
)
from dissensus.study.study import Diagnosis, Manifest, ModelUse, Row, Source, Study

#: When a session runs, and of which split its statement is, changes nothing about it.
_LEFT_OUT = ("block", "arm_order", "position", "split", "agents")


class Consensus(Study[ConsensusSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "consensus"
    Settings = ConsensusSettings
    question = "Which way of debating brings agents to agree, and at what price?"
    ids = IDS
    arm = "arm"
    protocol = "dissensus.consensus.protocol"
    source = Source(
        "dissensus.consensus.domains:collect",
        settings=("domains",),
        files=("domains",),
        artefact="statements",
        key="statement_id",
        schema="dissensus.consensus.domains:STATEMENTS",
    )
    manifest = Manifest(
        "dissensus.consensus.design:draw",
        settings=("domains", "splits", "statements", "repeats", "rounds", "block_size", "arms"),
        files=("domains",),
        schema="dissensus.consensus.design:MANIFEST",
    )
    embedding_calls = ("embedding_calls",)
    counting = (
        "Debates are counted at all their rounds, and those that agree sooner cost less; of each "
        "agent two explanations are embedded."
    )
    view = ("reference", "inference.confidence", "arms", "domains", "rounds")
    figures = FIGURES
    tables = TABLES
    headline = HEADLINE
    reader = READER
    diagnosis = Diagnosis(
        "dissensus.consensus.diagnosis:diagnose",
        settings=(
            *("domains", "splits", "statements", "repeats", "rounds", "arms"),
            *("diagnosis", "inference.confidence"),
        ),
        files=("domains",),
    )

    def models(self) -> list[ModelUse]:
        used = [ModelUse("model", "debate", [self.settings.model])]
        if any(strategy in (*EXTRAS, *SIDES) for strategy in self.settings.arms.values()):
            used.append(ModelUse("extra_model", "extra", [self.settings.extra_model]))
        return used

    def embedders(self) -> list[tuple[str, str]]:
        return [("embedder", self.settings.embedder)]

    def embedded(self, call: Call) -> int:
        ends = (round_label(1), round_label(self.settings.rounds))
        return int(call.role == VOTER and call.round_label in ends)

    def spec(self, row: Row, item: Row) -> dict[str, Any]:
        """Of the statement, what the public prefers only where a nudger is told it."""
        settings, strategy = self.settings, row["strategy"]
        domain = self._domains[row["domain"]]
        agents = {agent.id: agent for agent in domain.agents}
        extra, told = strategy in EXTRAS, strategy == "nudger"
        return {
            **{name: value for name, value in row.items() if name not in _LEFT_OUT},
            "statement": item["statement"],
            "personas": [agents[name].model_dump() for name in row["order"]],
            "told": [domain.where, domain.place, ", ".join(domain.names)]
            if extra
            else ["", "", ""],
            "truth": item["truth"] if told else "",
            "secret": list(range(item["truth_low"], item["truth_high"] + 1)) if told else [],
            "side": [settings.side_rounds, settings.experts] if strategy in SIDES else [0, 0],
            "asked": [settings.model, settings.extra_model if strategy in _ASKED else ""],
            "words_sha256": digest(self._words.used_by(strategy)),
        }

    def cast(self, row: Row) -> list[str]:
        settings = self.settings
        return [settings.model, *[settings.extra_model] * (row["strategy"] in _ASKED)]

    def kind(self, row: Row) -> Hashable:
        """Arms of one strategy ask the same; who is shown first changes no count."""
        return row["strategy"], row["statement_id"]

    def steps(self, spec: Row, inputs: Inputs) -> Callable[[], Steps]:
        return Debate(
            words=self._words,
            strategy=spec["strategy"],
            statement=spec["statement"],
            agents={
                one["id"]: Persona(
                    one["system"],
                    tuple((pair["question"], pair["answer"]) for pair in one["interview"]),
                )
                for one in spec["personas"]
            },
            where=spec["told"][0],
            place=spec["told"][1],
            names=spec["told"][2],
            truth=spec["truth"],
            secret=tuple(spec["secret"]),
            rounds=spec["rounds"],
            side_rounds=spec["side"][0],
            experts=spec["side"][1],
            model=spec["asked"][0],
            extra_model=spec["asked"][1],
            decoding=Decoding.of(spec["protocol"]),
        ).start()

    @cached_property
    def _words(self) -> Words:
        return read_prompts(Words, self.settings.prompts)

    @cached_property
    def _domains(self) -> dict[str, Domain]:
        return {name: read_domain(folder) for name, folder in self.settings.domains.items()}

    def compile_prompts(self) -> None:
        """Two rounds of every strategy, in which nobody agrees and everything is said."""
        persona = Persona(PLACEHOLDER, ((PLACEHOLDER, PLACEHOLDER),))
        for strategy in STRATEGIES:
            debate = Debate(
                words=self._words,
                strategy=strategy,
                statement=PLACEHOLDER,
                agents={"a": persona, "b": persona, "c": persona},
                where=PLACEHOLDER,
                place=PLACEHOLDER,
                names=PLACEHOLDER,
                truth=PLACEHOLDER,
                secret=(),
                rounds=3,
                side_rounds=2,
                experts=2,
                model=PLACEHOLDER,
                extra_model=PLACEHOLDER,
                decoding=Decoding.of(self.settings.protocol.model_dump()),
            )
            check_filled(assumed_calls(debate.start()()), self.settings.prompts)

    def summary(self) -> str:
        settings = self.settings
        counted = "all" if settings.statements is None else str(settings.statements)
        return (
            f"{self.question} Stakeholders vote on a statement at once, read each other and vote "
            f"again, until they agree or {settings.rounds} rounds are over. {counted} statements "
            f"of {len(settings.domains)} domains are each debated in {len(settings.arms)} arms, "
            f"by the same agents in the same order, and compared with {settings.reference}."
        )


#: Strategies that ask the model of those who have no vote.
_ASKED = (*EXTRAS, *SIDES)

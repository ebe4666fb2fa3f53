"""The union study, declared: personas who debate, three layers of judging, and who coaches whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.session.inputs import Inputs, PlaceholderInputs
from dissensus.session.prompt_files import check_filled
from dissensus.session.protocol import PLACEHOLDER, Call, Decoding, Steps, assumed_calls
from dissensus.study.kind import Needs, Row
from dissensus.study.study import Diagnosis, Manifest, Source, Study
from dissensus.union.expected import ExpectedInputs
from dissensus.union.figures import FIGURES, HEADLINE, TABLES
from dissensus.union.map.extra import check_projection
from dissensus.union.prompts import Wording
from dissensus.union.protocol import (
    Coaching,
    Draw,
    Models,
    Rules,
    coach,
    debate,
    describe,
    exact,
    name_clusters,
)
from dissensus.union.protocol.debate import PASSAGES_FILE
from dissensus.union.protocol.examples import COMPILED, example_reply
from dissensus.union.protocol.floor import SEATS
from dissensus.union.protocol.gates import Gate, Place, accepted
from dissensus.union.protocol.judging import CLAIMS_OF_A_SPEECH
from dissensus.union.protocol.names import CLUSTERS_FILE, EXPECTED_CLUSTERS, MAP_FILE
from dissensus.union.protocol.parts import PARTS, debate_parts
from dissensus.union.protocol.style import CHUNKS_FILE
from dissensus.union.reader import READER
from dissensus.union.settings import UnionSettings
from dissensus.union.tables import COACHED, IDS, SIDES


class Union(Study[UnionSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "union"
    Settings = UnionSettings
    question = "Who wins a debate between personas, and how far can its judges be trusted?"
    ids = IDS
    protocol = "dissensus.union.protocol"
    #: A session waits for what it reads, and for nothing else.
    sequential = False
    source = Source(
        "dissensus.union.motions:collect",
        settings=("motions", "speakers", "corpus.chunk", "corpus.overlap", "corpus.largest_mb"),
        files=("motions", "speakers"),
        artefact="motions",
        key="motion_id",
        schema="dissensus.union.tables:MOTIONS",
        also=("documents", "chunks"),
    )
    manifest = Manifest(
        "dissensus.union.design.manifest:draw",
        settings=("epochs", "runs", "arms", "map.namer"),
        schema="dissensus.union.tables:MANIFEST",
    )
    view = ("epochs", "inference.confidence")
    figures = FIGURES
    tables = TABLES
    headline = HEADLINE
    truth = "dissensus.union.figures.truth:effects"
    reader = READER
    embedding_calls = ("passage_calls", "map_calls")
    counting = (
        "Calls of interject are counted at most: every speech is taken to have three arguments or "
        "more, and to be offered as many points of information as it may. Rebuttals that are asked "
        f"for once more are not counted. Assumed are {CLAIMS_OF_A_SPEECH} claims a speech, "
        "passages like the rest of the speaker's corpus, and, if a model names them, "
        f"{EXPECTED_CLUSTERS} clusters of claims on a motion."
    )
    diagnosis = Diagnosis(
        "dissensus.union.inference.diagnosis:diagnose",
        settings=(
            *("epochs", "runs", "arms", "judges", "prompts", "judging", "protocol"),
            *("diagnosis", "inference.confidence"),
        ),
        files=("prompts", "judging"),
    )

    def check(self, models: Mapping[str, Any], source: Mapping[str, Row]) -> None:
        """Refuse motions without two equal sides, coaching of nobody, and a map without UMAP."""
        settings = self.settings
        check_projection(settings.map.projection)
        for name, motion in source.items():
            sides = [len(motion[side]) for side in SIDES]
            if not sides[0] or sides[0] != sides[1]:
                raise ResourceError(
                    f"{settings.motions}: the motion {name!r} has {sides[0]} speakers for it and "
                    f"{sides[1]} against it; give both sides equally many."
                )
            if COACHED in settings.arms and settings.epochs > 1 and not motion["students"]:
                raise ResourceError(
                    f"{settings.motions}: the motion {name!r} has no students, whom the arm "
                    f"{COACHED!r} of union.arms coaches; name one, or leave that arm out."
                )

    def spec(self, row: Row, item: Row) -> dict[str, Any]:
        """Of motion, wording and models, what a session of its kind is told and asks.

        How the verdict is made of the judges' replies is none of it.
        """
        kind = row["kind"]
        if kind == "debate":
            return self._debate_spec(row, item)
        told: dict[str, Any] = {"model": self._asked[kind]}
        if kind == "style":
            told["speakers"] = sorted(name for side in SIDES for name in item[side])
        elif kind == "memo":
            told["motion"] = {name: item[name] for name in ("motion", *SIDES, "students")}
            told["debates"] = list(self.needs(row).sessions)
        else:
            told["motion"] = item["motion"]
        return told | {"wording_sha256": self._wording.sha256(*PARTS[kind])}

    @property
    def _asked(self) -> dict[str, str]:
        """Kind of session that asks one model -> that model."""
        settings = self.settings
        return {
            "style": settings.extractor,
            "memo": settings.coach,
            "names": settings.map.namer or "",
        }

    def _debate_spec(self, row: Row, item: Row) -> dict[str, Any]:
        settings, memos = self.settings, _memos(row)
        told = debate_parts(settings.protocol, coached=bool(memos))
        return {
            "draw": {
                "motion_id": row["motion_id"],
                "motion": item["motion"],
                "proposition": sorted(item["proposition"]),
                "order": list(row["order"]),
                "lenses": [int(lens) for lens in row["lenses"]],
                "draw_seed": row["draw_seed"],
                "passages": settings.protocol.passages,
                "styles": _styles(row),
                "memos": memos,
                "coached": sorted(item["students"]) if memos else [],
            },
            "roles": self._roles,
            "wording_sha256": self._wording.sha256(*told),
        }

    @property
    def _roles(self) -> dict[str, Any]:
        """Who is asked for what in a debate; see :class:`dissensus.union.protocol.Models`."""
        settings, judges = self.settings, self.settings.judges
        return {
            "speaker": settings.speaker_model,
            "extractor": settings.extractor,
            "interjector": settings.interjector if settings.protocol.points else "",
            "annotator": settings.annotator,
            "judges": [judges[seat % len(judges)] for seat in range(SEATS)],
        }

    def cast(self, row: Row) -> list[str]:
        if row["kind"] != "debate":
            return [self._asked[row["kind"]]]
        roles = self._roles
        named = [roles[name] for name in ("speaker", "extractor", "interjector", "annotator")]
        return [name for name in dict.fromkeys([*named, *roles["judges"]]) if name]

    def kind(self, row: Row) -> tuple[str, ...]:
        """Whatever the order of the speeches and the lenses are; how many points are taken."""
        taken = self._points_taken(row) if row["kind"] == "debate" else 0
        return (row["kind"], row["motion_id"], str(bool(_memos(row))), str(taken))

    def _points_taken(self, row: Row) -> int:
        """How many points of information a debate answers, where as many are offered as can be."""
        gate, count = Gate.of(self.settings.protocol.model_dump()), len(row["order"])
        places = (Place(row["draw_seed"], number, count) for number in range(1, count + 1))
        return sum(sum(accepted(place, gate)) for place in places)

    def expected_inputs(self, folder: Path) -> Inputs:
        return ExpectedInputs(self.settings.protocol.max_tokens, folder)

    def embedded(self, call: Call) -> int:
        """The claims of a speech, for the map."""
        return CLAIMS_OF_A_SPEECH if call.role == "claims" else 0

    def embedded_first(self, folder: Path) -> list[str]:
        """The chunks of all speakers, and what is asked of them, for the passages."""
        return ExpectedInputs(None, folder).searched()

    def part(self, row: Row) -> int:
        """Clusters are named when all has been said."""
        return int(row["kind"] == "names")

    def needs(self, row: Row) -> Needs:
        """Corpora for styles; the coached debates of the epoch before for a memo; the map."""
        if row["kind"] == "names":
            return Needs(artefacts=(CLUSTERS_FILE, MAP_FILE))
        if row["kind"] == "style":
            return Needs(artefacts=(CHUNKS_FILE,))
        if row["kind"] == "memo":
            before = f"{row['motion_id']}-e{row['epoch'] - 1}"
            runs = range(1, self.settings.runs + 1)
            return Needs(sessions=tuple(f"{before}-r{run:02d}-{COACHED}" for run in runs))
        return Needs(
            sessions=tuple(filter(None, (_styles(row), _memos(row)))), artefacts=(PASSAGES_FILE,)
        )

    def steps(self, spec: Row, inputs: Inputs) -> Callable[[], Steps]:
        wording, protocol = self._wording, spec["protocol"]
        if spec["kind"] == "style":
            return describe(wording, spec["speakers"], spec["model"], exact(protocol), inputs)
        if spec["kind"] == "memo":
            coaching = Coaching(spec["motion"], spec["debates"])
            return coach(wording, coaching, spec["model"], Decoding.of(protocol), inputs)
        if spec["kind"] == "names":
            motion = spec["motion_id"], spec["motion"]
            short = Rules.of(protocol).exact_short
            return name_clusters(wording, motion, spec["model"], short, inputs)
        models, rules = Models.of(spec["roles"]), Rules.of(protocol)
        return debate(wording, Draw.of(spec["draw"]), models, rules, inputs)

    @cached_property
    def _wording(self) -> Wording:
        return Wording.read(self.settings.prompts, self.settings.judging)

    def compile_prompts(self) -> None:
        """Every kind of session, with a debate that uses every part of the wording."""
        settings, inputs = self.settings, PlaceholderInputs()
        protocol = settings.protocol.model_dump()
        rules, models = Rules.of(protocol), Models.of(self._roles)
        wording, decoding = self._wording, exact(protocol)
        coaching = Coaching(COMPILED.motion, ("",))
        for steps in (
            describe(wording, COMPILED.draw.order, PLACEHOLDER, decoding, inputs),
            coach(wording, coaching, PLACEHOLDER, decoding, inputs),
            name_clusters(wording, ("", PLACEHOLDER), PLACEHOLDER, decoding, inputs),
            debate(wording, COMPILED.draw, models, rules, inputs),
        ):
            files = f"{settings.prompts}, {settings.judging}"
            check_filled(assumed_calls(steps(), example_reply), files)

    def summary(self) -> str:
        settings = self.settings
        return (
            f"{self.question} Personas made from corpora debate a motion in {settings.epochs} "
            f"epochs of {settings.runs} runs in each of {len(settings.arms)} arms. A rubric, an "
            "annotation with a tally, a blind panel in two passes with the sides swapped, and the "
            "survival of claims judge each debate; the judges are audited."
        )


def _styles(row: Row) -> str:
    """The session that describes the speakers of a motion."""
    return f"{row['motion_id']}-e0-style"


def _memos(row: Row) -> str:
    """The session with the memos that a debate's students read; "" where there is none."""
    is_coached = row["kind"] == "debate" and row["arm"] == COACHED and row["epoch"] > 1
    return f"{row['motion_id']}-e{row['epoch']}-memo" if is_coached else ""

"""Stages that a study declares: what a rule reads, makes and is told follows from its function.

The function is one of :mod:`dissensus.study.makes`. A parameter that is called like an artefact of
the study is an input, what ``@makes`` names is made, and all others are settings. The source is
parsed and not imported: each start of Snakemake reads all of them, and needs none of what they do.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from dissensus.errors import SettingError
from dissensus.settings import Settings
from dissensus.study.makes import StageFunction
from dissensus.study.settings import pick, plain

#: What every session leaves, gathered by shards.
OF_SHARD = ("turns", "outcomes", "calls", "attempts")
#: What the core makes of all sessions of a study, besides its source.
OF_STUDY = ("manifest", "turns", "outcomes")
_LOOKS = "looks"
_TABLE = ".parquet"
#: The template of a page's caption as a parameter, and the caption as an output.
CAPTION = "caption"
#: Of a stage that makes something of one session: what was said in it.
_TRANSCRIPT = "transcript"
#: The parameters of a function that asks for embeddings.
_EMBEDS = ("embed", "embedder_of")


@dataclass(frozen=True)
class Page:
    """A page among the results, with a caption that the stage writes beside it.

    The template is called like the page's file, in the folder ``captions`` of the study; the
    function has it as the parameter ``caption``, and makes ``caption``.

    Attributes
    ----------
    output : of the stage, that is the page.
    title : what the report of Snakemake calls it.
    section : of that report, such as "3 Map".
    """

    output: str
    title: str
    section: str


@dataclass(frozen=True)
class Stage(StageFunction):
    """A measure, an estimate or a page: a rule of the workflow.

    Attributes
    ----------
    message : what it does, in a sentence that ``snakemake --list`` shows.
    name : of its rule; that of the function where it is empty.
    computed : settings that no path in the study's block leads to: parameter -> plain data.
    reads : parameter -> the file, or files, that settings name for it.
    named : parameter or output -> its file in the study's folder, where this is not
        ``<name>.parquet``.
    further : artefacts that it reads besides, of a function that takes the paths of any.
    part : artefact -> the part of the manifest whose sessions are read alone, as soon as they have
        ended.
    lasting : artefacts of which a later change does not have it run again, such as a manifest that
        only grew.
    each_shard : whether it runs on every shard by itself, as soon as that has ended.
    each_session : whether it makes files of one session, by whose name they are asked for: they
        have ``{session}`` in their names, and the function the parameters ``session`` and, where
        it reads its turns alone, ``transcript``.
    first : of these, the kind of session of which the first is made in every run; "" for none.
    page : the page that it makes; None where that has no caption.
    on_node : whether it takes long; on a cluster it then runs on a node, else where Snakemake does.
    also : further ``module:name`` whose code it depends on.
    """

    message: str = ""
    name: str = ""
    computed: Mapping[str, Any] = field(default_factory=dict)
    reads: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    further: tuple[str, ...] = ()
    part: Mapping[str, int] = field(default_factory=dict)
    lasting: tuple[str, ...] = ()
    each_shard: bool = False
    each_session: bool = False
    first: str = ""
    page: Page | None = None
    on_node: bool = False
    also: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return self.name or self.function.partition(":")[2]

    def log(self, rule: str) -> str:
        """The name of its log; one of each shard, or session, that it runs on by itself."""
        if self.each_shard:
            return f"{rule}/{{shard}}.log"
        return f"{rule}/{{session}}.log" if self.each_session else f"{rule}.log"

    def file(self, name: str) -> str:
        """The file of a parameter or an output, in the study's folder or in that of a shard."""
        if self.page and name == CAPTION:
            return f"captions/{self.caption}.rst"
        return self.named.get(name, f"{name}.parquet")

    @property
    def caption(self) -> str:
        """The name of its page's caption; "" where it has none."""
        return Path(self.file(self.page.output)).stem if self.page else ""


@dataclass(frozen=True)
class Input:
    """What a stage reads under the name of a parameter.

    Attributes
    ----------
    kind : "file" of the study's folder, "shard" for that of its own shard, "shards" for one of
        every shard, "looks" at a study that may stop, "caption" for a template of a caption,
        "session" for the manifest that has the session, "given" for files that settings name.
    file : of the first; the artefact of the next two; the caption's name; of the last where that
        is a single one.
    files : of the last where there are several.
    part : of the manifest, of which alone the shards are; None for all.
    lasting : whether a later change of it is of no matter.
    """

    kind: Literal["file", "shard", "shards", "looks", "caption", "session", "given"]
    file: str = ""
    files: tuple[str, ...] = ()
    part: int | None = None
    lasting: bool = False


@dataclass(frozen=True)
class Signature:
    """What a function says of itself, without being imported.

    Attributes
    ----------
    parameters : in their order, without those that gather the rest.
    makes : the outputs that ``@makes`` names.
    """

    parameters: tuple[str, ...]
    makes: tuple[str, ...]

    @property
    def embeds(self) -> bool:
        """Whether it asks for embeddings."""
        return not set(_EMBEDS).isdisjoint(self.parameters)


@cache
def signature_of(function: str) -> Signature:
    """Parse a function.

    Parameters
    ----------
    function : ``module:name``.

    Raises
    ------
    SettingError : there is no such function, or none that says what it makes.
    """
    module, _, name = function.partition(":")
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise SettingError(f"The stage {function!r} names a module that there is not; correct it.")
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            made = _made(node)
            if made is None:
                raise SettingError(
                    f"{spec.origin}: {name} is a stage and does not say what it makes; decorate it "
                    "with @makes, a keyword for each output."
                )
            given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            return Signature(tuple(each.arg for each in given), made)
    raise SettingError(f"{spec.origin} has no function {name}, which a stage names; correct it.")


def _made(node: ast.FunctionDef) -> tuple[str, ...] | None:
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") == "makes":
            return tuple(str(keyword.arg) for keyword in each.keywords)
    return None


def outputs_of(stage: Stage) -> dict[str, str]:
    """Output -> its file, of what the function makes."""
    return {name: stage.file(name) for name in signature_of(stage.function).makes}


def inputs_of(stage: Stage, stages: Iterable[Stage], source: Collection[str]) -> dict[str, Input]:
    """Parameter -> what it reads, of those that are no settings.

    Parameters
    ----------
    stages : all of the study, which make what this one may read.
    source : the artefacts that the study's manifest is drawn from.
    """
    return dict(_inputs(stage, *_artefacts(stages, source)))


def _inputs(
    stage: Stage, whole: Collection[str], by_shard: Collection[str]
) -> Iterator[tuple[str, Input]]:
    own = {Path(file).stem for file in outputs_of(stage).values() if file.endswith(_TABLE)}
    for name in (*signature_of(stage.function).parameters, *stage.further):
        artefact = Path(stage.file(name)).stem
        lasting = name in stage.lasting
        if name in stage.reads:
            files = stage.reads[name]
            if isinstance(files, str):
                yield name, Input("given", files)
            else:
                yield name, Input("given", files=(*files,))
        elif name == _LOOKS:
            yield name, Input("looks")
        elif name == CAPTION and stage.page:
            yield name, Input("caption", stage.caption)
        elif stage.each_session and name == _TRANSCRIPT:
            yield name, Input("file", "transcripts/{session}.parquet")
        elif stage.each_session and artefact == "manifest":
            yield name, Input("session")
        elif stage.each_shard and artefact in by_shard:
            yield name, Input("shard", artefact)
        elif name in stage.part:
            yield name, Input("shards", artefact, part=stage.part[name])
        elif artefact in whole and (artefact not in own or stage.each_shard):
            # A manifest that grew has other shards, and leaves those that there are.
            yield name, Input("file", stage.file(name), lasting=lasting or stage.each_shard)
        elif artefact in by_shard:
            yield name, Input("shards", artefact)


def _artefacts(stages: Iterable[Stage], source: Collection[str]) -> tuple[set[str], set[str]]:
    """The artefacts of a study as a whole, and those of every shard."""
    whole = {*source, *OF_STUDY}
    by_shard = {*OF_SHARD}
    for stage in stages:
        made = {Path(file).stem for file in outputs_of(stage).values() if file.endswith(_TABLE)}
        (by_shard if stage.each_shard else whole).update(made)
    return whole, by_shard


def settings_of(block: Settings, stage: Stage, seed: int) -> dict[str, Any]:
    """What the function is told: settings by the last names of their paths, and those computed.

    Parameters
    ----------
    block : the study's.
    seed : the run's, which it is told if it takes one, or if its settings name it.
    """

    paths = [path for path in stage.settings if path != "seed"]
    picked = pick(block, paths)
    told = {path.rpartition(".")[2]: value for path, value in picked.items()}
    if len(paths) < len(stage.settings) or "seed" in signature_of(stage.function).parameters:
        told["seed"] = seed
    return dict(plain({**told, **stage.computed}))


def planted_speech(
    models: Mapping[str, Mapping[str, Any]], behaviour: str = ""
) -> dict[str, dict[str, Any]]:
    """Model -> settings of how it speaks, of those that are simulated.

    Parameters
    ----------
    models : name -> settings.
    behaviour : the module that they must be simulated by; any where it is "".
    """
    return {
        name: dict(model.get("speech") or {})
        for name, model in sorted(models.items())
        if model["provider"] == "simulated" and model.get("behaviour", "").startswith(behaviour)
    }

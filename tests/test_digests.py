"""A stage's digest changes with its code and all that the code imports, and with nothing else."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dissensus
from dissensus import digests
from dissensus.digests import code_digest, digest, file_digest, source_files
from dissensus.study.configuration import load_file
from support import ROOT


def forget() -> None:
    """As a new process would: sources are read once in each."""
    caches = (
        digests._folders,
        digests._imports,
        digests._has_module,
        digests._source,
        digests._data,
    )
    for cached in caches:
        cached.cache_clear()


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Path]:
    """A folder whose modules are importable as dissensus.planted_..."""
    sources = {
        "planted_a": "from dissensus.planted_b import f\n",
        "planted_b": "import dissensus.planted_c\ndef f():\n  from dissensus import planted_d\n",
        "planted_c": "from dissensus.planted_a import f\n",
        "planted_d": "import json\n",
        "planted_e": "x = 1\n",
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    package = tmp_path / "planted_p"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("from dissensus.planted_e import x\n")
    dissensus.__path__.append(str(tmp_path))
    forget()
    yield tmp_path
    dissensus.__path__.remove(str(tmp_path))
    forget()


def edited(module: Path, *modules: str) -> bool:
    """Whether an edit to a module changes the digest of others."""
    forget()
    before = code_digest(*modules)
    module.write_text(module.read_text() + "# edited\n")
    forget()
    return code_digest(*modules) != before


@pytest.mark.parametrize("name", ["planted_a", "planted_b", "planted_c", "planted_d"])
def test_an_edit_to_anything_imported_counts(planted: Path, name: str):
    assert edited(planted / f"{name}.py", "dissensus.planted_a")


def test_an_edit_to_anything_else_does_not(planted: Path):
    assert not edited(planted / "planted_e.py", "dissensus.planted_a")


def test_the_data_of_what_is_imported_counts(planted: Path):
    """Such as what simulated models say; a file that is not there has nothing to count."""
    reads = 'WORDS = beside(__file__, "inner.yaml"), beside(__file__, "lost.yaml")\n'
    (planted / "planted_b.py").write_text(reads)
    (planted / "inner.yaml").write_text("a: 1\n")
    assert edited(planted / "inner.yaml", "dissensus.planted_a")
    assert planted / "inner.yaml" in source_files("dissensus.planted_a")
    assert not edited(planted / "inner.yaml", "dissensus.planted_e")


def test_modules_inside_packages_are_followed(planted: Path):
    (planted / "planted_a.py").write_text("from dissensus.planted_p import inner\n")
    assert edited(planted / "planted_p" / "inner.py", "dissensus.planted_a")
    assert edited(planted / "planted_p" / "__init__.py", "dissensus.planted_a")
    assert edited(planted / "planted_e.py", "dissensus.planted_a")


def test_the_order_of_the_modules_does_not_matter(planted: Path):
    names = ("dissensus.planted_a", "dissensus.planted_e")
    assert code_digest(*names) == code_digest(*reversed(names))
    assert code_digest(names[0]) != code_digest(*names)


def test_a_module_that_is_not_there_is_named(planted: Path):
    with pytest.raises(ModuleNotFoundError, match=r"dissensus\.planted_z"):
        code_digest("dissensus.planted_z")


LOOKING = """
import sys
from dissensus.digests import code_digest
code_digest("dissensus_studies.language.measures.block", "dissensus.text.embeddings")
heavy = {"numpy", "scipy", "pandas", "pyarrow"}
print(sorted({name.split(".")[0] for name in sys.modules} & heavy))
"""


def test_looking_at_code_does_not_import_it():
    """A cluster job parses the Snakefile twice: every import there is paid for twice a job."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKING], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def parsed_imports(module: str) -> set[str]:
    """The imports of ours in a module as Python itself reads them."""
    names = []
    for node in ast.walk(ast.parse(digests._source(module))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dissensus"):
            package = str(node.module)
            inner = [alias.name for alias in node.names if digests._has_module(package, alias.name)]
            names += [package, *(f"{package}.{name}" for name in inner)]
        elif isinstance(node, ast.Import):
            names += [a.name for a in node.names if a.name.split(".")[0] == "dissensus"]
    return set(names)


def test_imports_are_found_as_python_reads_them():
    root = Path(dissensus.__path__[0])
    modules = {
        ".".join(("dissensus", *path.relative_to(root).with_suffix("").parts))
        for path in root.rglob("*.py")
        if path.stem not in ("__init__", "__main__")
    }
    assert len(modules) > 50
    for module in modules:
        assert set(digests._imports(module)) == parsed_imports(module), module


def test_measures_depend_on_the_text_modules_and_not_on_the_figures():
    found = digests._reachable(["dissensus_studies.language.measures.block"])
    assert {"dissensus.text.divergences", "dissensus.text.words", "dissensus.errors"} <= found
    assert not any("inference" in name or "figures" in name for name in found)


def test_debates_do_not_depend_on_what_is_measured_of_them_afterwards():
    settings = load_file(ROOT / "config.yaml")
    for name in settings.studies:
        code = digests._reachable([settings.study(name).protocol, "dissensus.session.runner"])
        assert "dissensus.session.protocol" in code
        assert "dissensus.text.divergences" not in code, name


def test_equal_values_have_equal_digests():
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    different = [{"a": 1}, {"a": "1"}, {"a": [1]}, {"a": None}, {}, [], "", {"a": 1.5}, {"本": 1}]
    assert len({digest(value) for value in different}) == len(different)


def test_digests_are_sha256(tmp_path: Path):
    # NIST's test vector for "abc", and the JSON text of an empty object hashed by sha256sum.
    (tmp_path / "abc").write_bytes(b"abc")
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file_digest(tmp_path / "abc") == abc
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

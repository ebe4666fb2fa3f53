"""Which studies are known, and how a reader's own becomes one of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dissensus.digests import PACKAGES
from dissensus.errors import SettingError
from dissensus.study.registry import STUDIES, register, study_class
from known_studies import studies_as_before

SOURCE = """
from dissensus.study.study import Study

class Mine(Study):
    name = "{name}"
    kinds = ()
"""


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Forget what a test makes known."""
    with studies_as_before():
        yield


def folder(path: Path, source: str) -> Path:
    path.mkdir(parents=True)
    (path / "study.py").write_text(source)
    (path / "rules.smk").touch()
    return path


def test_every_study_of_the_project_declares_itself_by_its_name() -> None:
    for name in STUDIES:
        found = study_class(name)
        assert found.name == name
        assert next(iter(found.ids)) == "session_id"


def test_a_folder_becomes_a_study(tmp_path: Path) -> None:
    place = folder(tmp_path / "planted_echo", SOURCE.format(name="echo"))
    register({"echo": str(place)})
    assert study_class("echo").name == "echo"
    assert "planted_echo" in PACKAGES
    # Scripts find it too.
    assert os.environ["PYTHONPATH"].split(os.pathsep)[0] == str(tmp_path)
    register({"echo": str(place)})


@pytest.mark.parametrize("place", ["before", "after", "within"])
def test_settings_beside_the_class_are_a_sentence(place: str, tmp_path: Path) -> None:
    settings = "class Own(StudySettings):\n    judges: int\n"
    imports = "from dissensus.study.settings import StudySettings\n"
    source = SOURCE.format(name=f"own_{place}")
    if place == "before":
        source = imports + settings + source
    else:
        source = imports + source + "\n" + (settings if place == "after" else "")
        source += "    Settings = StudySettings\n" * (place == "within")
    register({f"own_{place}": str(folder(tmp_path / f"planted_{place}", source))})
    if place == "within":
        assert study_class(f"own_{place}")
        return
    with pytest.raises(SettingError, match="the settings Own stand beside the class Mine, which"):
        study_class(f"own_{place}")


def test_another_folder_of_its_name_on_the_path_is_named(tmp_path: Path) -> None:
    source = SOURCE.format(name="joined")
    first = folder(tmp_path / "elsewhere/planted_joined", source)
    place = folder(tmp_path / "here/planted_joined", source)
    sys.path.append(str(first.parent))
    with pytest.raises(SettingError) as caught:
        register({"joined": str(place)})
    assert f"{first} comes first on Python's path: take it out of PYTHONPATH" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "place", "source", "sentence"),
    [
        ("echo", "nowhere", None, "it must be a folder with a study.py"),
        ("language", "planted_other", SOURCE, "is dissensus_studies.language.study already"),
        ("echo", "planted_broken", "import no_such_module", "study.py cannot be imported"),
        ("echo", "planted_wrong", "x = 1\nx.y", "/study.py, line 2: 'int' object has no attribute"),
        ("echo", "planted_typo", "class", "/study.py, line 1: invalid syntax."),
        (
            "echo",
            "planted_deep",
            "import re\n\nre.compile('(')",
            "rror in {}/planted_deep/study.py, line 3: missing ), unterminated subpattern",
        ),
        ("echo", "json", SOURCE, "a package called 'json' is installed"),
    ],
)
def test_a_folder_that_is_no_study_is_a_sentence(
    tmp_path: Path, name: str, place: str, source: str | None, sentence: str
) -> None:
    if source is not None:
        folder(tmp_path / place, source)
    with pytest.raises(SettingError, match="study") as caught:
        register({name: str(tmp_path / place)})
    assert sentence.format(tmp_path) in str(caught.value)


def test_a_study_has_the_name_that_the_configuration_gives_it(tmp_path: Path) -> None:
    place = folder(tmp_path / "planted_named", SOURCE.format(name="other"))
    register({"echo": str(place)})
    with pytest.raises(SettingError, match="must declare one study with the name 'echo'"):
        study_class("echo")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("name =", "must declare one study with the name 'echo'; it has one without a name."),
        ("kinds =", "study.py: Mine has no method kinds; write it."),
    ],
)
def test_a_study_without_a_name_or_a_method_is_a_sentence(
    tmp_path: Path, line: str, sentence: str
) -> None:
    source = SOURCE.format(name="echo").replace(line, "other =")
    register({"echo": str(folder(tmp_path / f"planted_{line[:4]}", source))})
    with pytest.raises(SettingError) as caught:
        study_class("echo")
    assert sentence in str(caught.value)


def test_no_study_makes_every_job_load_what_only_its_estimates_need() -> None:
    """Each process of a run imports all studies, and what rules are made with: scipy alone would
    take it two seconds.
    """
    code = (
        "import sys\n"
        "import dissensus.report.declared, dissensus.report.pages.study, dissensus.run.ending\n"
        "from dissensus.study.registry import STUDIES, study_class\n"
        "for name in STUDIES: study_class(name)\n"
        "print({'pandas', 'scipy', 'sklearn', 'matplotlib', 'pypdf'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

"""The paper cites what its bibliography has, and the citation file is of this version."""

from __future__ import annotations

import re
import tomllib

import yaml

from support import ROOT


def test_every_citation_is_in_the_bibliography_and_the_other_way() -> None:
    paper = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
    entries = (ROOT / "paper/paper.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+)", paper))
    listed = set(re.findall(r"@\w+\{(\w+),", entries))
    assert cited == listed
    # A word for each thing a reviewer looks for.
    for title in (
        *("Summary", "Statement of need", "State of the field", "Software design"),
        *("Research impact statement", "AI usage disclosure", "Acknowledgements", "References"),
    ):
        assert f"# {title}\n" in paper
    assert 750 < len(paper.split()) < 1750


def test_the_citation_file_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]

"""Part `default`: what `snakemake --cores 8` takes for all studies, from nothing to its pages."""

from __future__ import annotations

import yaml
from bench import Bench, cpu, largest, seconds
from table import Row, Target

from project import LIGHT, ROOT, Project

#: Of two quiet cores: by the clock, and of their time.
_SECONDS, _CPU = Target(60), Target(110)


def measure(bench: Bench) -> None:
    """Run the configuration as it is shipped; in a quick run, one study in small."""
    # What measures is small: the project's own modules stay unloaded.
    defaults = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    shipped = {path.parent.name for path in ROOT.glob("src/dissensus_studies/*/study.py")}
    studies = [name for name, block in defaults.items() if name in shipped and block]
    small = {"studies": ["language"], "language": {"draws": 4, **LIGHT}}
    settings = small if bench.quick else {"studies": studies}
    # Each in a folder of its own, which stays: some file systems take longer to make files while
    # others have just been deleted.
    projects = [Project(bench.folder / f"project-{n}", settings) for n in range(bench.runs)]
    runs = [project.snakemake(cores=8) for project in projects]
    what = "one study in small" if bench.quick else f"all {len(studies)} studies from nothing"
    bench.add(Row(what, "s", seconds(runs), target=_SECONDS))
    bench.add(Row(f"{what}, CPU", "s", cpu(runs), target=_CPU))
    bench.add(Row(f"{what}, largest process", "MB", largest(runs)))

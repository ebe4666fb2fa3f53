"""The stages that `inference.py` times: makes synthetic tables, or runs one stage on them."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dissensus.study.configuration import Configuration, load_file
from dissensus.study.gather import outcomes_schema
from dissensus.tables.artefact import Schema, read, write
from dissensus_studies.language.design.instrument import rendering_id
from dissensus_studies.language.design.manifest import IDS, MANIFEST, Drawing, draw_manifest
from dissensus_studies.language.design.pool import POOL, build_pool
from dissensus_studies.language.inference.diagnostics import diagnose_design
from dissensus_studies.language.inference.domain_tests import test_domains
from dissensus_studies.language.inference.domains import contrast_domains, estimate_domains
from dissensus_studies.language.inference.effect import estimate_language_effect
from dissensus_studies.language.inference.instrument import measure_instrument
from dissensus_studies.language.inference.power import power_table
from dissensus_studies.language.inference.saturation import measure_saturation
from dissensus_studies.language.inference.specification import specification_curve
from dissensus_studies.language.measures.components import COMPONENTS
from dissensus_studies.language.measures.homogeneity import METRICS, RENDERINGS, measure_homogeneity

SCHEMAS: dict[str, Schema] = {
    "pool": POOL,
    "manifest": MANIFEST,
    "outcomes": outcomes_schema(IDS),
    "components": COMPONENTS,
    "metrics": METRICS,
    "renderings": RENDERINGS,
}
#: Share of sessions that failed for good, and of the others that broke a rule.
_LOST, _BROKE = 0.02, 0.01

Frame = pd.DataFrame


def synthesise(folder: Path, settings: Configuration, draws: int) -> None:
    """Write the tables of a study of so many draws, from the configuration's seed."""
    study = settings.language
    pool, _ = build_pool(study.pool, study.languages)
    drawing = Drawing(settings.seed, draws, study.block_size, list(study.languages), study.panel)
    manifest = pd.DataFrame(draw_manifest(pool, drawing))
    rng = np.random.default_rng(settings.seed)
    outcomes = _outcomes(manifest, rng)
    ended = manifest[outcomes["complete"].to_numpy()]
    tables: dict[str, Any] = {"pool": pool, "manifest": manifest, "outcomes": outcomes}
    texts = pd.concat([ended, _rendered(ended, study.language_names)], ignore_index=True)
    tables["components"] = _components(texts, settings, rng)
    for name, rows in tables.items():
        write(folder / f"{name}.parquet", SCHEMAS[name], rows, {"simulated": True})


def _outcomes(manifest: Frame, rng: np.random.Generator) -> Frame:
    n = len(manifest)
    complete = rng.random(n) >= _LOST
    compliant = pd.array(rng.random(n) >= _BROKE, dtype="boolean")
    compliant[~complete] = pd.NA
    return manifest[[*IDS]].assign(
        complete=complete,
        attempts=np.where(complete, 1 + (rng.random(n) < 0.05), 3),
        repairs=rng.poisson(0.8, n),
        compliant=compliant,
        failure=np.where(complete, "", "timeout"),
    )


def _rendered(ended: Frame, languages: list[str]) -> Frame:
    """The debates put into the other of the first two languages."""
    own = ended["language"]
    into = own.map(dict(zip(languages[:2], languages[1::-1], strict=True)))
    names = [rendering_id(*of) for of in zip(ended["draw_id"], own, into, strict=True)]
    return ended.assign(session_id=names, language=into, rendered_from=own)


def _components(ended: Frame, settings: Configuration, rng: np.random.Generator) -> Frame:
    """Similarities with a part of the motion, of the draw, of the language and of the session."""
    study, n = settings.language, len(ended)
    shared = sum(
        rng.normal(0.0, 0.03, codes.max() + 1)[codes]
        for codes in (pd.factorize(ended[name])[0] for name in ("motion_id", "draw_id"))
    )
    shared = shared + 0.01 * (ended["language"] != study.reference).to_numpy()
    measures = study.measures
    frames = []
    for tokenizer in dict.fromkeys([measures.tokenizer, *measures.alternative_tokenizers]):
        for embedder in dict.fromkeys([measures.embedder, *measures.alternative_embedders]):
            frame = ended[[*IDS]].assign(tokenizer=tokenizer, embedder=embedder)
            session = rng.normal(0.0, 0.04, n)
            for name in COMPONENTS.columns:
                if name.startswith("s_"):
                    own = rng.normal(0.0, 0.02, n)
                    frame[name] = np.clip(0.45 + shared + session + own, 0.0, 1.0)
            counts = [name for name, one in COMPONENTS.columns.items() if one.kind == "int"]
            frame[counts] = rng.integers(100, 900, (n, len(counts)))
            frames.append(frame)
    return pd.concat(frames)


def _homogeneity(
    s: Configuration, manifest: Frame, outcomes: Frame, components: Frame
) -> tuple[Frame, Frame]:
    study = s.language
    return measure_homogeneity(manifest, outcomes, components, study.measures, study.reference)


def _effect(s: Configuration, metrics: Frame, renderings: Frame) -> object:
    study = s.language
    options = (study.reference, study.inference, study.measures, s.seed)
    return estimate_language_effect(metrics, renderings, *options)


def _instrument(s: Configuration, components: Frame, metrics: Frame, renderings: Frame) -> object:
    study = s.language
    options = (study.reference, study.measures, study.inference, s.seed)
    return measure_instrument(components, metrics, renderings, [], *options)


def _saturation(s: Configuration, metrics: Frame) -> object:
    return measure_saturation(metrics, s.language.measures.anchors, s.language.inference)


def _domains(s: Configuration, metrics: Frame, pool: Frame) -> object:
    study, measures = s.language, s.language.measures
    scales = [f"hi_{name}" for name in dict.fromkeys([measures.primary, measures.paper_scale])]
    return (
        estimate_domains(metrics, pool, scales, study.inference, s.seed),
        contrast_domains(metrics, pool, scales, study.inference),
        test_domains(metrics, pool, study.reference, scales, study.inference, s.seed),
    )


def _diagnostics(s: Configuration, manifest: Frame, outcomes: Frame, pool: Frame) -> object:
    study = s.language
    options = (study.panel, study.reference, study.inference, s.seed)
    return diagnose_design(manifest, outcomes, pool, *options)


def _specifications(
    s: Configuration, components: Frame, metrics: Frame, renderings: Frame
) -> object:
    study = s.language
    options = (study.reference, study.measures, study.inference, s.seed)
    return specification_curve(components, metrics, renderings, *options)


def _power(s: Configuration, pool: Frame) -> object:
    study, planned = s.language, s.language.diagnosis
    level, seed = study.inference.confidence, s.seed
    return power_table(pool, None, study.draws, planned.effects, planned.motion_share, level, seed)


#: Stage -> its function, and the tables that it takes.
STAGES: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {
    "measure_homogeneity": (_homogeneity, ("manifest", "outcomes", "components")),
    "measure_instrument": (_instrument, ("components", "metrics", "renderings")),
    "estimate_language_effect": (_effect, ("metrics", "renderings")),
    "measure_saturation": (_saturation, ("metrics",)),
    "estimate_domains": (_domains, ("metrics", "pool")),
    "diagnose_design": (_diagnostics, ("manifest", "outcomes", "pool")),
    "trace_specifications": (_specifications, ("components", "metrics", "renderings")),
    "compute_power": (_power, ("pool",)),
}


def run(folder: Path, settings: Configuration, stage: str) -> dict[str, float]:
    """Run one stage on the tables of a folder; seconds of its function alone."""
    function, inputs = STAGES[stage]
    frames = [read(folder / f"{name}.parquet", SCHEMAS[name]).to_pandas() for name in inputs]
    started, used = time.perf_counter(), time.process_time()
    result = function(settings, *frames)
    taken = {"seconds": time.perf_counter() - started, "cpu_s": time.process_time() - used}
    if stage == "measure_homogeneity":
        for name, frame in zip(("metrics", "renderings"), result, strict=True):
            write(folder / f"{name}.parquet", SCHEMAS[name], frame, {"simulated": True})
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--synthesise", type=int, metavar="DRAWS")
    todo.add_argument("--stage", choices=STAGES)
    options = parser.parse_args()
    settings = load_file(Path("config.yaml"))
    if options.synthesise:
        synthesise(options.folder, settings, options.synthesise)
    else:
        print(json.dumps(run(options.folder, settings, options.stage)))


if __name__ == "__main__":
    main()

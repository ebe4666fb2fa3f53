"""From debates' texts to the noise floor's p-value and to the limits that hold together at looks.

Debates are held, rendered and measured once; a study then draws its sessions from them. Where a
language changes nothing, its debate is one of the reference's own, put into it clause by clause:
which of a draw's debates is the language's is then a matter of chance, and the null holds exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import contrast_row, robust_mean
from dissensus.design.looks import looks_of
from dissensus.design.stopping import Rule
from dissensus.stats.results import Estimate
from dissensus.study.gather import outcomes_schema
from made_frames import frame_of
from scripted import ROOT
from simulation import hold, motions, settings

from ..design.instrument import rendering_id
from ..design.manifest import IDS, Drawing, draw_manifest
from ..inference.effect import estimate_language_effect
from ..inference.estimators import NET
from ..inference.floor import write_floor
from ..inference.net import net_draws
from ..inference.paired_readings import compare_block
from ..inference.readings import read_texts
from ..measures import components as measured
from ..measures.components import COMPONENTS, plain_components
from ..measures.homogeneity import measure_homogeneity
from ..settings import Weights
from ..simulated_parallel import render_debate
from .inference_frames import EMBEDDER, INFERENCE, MEASURES, Letters, make_pool

#: Debates of which language, by debaters who recycle how often.
PLAIN, MORE, CHINESE = ("en", 0.36), ("en", 0.6), ("zh", 0.6)
MOTIONS, DEBATES = 16, 5
PARTS = ["s_lex_turn", "s_sem_pooled"]
#: No interval of the mean is asked for here.
QUICK = INFERENCE.model_copy(update={"resamples": 20, "flips": 20})
SCALE = MEASURES.model_copy(
    update={"anchors": ["z"], "paper_scale": "z", "weights": Weights(lexical=1.0, semantic=0.0)}
)
BLOCK = 10
EVERY_LOOK = Rule(None, 1e-12, 0.95)

Array = np.ndarray[Any, Any]
#: Kind of debate -> both parts as they read in English and in Chinese: (motions, debates, 2, 2).
Texts = Mapping[tuple[str, float], Array]


@pytest.fixture(scope="module")
def texts() -> Texts:
    patch = pytest.MonkeyPatch()
    patch.chdir(ROOT)
    patch.setattr(measured, "_embedder", lambda name: Letters())
    some = list(motions().items())[:MOTIONS]
    read = {
        kind: np.array(
            [[held(name, row, *kind, seed=seed) for seed in range(DEBATES)] for name, row in some]
        )
        for kind in (PLAIN, MORE, CHINESE)
    }
    patch.undo()
    return read


def held(name: str, row: Mapping[str, str], language: str, recycle: float, seed: int) -> Array:
    """One debate's parts, as it reads in English and in Chinese: (2, 2)."""
    model = settings(recycle, recycle, topic_sd=0.5, interaction_sd=0.3, session_sd=0.5)
    session = hold(model, row[f"motion_{language}"], language, seed=seed)
    turns = [{"speaker": t.speaker, "model": "s", "text": t.text} for t in session.turns]
    other = {"en": "zh", "zh": "en"}[language]
    sources = {"s": {name: model["speech"][name] for name in ("arguments", "motions")}}
    put = render_debate(turns, sources, name, language, other)
    spoken = {
        language: turns,
        other: [{**turn, "text": text} for turn, text in zip(turns, put, strict=True)],
    }
    how = {"tokenizer": "tekken", "embedder": "letters", "unit": "turn"}
    return np.array([plain_components(spoken[name], how) for name in ("en", "zh")])


@dataclass(frozen=True)
class Drawn:
    """A study as its stages before inference leave it."""

    manifest: pd.DataFrame
    outcomes: pd.DataFrame
    components: pd.DataFrame


def draw_study(
    texts: Texts, arms: Mapping[str, tuple[str, float]], draws: int, seed: int, stops: bool = False
) -> Drawn:
    """A study whose debates are drawn from the texts, no debate twice in a draw.

    ``arms``: arm -> kind of its debates; "en" is the reference, "en_again" speaks English too, and
    all others Chinese. One session in twenty is lost.
    """
    rng = np.random.default_rng(seed)
    drawing = Drawing(seed, draws, BLOCK, [*arms], ("a", "b", "c", "d"), stops=stops)
    pool = make_pool(domains=4, motions=15)
    rows = draw_manifest(pool.to_dict("records"), drawing)
    # Each motion of the pool has the texts of one that was held: what it adds is a sample too.
    of_motion = {name: int(rng.integers(MOTIONS)) for name in pool["motion_id"]}
    read: dict[str, Array] = {}
    own: dict[str, Array] = {}
    for row in rows:
        name, draw, arm = row["session_id"], row["draw_id"], row["language"]
        order = own.setdefault(draw, rng.permutation(DEBATES))
        english, chinese = texts[arms[arm]][of_motion[row["motion_id"]]][order[[*arms].index(arm)]]
        if rng.random() < 0.05:
            continue
        spoken, other = (english, chinese) if arm.startswith("en") else (chinese, english)
        read[name] = spoken
        if arm != "en":
            read[rendering_id(draw, arm, "en")] = english
            continue
        for into in [into for into in arms if into != "en"]:
            read[rendering_id(draw, "en", into)] = spoken if into == "en_again" else other
    manifest = pd.DataFrame(rows)
    outcomes = manifest[[*IDS]].assign(complete=manifest["session_id"].isin(read), repairs=0)
    return Drawn(manifest, frame_of(outcomes_schema(IDS), outcomes), _components(read))


def _components(read: Mapping[str, Array]) -> pd.DataFrame:
    rows = []
    for name, parts in read.items():
        draw, arm, *into = name.replace("-as-", "-").split("-")
        spoken = {"language": arm, "rendered_from": ""}
        if into:
            spoken = {"language": into[0], "rendered_from": arm}
        rows.append(
            {"session_id": name, "draw_id": draw, **spoken, **dict(zip(PARTS, parts, strict=True))}
        )
    return frame_of(COMPONENTS, pd.DataFrame(rows).assign(tokenizer="tekken", embedder=EMBEDDER))


def measured_of(drawn: Drawn) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Metrics and renderings, on the scale of the study."""
    return measure_homogeneity(drawn.manifest, drawn.outcomes, drawn.components, SCALE, "en")


def floor_p(drawn: Drawn) -> float:
    """The noise floor's p-value of Chinese."""
    rows = [contrast_row("hi_z", arm, "en", NET, Estimate(0.0), True) for arm in ("zh", "en_again")]
    write_floor(rows, *measured_of(drawn), "en", 0.95)
    return float(rows[0]["floor_p"])


def effect_p(drawn: Drawn) -> float:
    """The p-value of Chinese less English, both read in both languages, clustered on motions."""
    readings = read_texts(*measured_of(drawn), ["hi_z"], "zh", "en")
    net = net_draws(readings)[:, 0]
    there = np.isfinite(net)
    return robust_mean(net[there], readings.motions[there].astype(str), 0.95).p_value


@pytest.mark.thorough
@pytest.mark.parametrize("second_run", [PLAIN, MORE], ids=["alike", "drifted"])
def test_a_language_that_is_as_the_second_run_is_seldom_beyond_the_floor(
    texts: Texts, second_run: tuple[str, float]
) -> None:
    """The null: all three runs are alike; or both later ones differ from the first alike."""
    arms, studies = {"en": PLAIN, "zh": second_run, "en_again": second_run}, 200
    drawn = [draw_study(texts, arms, 24, seed) for seed in range(studies)]
    assert sum(floor_p(each) < 0.05 for each in drawn) <= most_misses(studies)
    found = sum(effect_p(each) < 0.05 for each in drawn)
    assert found > 0.9 * studies if second_run == MORE else found <= most_misses(studies)


@pytest.mark.thorough
def test_a_language_that_does_more_than_the_second_run_is_mostly_beyond_the_floor(
    texts: Texts,
) -> None:
    arms, studies = {"en": PLAIN, "zh": CHINESE, "en_again": PLAIN}, 60
    found = sum(floor_p(draw_study(texts, arms, 40, seed)) < 0.05 for seed in range(studies))
    assert found > 0.9 * studies


@pytest.mark.thorough
def test_the_headline_of_the_language_has_the_floors_p_value(texts: Texts) -> None:
    drawn = draw_study(texts, {"en": PLAIN, "zh": CHINESE, "en_again": PLAIN}, 40, 1)
    rows = estimate_language_effect(*measured_of(drawn), "en", QUICK, SCALE, 1)
    (row,) = [row for row in rows if row["headline"] and row["arm"] == "zh"]
    assert row["method"] == NET and row["floor_p"] < 0.05
    assert row["floor_p"] == pytest.approx(floor_p(drawn))
    lost = drawn.manifest.assign(lost=~drawn.outcomes["complete"]).groupby("draw_id")["lost"].any()
    assert row["floor_n"] == (~lost).sum() < 40


def most_misses(studies: int) -> int:
    """Of studies that miss with a chance of 5%, at most so many do, but for 1 time in 1,000."""
    return int(stats.binom.ppf(0.999, studies, 0.05))


def looks_at(drawn: Drawn) -> pd.DataFrame:
    """All looks at a study that nothing stops, each block compared by the study's own stage."""
    block_of = drawn.manifest.set_index("draw_id")["block"]
    rows = []
    for number in sorted(block_of.unique()):
        some = block_of.index[block_of.isin([1, number])]
        outcomes, components = (
            frame[frame["draw_id"].isin(some)] for frame in (drawn.outcomes, drawn.components)
        )
        rows += compare_block(drawn.manifest, outcomes, components, SCALE, "en", int(number))
    return pd.DataFrame(looks_of(pd.DataFrame(rows), EVERY_LOOK))


def truths(texts: Texts, drawn: Drawn, arms: Mapping[str, tuple[str, float]]) -> dict[str, float]:
    """Contrast -> what is planted, on the study's own scale: SDs of its first block's texts."""
    manifest, read = drawn.manifest, drawn.components.set_index("session_id")["s_lex_turn"]
    others = [arm for arm in arms if arm != "en"]
    scale = [
        read.loc[names].to_numpy()
        for draw in manifest[manifest["block"] == 1]["draw_id"].unique()
        if set(names := [f"{draw}-en", *(rendering_id(draw, arm, "en") for arm in others)])
        <= {*read.index}
    ]
    spread = np.concatenate(scale).std(ddof=1)
    mean = {kind: of[..., 0].mean() for kind, of in texts.items()}
    return {f"{arm}-en": (mean[arms[arm]] - mean[arms["en"]]) / spread for arm in others}


STOPPING = {
    "null": {"en": PLAIN, "zh": PLAIN, "zh_b": PLAIN, "zh_c": PLAIN},
    "planted": {"en": PLAIN, "zh": CHINESE, "zh_b": PLAIN, "zh_c": MORE},
}


@pytest.mark.thorough
@pytest.mark.parametrize("world", STOPPING)
def test_limits_of_all_languages_hold_together_at_all_looks(texts: Texts, world: str) -> None:
    """All that is planted is within them at every look; and where something is, 0 is outside."""
    arms, studies = STOPPING[world], 100
    missed, found = 0, dict.fromkeys(("zh-en", "zh_b-en", "zh_c-en"), 0)
    for seed in range(studies):
        drawn = draw_study(texts, arms, 60, seed, stops=True)
        looks = looks_at(drawn)
        planted = looks["contrast"].map(truths(texts, drawn, arms))
        assert looks["block"].nunique() > 3
        missed += bool(((looks["family_low"] > planted) | (looks["family_high"] < planted)).any())
        for row in looks[looks["block"] == looks["block"].max()].to_dict("records"):
            found[row["contrast"]] += row["family_low"] > 0 or row["family_high"] < 0
    assert missed <= most_misses(studies)
    for contrast, count in found.items():
        is_planted = arms[contrast.removesuffix("-en")] != PLAIN
        assert count > 0.8 * studies if is_planted else count <= most_misses(studies)

"""Score a model with open weights by CCAgent's composite loss, or train an adapter on it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dissensus.errors import DissensusError, ResourceError, SettingError
from dissensus.report.escaping import complain
from dissensus.tables.artefact import read, write_text

from .loss import DPO, PRINTED, Weights
from .triplets import SCORE, TRAIN, TRIPLETS

_PACKAGES = {"score": ("torch", "transformers"), "train": ("torch", "transformers", "peft", "trl")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; the exit code."""
    chosen = _parser().parse_args(arguments)
    try:
        _check_packages(chosen.command)
        return {"score": score, "train": train}[chosen.command](chosen)
    except DissensusError as error:
        complain(error)
        return 1


def score(chosen: argparse.Namespace) -> int:
    """Print the loss of a model over held-out triplets, and its terms."""
    from .scoring import (
        loss_of,
        preference_scores,
        preferred,
        score_triplets,
    )

    if (chosen.loss == DPO) != bool(chosen.reference):
        raise SettingError(
            "--loss dpo compares with a reference model, and --loss printed with none; give "
            "--reference with the first alone."
        )
    rows = _rows(chosen.triplets, SCORE)
    model, tokenizer = _load(chosen.model)
    import torch

    with torch.no_grad():
        scores = score_triplets(model, tokenizer, rows)
        reference = None
        if chosen.reference:
            reference = preference_scores(*_load(chosen.reference), rows)
        loss = loss_of(scores, reference, _weights(chosen))
    written = {
        "loss": chosen.loss,
        **{name: round(float(value), 6) for name, value in vars(loss).items()},
        "preferred": round(preferred(scores, reference), 6),
        "triplets": len(rows),
        "rationales": int((scores.valid == scores.valid).sum()),
        "counterfactuals": int((scores.cosine == scores.cosine).sum()),
    }
    text = json.dumps(written, indent=2)
    if chosen.output:
        write_text(chosen.output, f"{text}\n")
    print(text)
    return 0


def train(chosen: argparse.Namespace) -> int:
    """Train an adapter on the triplets that are not kept for scoring."""
    from .fitting import Fit, fit_adapter

    rows = _rows(chosen.triplets, TRAIN)
    folder = Path(chosen.output)
    if folder.exists() and any(folder.iterdir()):
        raise ResourceError(f"{folder} is not empty; name a new folder for the adapter.")
    names = ("epochs", "rate", "batch", "rank", "seed")
    fit = Fit(chosen.loss, _weights(chosen), **{name: getattr(chosen, name) for name in names})
    model, tokenizer = _load(chosen.model)
    fit_adapter(model, tokenizer, rows, fit, folder)
    print(f"The adapter is in {folder}.")
    return 0


def _rows(path: str, purpose: str) -> list[dict[str, Any]]:
    """The triplets of a purpose.

    Raises
    ------
    ResourceError : there are none.
    """
    rows = [row for row in read(path, TRIPLETS).to_pylist() if row["purpose"] == purpose]
    if not rows:
        raise ResourceError(
            f"{path} holds no triplet whose purpose is {purpose}; debate more training statements, "
            "or in more arms (consensus.learning)."
        )
    return rows


def _load(name: str) -> tuple[Any, Any]:
    """A model and its tokeniser, by a folder or a name.

    Raises
    ------
    ResourceError : neither is one.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForCausalLM.from_pretrained(name)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise ResourceError(f"{name} is no model that can be loaded: {why}") from None
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model.eval(), tokenizer


def _weights(chosen: argparse.Namespace) -> Weights:
    return Weights(chosen.beta, chosen.rationale, chosen.counterfactual)


def _check_packages(command: str) -> None:
    lost = [name for name in _PACKAGES[command] if find_spec(name) is None]
    if lost:
        raise SettingError(
            f"{command} needs {', '.join(lost)}, which the default install has not; run "
            "`pip install 'dissensus[train]'`."
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}",
        description=__doc__,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    scoring = commands.add_parser("score", help="the loss of a model over held-out triplets")
    fitting = commands.add_parser("train", help="an adapter (LoRA) that lowers it")
    for command in (scoring, fitting):
        command.add_argument("triplets", help="results/<run>/consensus/triplets.parquet")
        command.add_argument("model", help="folder or name of a causal language model")
        form = "the preference term: equation 1 as printed, or DPO with a reference model"
        command.add_argument("--loss", choices=(PRINTED, DPO), default=PRINTED, help=form)
        command.add_argument("--beta", type=float, default=Weights.beta)
        command.add_argument("--rationale", type=float, default=Weights.rationale, help="lambda_r")
        command.add_argument(
            "--counterfactual", type=float, default=Weights.counterfactual, help="lambda_c"
        )
    scoring.add_argument("--reference", help="the reference model of dpo")
    scoring.add_argument("--output", help="a JSON file for what is printed")
    fitting.add_argument("--output", required=True, help="an empty folder for the adapter")
    fitting.add_argument("--epochs", type=float, default=3.0)
    fitting.add_argument("--rate", type=float, default=1e-4)
    fitting.add_argument("--batch", type=int, default=4)
    fitting.add_argument("--rank", type=int, default=8)
    fitting.add_argument("--seed", type=int, default=1)
    return parser


if __name__ == "__main__":
    sys.exit(main())

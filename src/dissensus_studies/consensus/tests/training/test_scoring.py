"""A tiny randomly initialised transformer on the CPU: its scores, against a computation by hand."""

from __future__ import annotations

import json
from math import exp, log, sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dissensus.tables.artefact import write

from ...training.__main__ import main
from ...training.loss import Weights
from ...training.triplets import TRIPLETS

torch = pytest.importorskip(
    "torch", reason="torch comes with the extra `train`, which the default install has not"
)

ROWS = [
    {
        "system": "You plan.",
        "question": "Trams?",
        "chosen": "I bend.\nVote: Agree",
        "rejected": "Never.\nVote: Disagree",
        "rationale": "It bent.",
        "counterfactual": "Bend once.",
    },
    {
        "system": "You drive.",
        "question": "Buses?",
        "chosen": "So be it.\nVote: Neutral",
        "rejected": "No.\nVote: Disagree",
        "rationale": "It met them.",
        "counterfactual": "",
    },
    {
        "system": "You walk.",
        "question": "Roads?",
        "chosen": "Yes.\nVote: Agree",
        "rejected": "No!\nVote: Neutral",
        "rationale": "",
        "counterfactual": "Say why.",
    },
]


class Letters:
    """A tokeniser of letters, with a token that begins a prompt and one that ends a reply."""

    eos_token_id = 1
    chat_template = None

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        ids = [2 + ord(letter) % 90 for letter in text]
        return {"input_ids": [0, *ids] if add_special_tokens else ids}


def tiny(seed: int) -> Any:
    """A causal transformer of 92 tokens, 2 layers and 16 dimensions."""
    torch.manual_seed(seed)

    class Tiny(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = torch.nn.Embedding(92, 16)
            self.places = torch.nn.Embedding(512, 16)
            layer = torch.nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)
            self.layers = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = torch.nn.Linear(16, 92)

        def forward(self, input_ids: Any, output_hidden_states: bool = False) -> Any:
            t = input_ids.shape[1]
            mask = torch.nn.Transformer.generate_square_subsequent_mask(t)
            states = self.words(input_ids) + self.places(torch.arange(t))
            states = self.layers(states, mask=mask, is_causal=True)
            return SimpleNamespace(logits=self.head(states), hidden_states=(states,))

    return Tiny().eval()


def by_hand(model: Any, prompt: str, text: str, ends: tuple[int, ...] = (1,)) -> tuple[float, Any]:
    """Log-likelihood token by token, each from the tokens before it alone, and the mean state."""
    before = Letters()(prompt, True)["input_ids"]
    own = [*Letters()(text, False)["input_ids"], *ends]
    total, states = 0.0, []
    with torch.no_grad():
        for place, token in enumerate(own):
            seen = torch.tensor([before + own[:place]])
            logits = [float(one) for one in model(seen).logits[0, -1]]
            total += logits[token] - log(sum(exp(one) for one in logits))
            whole = torch.tensor([before + own[: place + 1]])
            states.append(model(whole).hidden_states[-1][0, -1].numpy())
    return total, np.mean(states, axis=0)


def odds_by_hand(model: Any, row: dict[str, str], reason: str) -> float:
    asked = (
        f"{row['system']}\n\n{row['question']}\n\n{row['chosen']}\n\nA reason why this is well "
        f"debated: {reason}\nIs that the reason? Answer yes or no:"
    )
    yes, no = (by_hand(model, asked, answer, ends=())[0] for answer in (" yes", " no"))
    return yes - no


def test_likelihoods_and_cosines_are_those_by_hand() -> None:
    from ...training.scoring import score_triplets

    model = tiny(3)
    found = score_triplets(model, Letters(), ROWS)
    for place, row in enumerate(ROWS):
        prompt = f"{row['system']}\n\n{row['question']}\n\n"
        chosen, state = by_hand(model, prompt, row["chosen"])
        rejected, _ = by_hand(model, prompt, row["rejected"])
        assert float(found.chosen[place]) == pytest.approx(chosen, abs=1e-3)
        assert float(found.rejected[place]) == pytest.approx(rejected, abs=1e-3)
        if row["counterfactual"]:
            _, better = by_hand(model, prompt, row["counterfactual"])
            cosine = float(state @ better) / sqrt(float(state @ state) * float(better @ better))
            assert float(found.cosine[place]) == pytest.approx(cosine, abs=1e-4)
        else:
            assert torch.isnan(found.cosine[place])
    assert torch.isnan(found.valid).tolist() == [False, False, True]
    assert torch.isnan(found.invalid).tolist() == [False, False, True]


def test_the_validity_of_a_reason_is_the_odds_of_yes_and_the_other_reason_is_another() -> None:
    from ...training.scoring import score_triplets

    model = tiny(4)
    found = score_triplets(model, Letters(), ROWS)
    reasons = ("It bent.", "It met them.")
    for place, (own, other) in enumerate((reasons, reasons[::-1])):
        valid, invalid = (odds_by_hand(model, ROWS[place], one) for one in (own, other))
        assert float(found.valid[place]) == pytest.approx(valid, abs=1e-3)
        assert float(found.invalid[place]) == pytest.approx(invalid, abs=1e-3)
        assert valid != pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("with_reference", [False, True])
def test_the_loss_is_that_of_numpy_and_a_step_down_its_gradient_lowers_it(
    with_reference: bool,
) -> None:
    from ...training.loss import Scores, composite
    from ...training.scoring import loss_of, preference_scores, score_triplets

    model, other = tiny(5), tiny(6)
    reference = preference_scores(other, Letters(), ROWS) if with_reference else None
    weights = Weights(0.2, 0.7, 1.3)

    def loss() -> Any:
        return loss_of(score_triplets(model, Letters(), ROWS), reference, weights)

    first = loss()
    plain = {
        n: v.detach().double().numpy()
        for n, v in vars(score_triplets(model, Letters(), ROWS)).items()
        if v is not None
    }
    if reference:
        names = ("reference_chosen", "reference_rejected")
        plain |= {n: v.double().numpy() for n, v in zip(names, reference, strict=True)}
    expected = composite(Scores(**plain), weights, np)
    for name in ("total", "preference", "rationale", "counterfactual"):
        assert float(getattr(first, name)) == pytest.approx(
            float(getattr(expected, name)), abs=1e-4
        )
    first.total.backward()
    with torch.no_grad():
        for one in model.parameters():
            assert one.grad is None or torch.isfinite(one.grad).all()
            if one.grad is not None:
                one -= 1e-3 * one.grad
    assert float(loss().total) < float(first.total)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random Llama with a tokeniser of letters, saved, and triplets beside it."""
    transformers = pytest.importorskip("transformers", reason="comes with the extra `train`")
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("tiny")
    letters = [chr(code) for code in range(32, 127)]
    known = {one: place for place, one in enumerate(["<s>", "</s>", "<unk>", *letters])}
    made = Tokenizer(models.WordLevel(known, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="</s>", bos_token="<s>", unk_token="<unk>"
    )
    tokenizer.save_pretrained(folder / "model")
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(known),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=1024,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder / "model")
    names = [name for name in TRIPLETS.columns if name not in ROWS[0]]
    rows = [
        dict.fromkeys(names, "x")
        | row
        | {"statement_id": f"s{place}", "purpose": "score" if place == 2 else "train"}
        for place, row in enumerate(ROWS)
    ]
    rows += [rows[0] | {"statement_id": "s3", "purpose": "score"}]
    write(folder / "triplets.parquet", TRIPLETS, rows, {"stage": "test", "simulated": True})
    return folder


def scored(saved: Path, capsys: pytest.CaptureFixture[str], model: str, *more: str) -> Any:
    arguments = ["score", str(saved / "triplets.parquet"), model, *more]
    capsys.readouterr()
    assert main(arguments) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command_scores_a_saved_model(saved: Path, capsys: Any) -> None:
    model = str(saved / "model")
    found = scored(saved, capsys, model, "--beta", "0.05", "--rationale", "0")
    assert found["triplets"] == 2 and found["rationales"] == 1 and found["counterfactuals"] == 2
    assert found["total"] == pytest.approx(found["preference"] + found["counterfactual"], abs=1e-5)
    # A model against itself: DPO is log 2 whatever beta is, equation 1 is not.
    dpo = scored(saved, capsys, model, "--loss", "dpo", "--reference", model, "--beta", "0.05")
    assert dpo["preference"] == pytest.approx(log(2), abs=1e-5)
    assert found["preference"] != pytest.approx(log(2), abs=1e-3)
    # It prefers nothing to itself.
    assert dpo["preferred"] == 0.0


def test_what_is_preferred_is_so_beside_the_reference() -> None:
    torch = pytest.importorskip("torch", reason="comes with the extra `train`")
    from ...training.loss import Scores
    from ...training.scoring import preferred

    chosen, rejected = torch.tensor([1.0, 1.0, 1.0]), torch.tensor([0.0, 0.0, 2.0])
    scores = Scores(chosen, rejected, chosen, chosen, chosen)
    assert preferred(scores, None) == pytest.approx(2 / 3)
    # The reference prefers the first by more, and the last by less.
    reference = torch.tensor([2.0, 1.0, 0.0]), torch.tensor([0.0, 1.0, 2.0])
    assert preferred(scores, reference) == pytest.approx(2 / 3)
    reference = torch.tensor([3.0, 3.0, 0.0]), torch.tensor([0.0, 0.0, 2.0])
    assert preferred(scores, reference) == pytest.approx(1 / 3)


def test_what_cannot_be_scored_is_one_sentence(saved: Path, capsys: Any) -> None:
    triplets, model = str(saved / "triplets.parquet"), str(saved / "model")
    assert main(["score", triplets, model, "--loss", "dpo"]) == 1
    assert "give --reference" in capsys.readouterr().err
    assert main(["score", triplets, str(saved / "nothing")]) == 1
    assert "is no model that can be loaded" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("form", ["printed", "dpo"])
def test_an_adapter_lowers_the_loss_that_it_is_trained_on(
    saved: Path, tmp_path: Path, form: str
) -> None:
    for name in ("trl", "peft", "datasets"):
        pytest.importorskip(name, reason="comes with the extra `train`")
    import peft
    import transformers

    from ...training.scoring import loss_of, preference_scores, score_triplets

    triplets, model, folder = saved / "triplets.parquet", str(saved / "model"), tmp_path / "adapter"
    options = ["--loss", form, "--epochs", "12", "--rate", "0.02", "--output", str(folder)]
    assert main(["train", str(triplets), model, *options]) == 0
    base = transformers.AutoModelForCausalLM.from_pretrained(model).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    rows = ROWS[:2]
    reference = preference_scores(base, tokenizer, rows) if form == "dpo" else None
    with torch.no_grad():
        before = float(loss_of(score_triplets(base, tokenizer, rows), reference, Weights()).total)
        fitted = peft.PeftModel.from_pretrained(base, folder).eval()
        after = float(loss_of(score_triplets(fitted, tokenizer, rows), reference, Weights()).total)
    assert after < before - 0.05
    assert main(["train", str(triplets), model, *options]) == 1

"""What a causal language model gives of triplets.

Needs torch, which is imported where it is used, and a model and a tokeniser like those of
transformers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

from .loss import Loss, Scores, Weights, composite

Row = Mapping[str, Any]

#: How a model is asked whether a reason belongs to a debate, after the debate.
_ASKED = "\n\nA reason why this is well debated: {reason}\nIs that the reason? Answer yes or no:"
_ANSWERS = (" yes", " no")


def score_triplets(model: Any, tokenizer: Any, rows: Sequence[Row]) -> Scores:
    """The scores of triplets, with gradients where the model's are on.

    Parameters
    ----------
    model : takes ``input_ids`` of shape (1, t) and ``output_hidden_states``, and gives ``logits``
        of shape (1, t, vocabulary) and ``hidden_states``, the last of shape (1, t, d).
    tokenizer : takes a text and ``add_special_tokens``, and gives ``input_ids``.
    rows : of :data:`~.training.triplets.TRIPLETS`.
    """
    import torch

    pairs = zip(rows, _others(rows), strict=True)
    scores = [_one(model, tokenizer, row, reason) for row, reason in pairs]
    columns = (torch.stack(column) for column in zip(*scores, strict=True))
    return Scores(*columns)


def preference_scores(model: Any, tokenizer: Any, rows: Sequence[Row]) -> tuple[Any, Any]:
    """The log-likelihoods of y+ and y- alone, each of shape (n,), without gradients."""
    import torch

    with torch.no_grad():
        pairs = [
            [_read(model, tokenizer, prompt_of(row, tokenizer), row[side])[0] for row in rows]
            for side in ("chosen", "rejected")
        ]
    return torch.stack(pairs[0]), torch.stack(pairs[1])


def loss_of(scores: Scores, reference: tuple[Any, Any] | None, weights: Weights) -> Loss:
    """The composite loss; DPO where there are scores of a reference model, else as printed."""
    import torch

    if reference is not None:
        scores = replace(scores, reference_chosen=reference[0], reference_rejected=reference[1])
    return composite(scores, weights, torch)


def preferred(scores: Scores, reference: tuple[Any, Any] | None) -> float:
    """Share of triplets whose y+ is the likelier, beside the reference model where there is one."""
    ahead = scores.chosen - scores.rejected
    if reference is not None:
        ahead = ahead - (reference[0] - reference[1])
    return float((ahead > 0).float().mean())


def prompt_of(row: Row, tokenizer: Any) -> str:
    """x as text: by the model's chat template, where it has one."""
    if getattr(tokenizer, "chat_template", None):
        messages = [
            {"role": "system", "content": row["system"]},
            {"role": "user", "content": row["question"]},
        ]
        made = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return str(made)
    return f"{row['system']}\n\n{row['question']}\n\n"


def _one(model: Any, tokenizer: Any, row: Row, reason: str) -> tuple[Any, ...]:
    """Of one triplet, in the order of :class:`Scores`."""
    prompt = prompt_of(row, tokenizer)
    chosen, good = _read(model, tokenizer, prompt, row["chosen"])
    rejected, _ = _read(model, tokenizer, prompt, row["rejected"])
    none = chosen.new_tensor(nan)
    cosine = none
    if row["counterfactual"]:
        _, better = _read(model, tokenizer, prompt, row["counterfactual"])
        cosine = (good @ better) / (good.norm() * better.norm())
    debate = prompt + str(row["chosen"])
    chosen_odds = _odds(model, tokenizer, debate, row["rationale"]) if row["rationale"] else none
    other = _odds(model, tokenizer, debate, reason) if row["rationale"] and reason else none
    return chosen, rejected, chosen_odds, other, cosine


def _read(model: Any, tokenizer: Any, prompt: str, text: str) -> tuple[Any, Any]:
    """Log-likelihood of a text after a prompt, and its mean last hidden state, shape (d,)."""
    end = tokenizer.eos_token_id
    return _run(model, tokenizer, prompt, text, [] if end is None else [end])


def _odds(model: Any, tokenizer: Any, debate: str, reason: str) -> Any:
    """Log-odds of yes over no, when asked whether a reason is that of a debate."""
    asked = debate + _ASKED.format(reason=reason)
    # By whole answers: both may begin with the same token.
    yes, no = (_run(model, tokenizer, asked, answer, [])[0] for answer in _ANSWERS)
    return yes - no


def _run(model: Any, tokenizer: Any, prompt: str, text: str, end: Sequence[int]) -> tuple[Any, Any]:
    """As :func:`_read`, with the tokens that end the text."""
    import torch

    before = list(tokenizer(prompt, add_special_tokens=True)["input_ids"])
    tokens = [*tokenizer(text, add_special_tokens=False)["input_ids"], *end]
    ids = torch.tensor([*before, *tokens], device=next(model.parameters()).device)
    made = model(input_ids=ids[None], output_hidden_states=True)
    start = len(before)
    # The logits at a place are of the token after it.
    logits = made.logits[0, start - 1 : -1].float().log_softmax(dim=-1)
    likelihood = logits.gather(1, ids[start:, None]).sum()
    return likelihood, made.hidden_states[-1][0, start:].float().mean(dim=0)


def _others(rows: Sequence[Row]) -> list[str]:
    """For each triplet the next rationale that is another than its own; "" for none."""
    reasons = [str(row["rationale"]) for row in rows]
    n = len(reasons)
    turns = ([*reasons[place + 1 :], *reasons[:place]] for place in range(n))
    return [
        next((turn for turn in others if turn and turn != reason), "")
        for reason, others in zip(reasons, turns, strict=True)
    ]

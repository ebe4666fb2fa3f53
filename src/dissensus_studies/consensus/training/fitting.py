"""LoRA on the composite loss through TRL: its trainer, with the loss that is scored.

What it needs is imported where it is used: the default install has none of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .loss import DPO, Weights
from .scoring import loss_of, preference_scores, score_triplets

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Fit:
    """How a model is trained.

    Attributes
    ----------
    form : of the preference term, see :mod:`.training.loss`.
    weights : of the terms.
    epochs, rate, batch, seed : of the optimiser.
    rank : of the adapter.
    """

    form: str
    weights: Weights
    epochs: float = 3.0
    rate: float = 1e-4
    batch: int = 4
    rank: int = 8
    seed: int = 1


def trainer_class() -> Any:
    """TRL's trainer of preferences with the composite loss, over triplets as they are."""
    import trl

    class CompositeTrainer(trl.DPOTrainer):  # type: ignore[misc]
        def __init__(self, fit: Fit, **given: Any) -> None:
            self.fit = fit
            super().__init__(**given)

        def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
            return dataset

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any
        ) -> Any:
            """The loss of a batch; the reference of DPO is the model without its adapter."""
            rows, tokenizer = inputs["rows"], self.processing_class
            reference = None
            if self.fit.form == DPO:
                with self.accelerator.unwrap_model(model).disable_adapter():
                    reference = preference_scores(model, tokenizer, rows)
            scores = score_triplets(model, tokenizer, rows)
            loss = loss_of(scores, reference, self.fit.weights).total
            return (loss, {}) if return_outputs else loss

    return CompositeTrainer


def fit_adapter(model: Any, tokenizer: Any, rows: Sequence[Row], fit: Fit, folder: Path) -> Any:
    """Train an adapter on triplets and save it in a folder; the model with its adapter.

    Parameters
    ----------
    model, tokenizer : of transformers.
    rows : of :data:`~.training.triplets.TRIPLETS`.
    """
    import datasets
    import peft
    import trl

    settings = trl.DPOConfig(
        output_dir=str(folder),
        num_train_epochs=fit.epochs,
        learning_rate=fit.rate,
        per_device_train_batch_size=fit.batch,
        seed=fit.seed,
        beta=fit.weights.beta,
        remove_unused_columns=False,
        gradient_checkpointing=False,
        save_strategy="no",
        report_to="none",
        logging_strategy="epoch",
        disable_tqdm=True,
        use_cpu=model.device.type == "cpu",
        bf16=model.device.type != "cpu",
    )
    trainer = trainer_class()(
        fit,
        model=model,
        args=settings,
        train_dataset=datasets.Dataset.from_list([dict(row) for row in rows]),
        processing_class=tokenizer,
        data_collator=_as_rows,
        peft_config=peft.LoraConfig(r=fit.rank, task_type="CAUSAL_LM", target_modules="all-linear"),
    )
    trainer.train()
    trainer.save_model(str(folder))
    return trainer.model


def _as_rows(rows: Sequence[Row]) -> dict[str, Any]:
    return {"rows": list(rows)}

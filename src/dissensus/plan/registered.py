"""What is registered of a study, before its words and its pages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dissensus.plan.materials import Material, as_data
from dissensus.study.study import Registered


@dataclass(frozen=True)
class Plan:
    """What is registered of a study.

    Attributes
    ----------
    run, study, seed : of the run.
    commit : of the code, "unknown" outside a checkout.
    draws, sessions : in the manifest.
    manifest_sha256 : of its rows as canonical JSON.
    uncommitted : files of the checkout that are not as they were committed.
    settings : path -> value, of the study and of the models that it asks.
    analysis : what the study says of its analysis: estimands, primary outcome, tests and so on.
    materials : path -> the file's kind, its SHA-256 and, of the study's own prompts and code, its
        text.
    looked_at : what was known of such a study when the plan was written, in sentences.
    eligible : which models may confirm what the run finds; None where nothing is said.
    prediction : what it is to confirm (:mod:`dissensus.plan.confirmation`); None without.
    author : who registers, as the setting ``creator`` names them; "" of nobody.
    written : when it was written, UTC; "" of one that is only compared.
    hypothesis : what is expected of the primary outcome, with its ``direction``; empty of none.
    exploratory : names of the outcomes that are not the primary one.
    versions : package -> its version; and the lock's SHA-256.
    defaults : path -> value that a setting has where nobody sets it; no part of the plan as data.
    """

    run: str
    study: str
    seed: int
    commit: str
    draws: int
    sessions: int
    manifest_sha256: str
    settings: Mapping[str, Any]
    analysis: Registered
    uncommitted: Sequence[str] = ()
    materials: Mapping[str, Material] = field(default_factory=dict)
    looked_at: Sequence[str] = ()
    eligible: Mapping[str, Any] | None = None
    prediction: Mapping[str, Any] | None = None
    author: str = ""
    written: str = ""
    hypothesis: Mapping[str, Any] = field(default_factory=dict)
    exploratory: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """The plan as JSON holds it."""
        given = {**vars(self), "analysis": vars(self.analysis)}
        given["materials"] = as_data(self.materials)
        del given["defaults"]
        data: dict[str, Any] = json.loads(json.dumps(given))
        return data

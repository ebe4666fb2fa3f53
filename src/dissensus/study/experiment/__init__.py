"""All that a study of the common kind imports; docs/new-study.md builds one."""

from dissensus.design.over_sessions import (
    AUC,
    Brier,
    CalibrationError,
    CatchRate,
    EventFree,
    MajorityVote,
    RestrictedMean,
)
from dissensus.report.declared import Figure, Table
from dissensus.session.quoting import block, one_line, quoted
from dissensus.session.spoken import assistant, result, user
from dissensus.study.experiment.factors import Factor
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.experiment.session import Session
from dissensus.study.experiment.settings import ExperimentSettings
from dissensus.study.experiment.sharing import Fork, Material
from dissensus.study.experiment.study import Experiment
from dissensus.study.makes import makes
from dissensus.study.settings import File, Judge, Model
from dissensus.study.stages import Stage
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import count, flag, number, share, text, texts, whole

__all__ = [
    "AUC",
    "Brier",
    "CalibrationError",
    "CatchRate",
    "Column",
    "EventFree",
    "Experiment",
    "ExperimentSettings",
    "Factor",
    "Figure",
    "File",
    "Fork",
    "Judge",
    "MajorityVote",
    "Material",
    "Model",
    "Outcome",
    "RestrictedMean",
    "Schema",
    "Session",
    "Stage",
    "Table",
    "assistant",
    "block",
    "count",
    "flag",
    "makes",
    "number",
    "one_line",
    "quoted",
    "result",
    "share",
    "text",
    "texts",
    "user",
    "whole",
]

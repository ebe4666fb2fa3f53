"""What a user can get wrong, one class each; every message says what, where, and the mend."""

from __future__ import annotations


class DissensusError(Exception):
    """Base of every error that is the user's to mend: shown as its sentence, not a traceback."""


class SettingError(DissensusError):
    """A setting in the configuration is missing, unknown or holds a value it may not hold."""


class ResourceError(DissensusError):
    """A file the user supplies (motions, codings, prompts, arguments) cannot be used as it is."""


class ArtefactError(DissensusError):
    """A result file does not hold what its schema promises."""


class ProviderError(DissensusError):
    """A model's provider cannot be used at all (unknown, not installed, no key)."""


class BudgetReached(DissensusError):
    """The run has spent what it may; it goes on from here with a higher budget."""


class Stopped(DissensusError):
    """The run is stopping: calls that were begun are finished, no further one is begun."""

"""What is checked before a run makes its first call."""

from __future__ import annotations

from dissensus.study.configuration import Configuration


def check_inputs(settings: Configuration) -> None:
    """Refuse a run whose files would only be found wrong once calls were paid.

    Parameters
    ----------
    settings : of the run.

    Raises
    ------
    DissensusError : with the file, the place in it and the mend.
    """
    for name in settings.studies:
        settings.study(name).compile_prompts()

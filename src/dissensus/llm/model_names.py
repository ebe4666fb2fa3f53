"""Names of models: whether the one that answered is the one that was asked."""

from __future__ import annotations

import re

#: What providers append to a name for one fixed state of a model: -2025-12-11, -20250929, -2512.
_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4})")
_ALIAS = "-latest"


def answers_for(asked: str, answered_by: str) -> bool:
    """Whether an answer by one name may be taken for the model asked by another.

    A name stands for its dated snapshots, and ``-latest`` for any of them; a gateway's prefix
    (``openai/``) says nothing. A name that is not known, since it is empty, is no mismatch.

    Parameters
    ----------
    asked : the name sent to the provider.
    answered_by : the name that the provider reports; "" where it reports none.
    """
    one, other = _bare(asked), _bare(answered_by)
    if not one or not other or one == other:
        return True
    return _is_snapshot(other, one) or _is_snapshot(one, other)


def is_snapshot(name: str, base: str) -> bool:
    """Whether a name is that of a dated snapshot of the model that another one names."""
    return _is_snapshot(_bare(name), _bare(base))


def _is_snapshot(name: str, base: str) -> bool:
    base = base.removesuffix(_ALIAS)
    rest = name[len(base) :]
    return name.startswith(base) and (rest == _ALIAS or bool(_SNAPSHOT.fullmatch(rest)))


def _bare(name: str) -> str:
    """A name without prefix, with one spelling for the marks that gateways write differently."""
    return re.sub(r"[.:]", "-", name.strip().lower().rsplit("/", 1)[-1])

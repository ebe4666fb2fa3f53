"""The optional package of the map, so that a run without it is refused before anything is paid."""

from __future__ import annotations

from importlib.util import find_spec

from dissensus.errors import SettingError


def check_projection(projection: str) -> None:
    """Refuse UMAP where its package is not installed; takes no time and imports nothing.

    Raises
    ------
    SettingError : it is not.
    """
    if projection == "umap" and find_spec("umap") is None:
        raise SettingError(
            "union.map.projection is umap, whose package is not installed; run "
            "`pip install 'dissensus[map]'`, or set it to pca."
        )

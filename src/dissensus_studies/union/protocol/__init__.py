"""What happens in the sessions of the study: who is asked, in which order, and what they see.

There are four kinds of session: one describes how the speakers of a motion speak, one is a debate
with its judges, one writes the memos of an epoch for the students, and one names the clusters of
claims.
"""

from .debate import Draw, debate
from .floor import Models, Rules, exact
from .memo import Coaching, coach
from .names import name_clusters
from .style import describe

__all__ = [
    "Coaching",
    "Draw",
    "Models",
    "Rules",
    "coach",
    "debate",
    "describe",
    "exact",
    "name_clusters",
]

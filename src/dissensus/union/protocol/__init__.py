"""What happens in the sessions of the study: who is asked, in which order, and what they see.

There are four kinds of session: one describes how the speakers of a motion speak, one is a debate
with its judges, one writes the memos of an epoch for the students, and one names the clusters of
claims.
"""

from dissensus.union.protocol.debate import Draw, debate
from dissensus.union.protocol.floor import Models, Rules, exact
from dissensus.union.protocol.memo import Coaching, coach
from dissensus.union.protocol.names import name_clusters
from dissensus.union.protocol.style import describe

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

"""How a session goes: a debate, a look back on debates, or questions to the agents."""

from dissensus.consensus.learning.block import Lesson
from dissensus.consensus.protocol.debate import Debate
from dissensus.consensus.protocol.reflection import Reflection
from dissensus.consensus.protocol.sanity import Sanity
from dissensus.consensus.protocol.spec import DebateSpec, Persona

__all__ = ["Debate", "DebateSpec", "Lesson", "Persona", "Reflection", "Sanity"]

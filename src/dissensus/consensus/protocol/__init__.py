"""How a session of the consensus study goes: a debate, or a look back on debates."""

from dissensus.consensus.learning.block import Lesson
from dissensus.consensus.protocol.debate import Debate, Persona
from dissensus.consensus.protocol.reflection import Reflection

__all__ = ["Debate", "Lesson", "Persona", "Reflection"]

"""How a session goes: a debate, a look back on debates, or questions to the agents."""

from ..learning.block import Lesson
from .debate import DebateProtocol
from .reflection import Reflection
from .sanity import Sanity
from .spec import DebateSpec, Persona

__all__ = ["DebateProtocol", "DebateSpec", "Lesson", "Persona", "Reflection", "Sanity"]

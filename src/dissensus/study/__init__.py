"""What a study is: interface, settings, registry, sessions, and ``experiment``, the common kind.

In go a declaration and a configuration, out come sessions with all that each depends on. It may
import ``report``, ``session``, ``design`` and what is below them.
"""

"""One session: its steps, the rules a reply must keep, and the runner that holds it.

In go a spec and a protocol, out comes a transcript with every attempt at it. It may import
``llm``, ``text`` and ``tables``.
"""

"""How findings are shown: one look, one way with numbers, captions, tables and pages.

In go artefacts and a view, out come texts, drawings and HTML in which nothing of a model's can
run. It may import ``design``, ``stats``, ``text`` and ``tables``.
"""

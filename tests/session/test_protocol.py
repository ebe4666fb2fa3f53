"""Protocols: steps that begin anew at each attempt."""

from __future__ import annotations

from dissensus.session.protocol import Steps, restartable


def test_steps_begin_anew_each_time() -> None:
    begun = []

    @restartable
    def session(name: str, *, number: int) -> Steps:
        """Its words."""
        begun.append((name, number))
        yield []

    start = session("one", number=2)
    assert begun == [] and session.__doc__ == "Its words."
    for _ in range(2):
        assert next(start()) == []
    assert begun == [("one", 2), ("one", 2)]

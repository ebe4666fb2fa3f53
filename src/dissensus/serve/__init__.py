"""``dissensus serve``: the simulated models behind real HTTP, for rehearsals and tests."""

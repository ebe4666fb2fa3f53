"""One session: its steps, the rules a reply must keep, and the runner that holds it."""

"""Artefacts: the schema of each, checked when written and when read, written all or nothing.

In go rows, out come files with their provenance, and back. It imports no other room.
"""

import os

# Arrow's own allocator keeps memory aside for every thread, and sessions are threads. Arrow reads
# this once, when it is loaded.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

"""The deliberation study: debates without a set topology, and what may be done to them."""

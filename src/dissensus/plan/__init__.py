"""Before money is spent: calls, cost, a rehearsal, what is registered, power.

In go a configuration and manifests, out come lines for the terminal, plans and prices. It may
import ``study``, ``report`` and what is below them.
"""

"""While it runs: the lock, the start, jobs and their stages, how a run stops and ends, spending.

In goes what Snakemake tells of a job, out come its files, its log and one sentence for each fault.
It may import ``plan``, ``study``, ``report`` and what is below them; it alone knows Snakemake.
"""

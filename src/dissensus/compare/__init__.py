"""One estimand over several runs, or over several panels of one run.

In go the folders of finished runs, out comes a folder with their estimates, what they come to
together, what differs between the runs, and a page. It may import what is below it: ``plan``,
``run``, ``study``, ``report``, ``stats``, ``tables``.
"""

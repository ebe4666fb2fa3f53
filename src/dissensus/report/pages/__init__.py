"""The pages of a run: its front page, a page for each study, and the reader's.

In go what the stages of a run have left, out come HTML pages in which nothing of a model's can run.
"""

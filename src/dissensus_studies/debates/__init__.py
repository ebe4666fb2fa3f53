"""The study of debates that others ran: imported transcripts, measured and compared.

In goes a table of turns, out come manifest, transcripts, measures, estimates and figures; no model
is asked. It may import every room but ``keep``, and no other study.
"""

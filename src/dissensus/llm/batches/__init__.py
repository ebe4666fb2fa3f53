"""Batch mode: calls of many sessions sent together, hours long and at half the price."""

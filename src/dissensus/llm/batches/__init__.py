"""Batch mode: calls of many sessions are sent together, and take hours, at half the price."""

"""Tests of the language study."""

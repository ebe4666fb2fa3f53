"""Tests of the union study."""

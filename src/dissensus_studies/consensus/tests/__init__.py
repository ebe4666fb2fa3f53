"""Tests of the consensus study."""

"""Tests of the identity study."""

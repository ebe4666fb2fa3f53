"""Tests of the deliberation study."""

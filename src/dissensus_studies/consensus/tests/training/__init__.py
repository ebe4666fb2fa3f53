"""Tests of what CCAgent is trained by."""

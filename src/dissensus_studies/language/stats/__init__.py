"""Estimators that no other study has: numbers in, numbers out."""

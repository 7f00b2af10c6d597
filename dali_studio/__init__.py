"""DALI Studio."""

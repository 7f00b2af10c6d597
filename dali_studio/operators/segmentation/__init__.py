"""Operators on masks of objects."""

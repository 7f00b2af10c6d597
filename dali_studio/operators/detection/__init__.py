"""Operators on boxes of objects."""

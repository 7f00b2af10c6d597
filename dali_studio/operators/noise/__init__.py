"""Operators that add noise."""

"""Operators that combine neighbouring pixels."""

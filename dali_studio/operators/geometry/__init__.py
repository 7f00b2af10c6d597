"""Operators that move pixels."""

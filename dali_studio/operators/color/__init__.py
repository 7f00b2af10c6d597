"""Operators that change colours."""

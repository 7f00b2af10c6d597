"""Operators that decode files."""

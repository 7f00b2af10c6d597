"""Operators that cover, disturb or distort parts of an image."""

"""Operators that read data sets."""

"""Operators that bring data from the program."""

"""Operators on points, and transforms of them."""

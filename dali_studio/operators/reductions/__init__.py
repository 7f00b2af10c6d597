"""Reductions along axes."""

"""Branches: samples are split by a condition and merged again."""

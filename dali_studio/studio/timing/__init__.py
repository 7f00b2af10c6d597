"""Runs that are measured: times, timelines, advice, what failed."""

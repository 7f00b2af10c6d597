"""Data sets: what lies at a path, what reads it, and paths that travel."""

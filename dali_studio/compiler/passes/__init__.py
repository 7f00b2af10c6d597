"""Passes: one file each, listed in `dali_studio.compiler.pipeline`."""

"""Bridges to frameworks; same names as ``nvidia.dali.plugin``."""

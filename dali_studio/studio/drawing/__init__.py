"""Graphs as pictures and diagrams."""

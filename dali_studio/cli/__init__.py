"""The command line: ``dali-studio VERB``, or ``python -m dali_studio VERB``."""

from __future__ import annotations

from dali_studio.cli.verbs import FAILED, INTERRUPTED, main, make_parser

__all__ = ["FAILED", "INTERRUPTED", "main", "make_parser"]

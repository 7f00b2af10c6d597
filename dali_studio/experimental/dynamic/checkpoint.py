"""Checkpoints: where readers and generators of random numbers are."""

from __future__ import annotations

from dali_studio.api.dynamic.checkpoint import Checkpoint
from dali_studio.api.dynamic.context import EvalContext

__all__ = ["Checkpoint", "current"]


def current() -> Checkpoint:
    """The checkpoint of the current context."""
    return EvalContext.current().checkpoint

"""Marks of programs for Triton's DALI backend; same names as ``nvidia.dali.plugin.triton``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

__all__ = ["autoserialize"]

_Factory = TypeVar("_Factory", bound=Callable[..., Any])


def autoserialize(dali_pipeline: _Factory) -> _Factory:
    """Mark a function for Triton, which serializes the pipeline that it makes.

    The mark has no effect here: the server runs nvidia.dali, for which ``dali-studio export --triton`` writes programs.

    Parameters
    ----------
    dali_pipeline : callable
        What `pipeline_def` makes of a function.

    Raises
    ------
    DaliStudioError
        DS105 for anything else.
    """
    if not getattr(dali_pipeline, "_is_pipeline_def", False):
        raise DaliStudioError(
            Diagnostic(
                code="DS105", argument="dali_pipeline",
                message=f"{getattr(dali_pipeline, '__name__', dali_pipeline)!r} is not decorated by pipeline_def.",
                hint="Write @autoserialize above @pipeline_def.",
            )
        )  # fmt: skip
    vars(dali_pipeline)["_is_autoserialize"] = True  # as nvidia.dali marks it
    return dali_pipeline

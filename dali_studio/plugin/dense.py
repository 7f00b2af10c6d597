"""Batches that a framework takes as one tensor."""

from __future__ import annotations

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.tensors import TensorListCPU, TensorListGPU


def check_dense(name: str, batch: TensorListCPU | TensorListGPU, framework: str) -> None:
    """Refuse a batch whose samples differ in shape.

    Raises
    ------
    DaliStudioError
        DS304.
    """
    if batch.is_dense_tensor():
        return
    shapes = batch.shape()
    other = next(shape for shape in shapes if shape != shapes[0])
    raise DaliStudioError(
        Diagnostic(
            code="DS304",
            argument=name,
            message=f"The samples of {name!r} differ in shape ({shapes[0]} and {other}); {framework} takes a batch as "
            "one tensor.",
            hint="Resize, crop or pad them to one shape in the pipeline.",
        )
    )

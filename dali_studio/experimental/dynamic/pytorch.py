"""What joins dynamic mode to PyTorch: the method ``torch`` of tensors and batches."""

from __future__ import annotations

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"{__name__} has no {name!r}: nodes of torchdata are not available here. Iterate over a reader's next_epoch(), "
        "and call torch() of its batches.",
        name=name,
    )

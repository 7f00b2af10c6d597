"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class RandomMaskPixel:
    """Draws the place of a pixel in a mask: of any, or of one in the foreground.

    The foreground is what exceeds `threshold`, or equals `value`. Where a mask has none, any pixel is drawn. Gives the
    index along each axis, int64 (axes,).
    """
    def __init__(
        self,
        *,
        foreground: int | DataNode | None = 0,
        threshold: float | DataNode | None = 0.0,
        value: int | DataNode | None = ...,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        masks: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class RandomObjectBBox:
    """Draws an object in a labelled mask, and gives its bounding box.

    First a class is drawn, then one of the connected regions of its value; pixels that are neighbours along an axis
    are connected. Where there is no object, and with a probability of 1 - `foreground_prob`, it is the whole mask.
    Boxes are int32: where they begin and how large they are along each axis, or as `format` says; with `output_class`
    the class comes last.
    """
    def __init__(
        self,
        *,
        format: str | None = 'anchor_shape',
        foreground_prob: float | DataNode | None = 1.0,
        classes: int | _Sequence[int] | DataNode | None = ...,
        class_weights: float | _Sequence[float] | DataNode | None = ...,
        background: int | DataNode | None = ...,
        threshold: int | _Sequence[int] | DataNode | None = ...,
        k_largest: int | None = ...,
        ignore_class: bool | None = False,
        output_class: bool | None = False,
        cache_objects: bool | None = False,
        seed: int | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        masks: _Input,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class SelectMasks:
    """Keeps the polygons of some masks, as `readers.coco` gives them, in the order of `mask_ids`.

    Where a mask has several polygons, the last one is kept, as in nvidia.dali.
    """
    def __init__(
        self,
        *,
        reindex_masks: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        mask_ids: _Input,
        polygons: _Input,
        vertices: _Input,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

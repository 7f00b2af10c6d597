"""Decoders of a window of each picture: what they share."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.operators.decoders.common import (
    DecoderArguments,
    decode_parameters,
    decode_sample,
    decoding_ranges,
    headers,
    jpeg_images,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import JpegImages, Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.marks import Ignored
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import Allocates, PerSample, ReadsData, WindowSource


class WindowDecoder(DecoderArguments, Operator, abstract=True):
    """Base of operators that decode a window of each picture, and no more of the file than needed.

    A subclass defines ``windows`` and ``infer``.
    """

    category = "decoders"
    icon = "picture"
    node_name = "decode"
    inputs = (Input("files", "encoded"),)
    outputs = (Output("images", "image"),)
    traits = (PerSample, ReadsData, WindowSource, Allocates)
    devices = ("cpu", "mixed")
    tolerance = (
        Tolerance(
            2, relative=1e-7,
            reason="nvidia.dali decodes a window of 4:2:0 to other levels than the same pixels of the whole picture",
        ),
    )  # fmt: skip

    preallocate_height_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0
    preallocate_width_hint: Annotated[int, Ignored("memory is recycled between iterations")] = 0

    @classmethod
    def windows(
        cls, args: Args, shapes: NDArray[np.int64], *positions: Batch
    ) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
        """(N, 2) corners and sizes, as (y, x) and (height, width), of windows in pictures of (N, 3) `shapes`."""
        raise NotImplementedError

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        found = headers(args, inputs[0])
        anchors, sizes = cls.windows(args, found.shapes, *inputs[1:])
        windows = np.concatenate([anchors, sizes], axis=1)
        return Work(
            np.concatenate([sizes.astype(np.int64), found.shapes[:, 2:]], axis=1),
            {**decode_parameters(args, found), "windows": windows},
        )

    @staticmethod
    def jpeg_images(work: Work) -> JpegImages | None:
        return jpeg_images(work.params, work.params["windows"])

    @classmethod
    def cpu_ranges(
        cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]
    ) -> Callable[[int, int], list[int]] | None:
        return decoding_ranges(cls.jpeg_images(work), inputs[0], outputs[0])

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> NDArray[Any]:
        data, out = inputs[0], outputs[0]
        y, x, height, width = work.params["windows"][index].tolist()
        if "window" in options:
            dy, dx, height, width = options["window"]
            y, x = y + dy, x + dx
        return decode_sample(work.params, index, data, out, (y, x, height, width))

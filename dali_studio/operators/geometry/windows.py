"""The crop window that several operators share: arguments and arithmetic."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.window_rows import KEEP, TRIM, windows
from dali_studio.operators.common import as_written
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, MOST_PIXELS, PER_SAMPLE, Choices, Doc, Length, Range, Refused, Ui, Unit

_VOLUMES = "volumes (DHWC) are not supported yet"


class CropArguments:
    """Size and place of a crop window, and what happens outside the image."""

    crop: Annotated[
        list[float] | None, Doc("Height and width of the window."), Unit("px"), Length((2,)),
        Range(maximum=MOST_PIXELS), PER_SAMPLE, COMMON,
    ] = None  # fmt: skip
    crop_h: Annotated[
        float, Doc("Height of the window; 0 keeps the image's. Goes with crop_w."), Unit("px"), Ui("slider", (0, 512)),
        Range(0, MOST_PIXELS), PER_SAMPLE, COMMON,
    ] = 0.0  # fmt: skip
    crop_w: Annotated[
        float, Doc("Width of the window; 0 keeps the image's. Goes with crop_h."), Unit("px"), Ui("slider", (0, 512)),
        Range(0, MOST_PIXELS), PER_SAMPLE, COMMON,
    ] = 0.0  # fmt: skip
    crop_d: Annotated[float, Doc("Depth of the window."), Refused(_VOLUMES), PER_SAMPLE] = 0.0
    crop_pos_x: Annotated[
        float, Doc("Place of the window between the left (0) and the right (1) edge."),
        Ui("slider", (0, 1)), Range(0, 1),
        PER_SAMPLE, COMMON,
    ] = 0.5  # fmt: skip
    crop_pos_y: Annotated[
        float, Doc("Place of the window between the top (0) and the bottom (1) edge."),
        Ui("slider", (0, 1)), Range(0, 1),
        PER_SAMPLE, COMMON,
    ] = 0.5  # fmt: skip
    crop_pos_z: Annotated[float, Doc("Place of the window in depth."), Refused(_VOLUMES), PER_SAMPLE] = 0.5
    rounding: Annotated[
        str, Doc("How a window's corner between two pixels is placed: on the nearest, or on the one before."),
        Choices(("round", "truncate")),
    ] = "round"  # fmt: skip
    out_of_bounds_policy: Annotated[
        str, Doc("What a window that leaves the image does: stop, pad with fill_values, or shrink to the image."),
        Choices(("error", "pad", "trim_to_shape")),
    ] = "error"  # fmt: skip
    fill_values: Annotated[
        list[float], Doc("Value outside the image where it is padded: one for all channels, or one per channel.")
    ] = [0.0]  # noqa: RUF012 - a declaration, read once


def check_crop_arguments(args: Args) -> None:
    """Refuse a part of a size, or two sizes (DS105)."""
    if args.given("crop_h") != args.given("crop_w"):
        missing = "crop_w" if args.given("crop_h") else "crop_h"
        raise ArgumentError(
            "crop_h and crop_w belong together; only one is given.", hint=f"Give {missing} as well.", argument=missing
        )
    if args.given("crop_d") and not args.given("crop_h"):
        raise ArgumentError(
            "crop_d is given without crop_h and crop_w.", hint="Take it away, or give both.", argument="crop_d"
        )
    if args.given("crop") and args.given("crop_h"):
        raise ArgumentError(
            "the window has two sizes: crop, and crop_h with crop_w.", hint="Give one of them.", argument="crop"
        )


def crop_windows(
    args: Args, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Windows of a batch.

    Parameters
    ----------
    args : Args
        With the arguments of `CropArguments`.
    sizes : ndarray
        (N, 2) heights and widths of the images.

    Returns
    -------
    anchors, crops : ndarray
        (N, 2) int64 each, as (y, x) and (height, width). The corner is ``round(crop_pos * (size - crop))`` with the
        float32 position multiplied in double precision, as in nvidia.dali.
    outside : ndarray
        (N,) bool: whether a window leaves its image.

    Raises
    ------
    ArgumentError
        DS105 with the sample, if a window leaves its image and the policy is "error".
    """
    if args.given("crop"):
        requested = args.vectors("crop", 2)
        heights, widths = requested[:, 0], requested[:, 1]
    else:
        heights, widths = args.scalars("crop_h"), args.scalars("crop_w")
    policy = args["out_of_bounds_policy"]
    anchors, crops, outside = windows(
        sizes, heights, widths, (args.scalars("crop_pos_y"), args.scalars("crop_pos_x")),
        nearest=args["rounding"] == "round", policy=TRIM if policy == "trim_to_shape" else KEEP,
    )  # fmt: skip
    if policy == "error" and outside.any():
        index = int(np.argmax(outside))
        (h, w), (ch, cw) = sizes[index].tolist(), crops[index].tolist()
        raise ArgumentError(
            f"the window of {ch}×{cw} does not fit into the image of {h}×{w}.",
            hint='Make it smaller, resize before, or set out_of_bounds_policy to "pad".',
            argument="crop" if args.given("crop") else "crop_h", sample=index,
        )  # fmt: skip
    return anchors, crops, outside


def inside(anchors: NDArray[np.int64], crops: NDArray[np.int64], sizes: NDArray[np.int64]) -> bool:
    """Whether all windows lie inside their images and are not empty."""
    return bool(((anchors >= 0) & (anchors + crops <= sizes) & (crops > 0)).all())


def fill_values(
    args: Args, channels: NDArray[np.int64], padded: NDArray[np.bool_], dtype: np.dtype[Any]
) -> list[float]:
    """What is written outside the images: the argument under the policy "pad", otherwise 0.

    Parameters
    ----------
    channels : ndarray
        (N,) channels of the outputs.
    padded : ndarray
        (N,) whether anything is written outside the image.
    dtype : numpy.dtype
        Of the output. Integers take the values truncated and wrapped around, as nvidia.dali's C cast does.

    Raises
    ------
    ArgumentError
        DS105 with the sample, if neither one value nor one per channel is given.
    """
    given = args["fill_values"] if args["out_of_bounds_policy"] == "pad" else (0.0,)
    wrong = padded & (channels != len(given)) if len(given) != 1 else None
    if wrong is not None and wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            f"{len(given)} values are given for {channels[index]} channels.",
            hint="Give one value, or one per channel.",
            argument="fill_values", sample=index,
        )  # fmt: skip
    return _as_written(tuple(given), dtype)


@lru_cache(maxsize=64)
def _as_written(given: tuple[float, ...], dtype: np.dtype[Any]) -> list[float]:
    values = np.asarray(given, np.float64)
    return (as_written(values, dtype) if dtype.kind in "iu" else values).tolist()

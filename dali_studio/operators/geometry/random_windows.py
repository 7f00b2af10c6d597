"""Random windows of a given area and aspect ratio, which several operators share: arguments, checks, draws."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.limits import MAX_ATTEMPTS
from dali_studio.core.random import SAMPLE_STRIDE
from dali_studio.kernels.cpu.crop_window import random_crop_windows
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, Doc, Length, Range, Ui


class RandomWindowArguments:
    """Area and aspect ratio of random windows, and their seed."""

    random_area: Annotated[
        list[float],
        Doc("Smallest and largest area of the window, as a fraction of the image's. A drawn one that does not fit is "
            "drawn again."),
        Length((2,)), Ui("range", (0, 1)), Range(0), COMMON,
    ] = [0.08, 1.0]  # fmt: skip # noqa: RUF012
    random_aspect_ratio: Annotated[
        list[float], Doc("Smallest and largest ratio of the window's width to its height."), Length((2,)),
        Ui("range", (0.25, 4)), Range(0), COMMON,
    ] = [3 / 4, 4 / 3]  # fmt: skip # noqa: RUF012
    num_attempts: Annotated[
        int, Doc("How often area and ratio are drawn before a fallback is taken."), Range(1, MAX_ATTEMPTS)
    ] = 10
    seed: Annotated[int | None, Doc("Seed of the windows; unset: the pipeline hands one out.")] = None


def check_window_ranges(args: Args) -> None:
    """Refuse ranges of area or ratio that are empty (DS105)."""
    for name in ("random_area", "random_aspect_ratio"):
        low, high = args[name]
        if not 0 < high >= low or (low == 0 and name != "random_area"):
            raise ArgumentError(
                f"[{low:g}, {high:g}] is not an interval above 0.", hint="Give the smaller number first, above 0.",
                argument=name,
            )  # fmt: skip
    if args["random_area"][0] > 1:
        raise ArgumentError(
            f"No window of {args['random_area'][0]:g} times the image's area fits.",
            hint="Give a smallest area of at most 1.", argument="random_area",
        )  # fmt: skip


def random_windows(args: Args, sizes: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(N, 2) corners and sizes, as (y, x) and (height, width), of windows in images of (N, 2) `sizes`."""
    context = args.context
    options = (args["random_area"], args["random_aspect_ratio"], args["num_attempts"], context.stream_offset)
    if context.iterations > 1:
        return random_crop_windows(context.seed, context.starts, sizes, *options)
    if context.whole or np.array_equal(context.drawn, np.arange(len(sizes))):
        return random_crop_windows(context.seed, context.samples_so_far, sizes, *options)
    anchors, crops = np.empty((2, len(sizes), 2), np.int32)
    for i, index in enumerate(context.drawn.tolist()):
        start = context.samples_so_far + SAMPLE_STRIDE * index
        anchors[i : i + 1], crops[i : i + 1] = random_crop_windows(context.seed, start, sizes[i : i + 1], *options)
    return anchors, crops

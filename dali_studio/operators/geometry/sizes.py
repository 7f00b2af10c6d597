"""The output size and region of interest of resizing operators: arguments and arithmetic."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.size_batch import MODES, sizes_and_regions
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, MAX_PIXELS, PER_SAMPLE, Choices, Doc, Length, Range, Start, Ui, Unit

Sizes = NDArray[np.float64]
_UNLIMITED = np.float32(np.inf)
_SEPARATE = ("resize_z", "resize_y", "resize_x")
_LISTS = ("size", "max_size", "roi_start", "roi_end")
_EXTENT = Range(-MAX_PIXELS, MAX_PIXELS)


class RegionArguments:
    """The part of the input that is resized, and how sizes are completed."""

    max_size: Annotated[
        list[float] | None, Doc("Upper limit of height and width, of volumes of the depth, too."), Unit("px"),
        Length((1, 2, 3)),
    ] = None  # fmt: skip
    mode: Annotated[
        str,
        Doc(
            "How size, resize_x and resize_y are meant: as given, without keeping the aspect ratio of a missing side, "
            "or as a box that the result fits into (not_larger) or covers (not_smaller)."
        ),
        Choices(MODES),
    ] = "default"  # fmt: skip
    roi_start: Annotated[
        list[float] | None,
        Doc("Corner (y, x) of the part that is resized, of volumes (z, y, x); beyond roi_end mirrors."),
        Length((1, 2, 3)),
        PER_SAMPLE,
    ] = None
    roi_end: Annotated[
        list[float] | None, Doc("Opposite corner of the part that is resized."), Length((1, 2, 3)), PER_SAMPLE
    ] = None
    roi_relative: Annotated[bool, Doc("roi_start and roi_end are fractions of the input's size.")] = False
    subpixel_scale: Annotated[
        bool, Doc("With a fractional size: adjust the part that is resized, so that the scale is exact.")
    ] = True


class SizeArguments(RegionArguments):
    """The size to resize to (one way of giving it)."""

    resize_x: Annotated[
        float, Doc("Width; 0 follows from the height with the aspect ratio kept."), Unit("px"), Ui("slider", (0, 512)),
        _EXTENT, PER_SAMPLE, COMMON,
    ] = 0.0  # fmt: skip
    resize_y: Annotated[
        float, Doc("Height; 0 follows from the width with the aspect ratio kept."), Unit("px"), Ui("slider", (0, 512)),
        _EXTENT, PER_SAMPLE, COMMON,
    ] = 0.0  # fmt: skip
    resize_z: Annotated[
        float, Doc("Depth of volumes; 0 follows from the other extents."), Unit("px"), _EXTENT, PER_SAMPLE
    ] = 0.0
    size: Annotated[
        list[float] | None,
        Doc("Height and width, of volumes depth, height and width; or one value for all. Negative values mirror."),
        Unit("px"), Length((1, 2, 3)), _EXTENT, PER_SAMPLE, COMMON,
    ] = None  # fmt: skip
    resize_shorter: Annotated[
        float, Doc("Size of the shorter side, with the aspect ratio kept."), Unit("px"), Ui("slider", (0, 512)),
        Start(256.0), _EXTENT, PER_SAMPLE, COMMON,
    ] = 0.0  # fmt: skip
    resize_longer: Annotated[
        float,
        Doc("Size of the longer side, with the aspect ratio kept."),
        Unit("px"),
        Ui("slider", (0, 512)),
        _EXTENT,
        PER_SAMPLE,
    ] = 0.0


def check_size_arguments(args: Args, axes: int | None) -> None:
    """Refuse no size, more than one, and numbers that are not one, or one for each of the `axes`, if they are known."""
    ways = {
        "resize_x or resize_y": any(args.given(name) for name in _SEPARATE),
        "size": args.given("size"),
        "resize_shorter": args.given("resize_shorter"),
        "resize_longer": args.given("resize_longer"),
    }
    given = [name for name, is_given in ways.items() if is_given]
    if len(given) != 1:
        what = "no size is given" if not given else f"the size is given in {len(given)} ways: {', '.join(given)}"
        raise ArgumentError(f"{what}.", hint=f"Give one of: {', '.join(ways)}.", argument="size", code="DS103")
    if args.given("mode") and given[0] in ("resize_shorter", "resize_longer"):
        raise ArgumentError(
            f"mode and {given[0]} exclude each other.", hint="Take mode away, or give size instead.", argument="mode"
        )
    check_region(args)
    for name in _LISTS:
        count = len(args[name] or ())
        if axes is not None and count not in (0, 1, axes):
            raise ArgumentError(
                f"{count} values are given; {name} takes 1 or {axes} here.", hint=f"Give {axes} values.", argument=name
            )


def check_region(args: Args) -> None:
    """Refuse a half of a region (DS105)."""
    if args.given("roi_start") != args.given("roi_end"):
        missing = "roi_end" if args.given("roi_start") else "roi_start"
        raise ArgumentError("roi_start and roi_end belong together.", hint=f"Give {missing} as well.", argument=missing)


def output_sizes(args: Args, in_sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], Sizes]:
    """Sizes and regions of a batch.

    Parameters
    ----------
    args : Args
        With the arguments of `SizeArguments`.
    in_sizes : ndarray
        (N, K) heights and widths, or depths, heights and widths.

    Returns
    -------
    sizes : ndarray
        (N, K) int64, rounded half away from zero, at least 1.
    rois : ndarray
        (N, 2 K) float64: (y0, x0, y1, x1) in pixels, or (z0, y0, x0, z1, y1, x1); start beyond end mirrors.
    """
    low, high = regions(args, in_sizes)
    axes, mode = in_sizes.shape[1], _mode(args)
    # nvidia.dali computes wanted sizes in single precision: it decides which pixel is the nearest at ties
    requested = args.constant_for(("requested", axes), lambda: _requested(args, axes))
    limit = args.constant_for(("limits", axes), lambda: limits(args, requested))
    return sizes_and_regions(low, high, requested, MODES.index(mode), limit, exact=args["subpixel_scale"])


def limits(args: Args, requested: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, K) largest sizes; sizes of 0 keep the image's, whatever the limit is."""
    if not args.given("max_size"):
        return np.broadcast_to(_UNLIMITED, requested.shape)
    limit = args.vectors("max_size", requested.shape[1])
    return np.where((limit > 0) & requested.any(axis=1, keepdims=True), limit, _UNLIMITED)


def regions(args: Args, in_sizes: NDArray[np.int64]) -> tuple[Sizes, Sizes]:
    """(N, K) begins and ends of what is resized, in pixels."""
    if not args.given("roi_start"):
        return np.zeros(in_sizes.shape), in_sizes.astype(np.float64)
    width = in_sizes.shape[1]
    low, high = (args.vectors(name, width, np.float32) for name in ("roi_start", "roi_end"))
    if args["roi_relative"]:  # products of single precision, as in nvidia.dali: sizes that follow may be ties
        whole = in_sizes.astype(np.float32)
        low, high = low * whole, high * whole
    return low.astype(np.float64), high.astype(np.float64)


#: The mode of sizes of one side.
_SIDES = {"resize_shorter": "not_smaller", "resize_longer": "not_larger"}


def _mode(args: Args) -> str:
    return next((mode for name, mode in _SIDES.items() if args.given(name)), args["mode"])


def _requested(args: Args, axes: int) -> NDArray[np.float32]:
    if args.given("size"):
        return args.vectors("size", axes)
    for name in _SIDES:
        if args.given(name):
            return np.repeat(args.scalars(name)[:, None], axes, axis=1)
    return np.stack([args.scalars(name) for name in _SEPARATE[-axes:]], axis=1)

"""The crop window that several operators share: arguments and arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.window_batch import KEEP, TRIM, windows
from dali_studio.operators.common import PICTURES, T, as_written, spatial_axes
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, MAX_PIXELS, PER_SAMPLE, Choices, Doc, Length, Range, Ui, Unit

#: What axes without names are taken as.
UNNAMED = "HWC DHWC FDHWC"


#: Element types, besides the input's, that windows can be converted to.
CONVERTED = (T.UINT8, T.FLOAT16, T.FLOAT)


#: Policies by which the input goes on outside.
RULES = {
    "edge": Border.CLAMP, "clamp": Border.CLAMP, "reflect": Border.REFLECT_1001, "reflect_1001": Border.REFLECT_1001,
    "reflect_101": Border.REFLECT_101, "wrap": Border.WRAP,
}  # fmt: skip
_FILLED = {"pad": "pad", "constant": "constant"}


class OutOfBounds:
    """What happens outside the input."""

    out_of_bounds_policy: Annotated[
        str, Doc("What a window that leaves the input does: stop, pad (or constant: the same) with fill_values, or "
                 "shrink to the input."),
        Choices(("error", "pad", "constant", "trim_to_shape"), _FILLED),
    ] = "error"  # fmt: skip
    fill_values: Annotated[
        list[float], Doc("Value outside the input where it is padded: one for all channels, or one per channel.")
    ] = [0.0]  # noqa: RUF012 - a declaration, read once


class ContinuedOutOfBounds(OutOfBounds):
    """What happens outside the input, which may go on there."""

    out_of_bounds_policy: Annotated[
        str,
        Doc("What a window that leaves the input does: stop, pad (or constant: the same) with fill_values, shrink to "
            "the input; or take the input's last elements (edge, clamp), its elements backwards, with the last ones "
            "twice (reflect, reflect_1001) or once (reflect_101), or its elements once more (wrap)."),
        Choices(("error", "pad", "constant", "trim_to_shape", *RULES), {
            **_FILLED, **{name: name for name in RULES}, "101": "reflect_101", "reflect101": "reflect_101",
            "1001": "reflect_1001", "reflect1001": "reflect_1001",
        }),
    ] = "error"  # fmt: skip


class WindowArguments:
    """Size and place of a crop window."""

    crop: Annotated[
        list[float] | None,
        Doc("Height and width of the window, or depth, height and width; without D in the layout F is the depth."),
        Unit("px"), Length((2, 3)),
        Range(maximum=MAX_PIXELS), PER_SAMPLE, COMMON,
    ] = None  # fmt: skip
    crop_h: Annotated[
        float, Doc("Height of the window; 0 keeps the image's. Goes with crop_w."), Unit("px"), Ui("slider", (0, 512)),
        Range(0, MAX_PIXELS), PER_SAMPLE, COMMON,
    ] = 0.0  # fmt: skip
    crop_w: Annotated[
        float, Doc("Width of the window; 0 keeps the image's. Goes with crop_h."), Unit("px"), Ui("slider", (0, 512)),
        Range(0, MAX_PIXELS), PER_SAMPLE, COMMON,
    ] = 0.0  # fmt: skip
    crop_d: Annotated[
        float, Doc("Depth of the window, or its number of frames; 0 keeps all. Goes with crop_h and crop_w."),
        Unit("px"), Range(0, MAX_PIXELS), PER_SAMPLE,
    ] = 0.0  # fmt: skip
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
    crop_pos_z: Annotated[
        float, Doc("Place of the window between the first (0) and the last (1) slice."), Ui("slider", (0, 1)),
        Range(0, 1), PER_SAMPLE,
    ] = 0.5  # fmt: skip
    rounding: Annotated[
        str, Doc("How a window's corner between two pixels is placed: on the nearest, or on the one before."),
        Choices(("round", "truncate")),
    ] = "round"  # fmt: skip


class CropArguments(WindowArguments, OutOfBounds):
    """A crop window, which may leave the input."""


def policy_of(args: Args) -> str:
    """What a window does that leaves the input; operators without the argument stop."""
    given = args["out_of_bounds_policy"] if args.schema.argument("out_of_bounds_policy") else "error"
    return "pad" if given == "constant" else given


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


def crop_layout(args: Args, layout: str) -> str:
    """The layout with F, where it is cropped as the depth is, called D."""
    return layout.replace("F", "D") if "D" not in layout and _asks_for_depth(args) else layout


def keeps_frames(args: Args, meta: TensorMeta) -> bool:
    """Whether frames are to be computed one by one: on a GPU, or where arguments may differ between them."""
    return not _asks_for_depth(args) and (meta.device == "gpu" or not args.constant)


def _asks_for_depth(args: Args) -> bool:
    return args.given("crop_d") or _numbers(args) == len("DHW")


def crop_windows(
    args: Args, sizes: NDArray[np.int64], policy: str = ""
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Windows of a batch.

    Parameters
    ----------
    args : Args
        With the arguments of `WindowArguments`, and perhaps of `OutOfBounds`.
    sizes : ndarray
        (N, 2) heights and widths of the images, or (N, 3) depths, heights and widths.
    policy : str
        What a window does that leaves its image; empty: as the arguments say.

    Returns
    -------
    anchors, crops : ndarray
        int64, of the shape of `sizes`: first pixels and extents. The corner is ``round(crop_pos * (size - crop))`` with
        the float32 position multiplied in double precision, as in nvidia.dali.
    outside : ndarray
        (N,) bool: whether a window leaves its image.

    Raises
    ------
    ArgumentError
        DS105 with the sample, if a window leaves its image and the policy is "error".
    """
    depths = args.scalars("crop_d")
    if args.given("crop"):
        requested = args.vectors("crop", _numbers(args))
        heights, widths = requested[:, -2], requested[:, -1]
        depths = requested[:, 0] if requested.shape[1] == len("DHW") else depths
    else:
        heights, widths = args.scalars("crop_h"), args.scalars("crop_w")
    policy = policy or policy_of(args)
    options: dict[str, Any] = {
        "nearest": args["rounding"] == "round", "policy": TRIM if policy == "trim_to_shape" else KEEP,
    }  # fmt: skip
    anchors, crops, outside = windows(
        sizes[:, -2:], heights, widths, (args.scalars("crop_pos_y"), args.scalars("crop_pos_x")), **options
    )
    if sizes.shape[1] == len("DHW"):
        place = args.scalars("crop_pos_z")
        first, depth, beyond = windows(sizes[:, :2], depths, heights, (place, place), **options)
        anchors, crops = np.hstack([first[:, :1], anchors]), np.hstack([depth[:, :1], crops])
        outside = outside | (first[:, 0] < 0) | (first[:, 0] + depth[:, 0] > sizes[:, 0])
        del beyond  # of the height, once more
    if policy == "error" and outside.any():
        index = int(np.argmax(outside))
        size, crop = ("×".join(map(str, table[index].tolist())) for table in (sizes, crops))
        over = (anchors[index] < 0) | (anchors[index] + crops[index] > sizes[index])
        side = ("crop_d", "crop_h", "crop_w")[-sizes.shape[1] :][int(np.argmax(over))]
        raise ArgumentError(
            f"the window of {crop} does not fit into the image of {size}.",
            hint='Make it smaller, resize before, or set out_of_bounds_policy to "pad".',
            argument="crop" if args.given("crop") else side, sample=index,
        )  # fmt: skip
    return anchors, crops, outside


def _numbers(args: Args) -> int:
    """How many extents `crop` has; where it is fed, as many as for the first sample."""
    fed = args.samples("crop")
    if fed is None:
        return len(args["crop"] or ())
    return len("DHW") if len(fed) and np.size(fed[0]) == len("DHW") else len("HW")


def continued(
    args: Args, shapes: NDArray[np.int64], extents: NDArray[np.int64], outside: NDArray[np.bool_]
) -> Border:
    """How inputs of `shapes` go on where windows of `extents` leave them; CONSTANT where they are filled, or none does.

    Raises
    ------
    ArgumentError
        DS105 with the sample, if there is nothing that could go on.
    """
    border = RULES.get(policy_of(args), Border.CONSTANT) if outside.any() else Border.CONSTANT
    empty = ((shapes == 0) & (extents > 0)).any(axis=1)
    if border is not Border.CONSTANT and empty.any():
        index = int(np.argmax(empty))
        raise ArgumentError(
            f"the input of shape {tuple(shapes[index].tolist())} has no element to go on with outside.",
            hint='Set out_of_bounds_policy to "pad".', argument="out_of_bounds_policy", sample=index,
        )  # fmt: skip
    return border


def image_window(params: Mapping[str, Any]) -> NDArray[np.int64] | None:
    """What a ``WindowSink`` reads, if all windows lie inside their images, which are no volumes, and are not empty."""
    anchors, crops, sizes = params["anchors"], params["crops"], params["sizes"]
    if params["layout"] not in PICTURES or not bool(
        ((anchors >= 0) & (anchors + crops <= sizes) & (crops > 0)).all()
    ):
        return None
    return np.concatenate([anchors, crops], axis=1)


def first_elements(params: Mapping[str, Any], index: int | slice) -> NDArray[np.int64]:
    """The first element that is shown, along all axes, of one sample or of several."""
    anchors = params["anchors"][index]
    made = np.zeros((*anchors.shape[:-1], len(params["layout"])), np.int64)
    made[..., list(spatial_axes(params["layout"]))] = anchors
    return made


def fill_values(
    args: Args, channels: NDArray[np.int64], padded: NDArray[np.bool_], dtype: np.dtype[Any]
) -> list[float]:
    """What is written outside the images: the argument under the policy "pad", otherwise 0.

    Parameters
    ----------
    channels : ndarray
        (N,) channels of the outputs.
    padded : ndarray
        (N,) whether the number of values must fit: if anything is written outside the image.
    dtype : numpy.dtype
        Of the output. Integers take the values truncated and wrapped around, as nvidia.dali's C cast does.

    Raises
    ------
    ArgumentError
        DS105 with the sample, if neither one value nor one per channel is given.
    """
    given = args["fill_values"] if policy_of(args) == "pad" else (0.0,)
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
    values = np.asarray(given, np.float32).astype(np.float64)  # single precision, as nvidia.dali's arguments
    return (as_written(values, dtype) if dtype.kind in "iu" else values).tolist()

"""What filters share: which axes of an input are filtered, and layouts of images."""

from __future__ import annotations

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.correlate import MAX_AXES
from dali_studio.operators.common import image_meta

#: Of images with any number of channels, or with none.
LAYOUTS = "HW HWC CHW"


def filtered_axes(layout: str, ndim: int, verb: str = "filtered") -> tuple[int, int]:
    """The first axis that is filtered, and how many are: all but F and C.

    Raises
    ------
    ArgumentError
        DS203 where there is none, there are too many, or C lies between them.
    """
    first = len(layout) - len(layout.lstrip("FC"))
    count = ndim - first - ("C" in layout[first:] and layout.endswith("C"))
    if not 0 < count <= MAX_AXES or set(layout[first : first + count]) & set("FC"):
        given = f"the layout {layout!r}" if layout else f"{ndim} axes"
        raise ArgumentError(
            f"the input has {given}; one to {MAX_AXES} axes can be {verb}, with C before or behind them.",
            hint="Give the source a layout such as HWC, CHW or DHWC, or transpose the input.", code="DS203",
        )  # fmt: skip
    return first, count


def rows_of(meta: TensorMeta) -> int:
    """The axis of rows of an image."""
    return (pixel_layout(meta).layout or "").index("H")


def pixel_layout(meta: TensorMeta) -> TensorMeta:
    """The input's facts with the layout filled in: two axes without names are HW, three are HWC.

    Raises
    ------
    ArgumentError
        DS203 for another layout or number of axes.
    """
    if not meta.layout and meta.ndim == len("HW"):
        return meta.with_(layout="HW")
    return image_meta(meta, "HWC CHW" if meta.layout != "HW" else "HW")

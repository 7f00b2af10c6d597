"""Contact sheets: samples of image outputs on one picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from dali_studio.core.tensors import TensorListCPU

#: Samples per output.
_COLUMNS = 8
#: Side of a sample, in inches.
_SIDE = 1.9


def contact_sheet(names: Sequence[str], outputs: Sequence[TensorListCPU]) -> bytes | None:
    """Draw a row of samples for every output that holds images.

    Parameters
    ----------
    names, outputs
        What the pipeline returned.

    Returns
    -------
    bytes or None
        A PNG, or ``None`` if no output holds images.
    """
    shown = [(name, batch) for name, batch in zip(names, outputs, strict=True) if _is_image(batch)]
    if not shown:
        return None
    others = [(name, batch) for name, batch in zip(names, outputs, strict=True) if _is_short(batch)]
    columns = min(_COLUMNS, max(len(batch) for _, batch in shown))
    figure = Figure(figsize=(_SIDE * columns, (_SIDE + 0.35) * len(shown)), layout="constrained")
    axes: Any = figure.subplots(len(shown), columns, squeeze=False)
    for row, (name, batch) in enumerate(shown):
        for column in range(columns):
            place = axes[row, column]
            place.set_axis_off()
            if column >= len(batch):
                continue
            sample = batch.at(column)
            title = [f"{_title(name)} {'×'.join(str(extent) for extent in sample.shape)}"]
            title += [
                f"{_title(other)} {values.at(column).ravel().tolist()}"
                for other, values in others
                if column < len(values)
            ]
            place.imshow(_displayable(sample, batch.layout()), cmap="gray", vmin=0, vmax=255)
            place.set_title("\n".join(title), fontsize=6, parse_math=False)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=110, format="png")
    return picture.getvalue()


def _title(name: str) -> str:
    return name[:40].encode(errors="replace").decode()


def _is_image(batch: TensorListCPU) -> bool:
    """Whether samples have height, width and a number of channels that can be drawn."""
    layout = batch.layout()
    if sorted(layout) == ["H", "W"]:
        return True
    return sorted(layout) == ["C", "H", "W"] and all(shape[layout.index("C")] in (1, 3, 4) for shape in batch.shape())


def _is_short(batch: TensorListCPU) -> bool:
    return not _is_image(batch) and all(int(np.prod(shape)) <= 4 for shape in batch.shape())


def _displayable(sample: NDArray[Any], layout: str) -> NDArray[np.uint8]:
    """Pixels as bytes, channels last; what is not uint8 is stretched over its own range."""
    image = np.moveaxis(sample, layout.index("C"), -1) if "C" in layout else sample
    if image.dtype != np.uint8:
        values = image.astype(np.float64)
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        image = np.rint((values - low) * (255.0 / ((high - low) or 1.0))).astype(np.uint8)
    return image[..., 0] if image.ndim == 3 and image.shape[-1] == 1 else image

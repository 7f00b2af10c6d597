"""Contact sheets: samples of image outputs on one picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dali_studio.cli.pictures import displayable, is_image
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
    shown = [(name, batch) for name, batch in zip(names, outputs, strict=True) if is_image(batch)]
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
            place.imshow(displayable(sample, batch.layout()), cmap="gray", vmin=0, vmax=255)
            place.set_title("\n".join(title), fontsize=6, parse_math=False)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=110, format="png")
    return picture.getvalue()


def _title(name: str) -> str:
    return name[:40].encode(errors="replace").decode()


def _is_short(batch: TensorListCPU) -> bool:
    return not is_image(batch) and all(int(np.prod(shape)) <= 4 for shape in batch.shape())

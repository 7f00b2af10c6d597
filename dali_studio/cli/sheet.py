"""Contact sheets: samples of image outputs on one image, which moves where there are sequences."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from dali_studio.cli.images import displayable, frame, is_image, is_sequence
from dali_studio.core.tensors import TensorListCPU
from dali_studio.core.timed import TimedSource

#: Samples per output.
_COLUMNS = 8
#: Side of a sample, in inches.
_SIDE = 1.9
#: Frames of an animation, at most, and milliseconds of one where nothing says when frames are shown.
_MAX_FRAMES, _EACH = 100, 40
_QUALITY, _DPI = 80, 110


class Sheet(NamedTuple):
    """A contact sheet.

    Attributes
    ----------
    png : bytes
    webp : bytes
        An animation of all frames of sequences; empty if no output holds sequences.
    """

    png: bytes
    webp: bytes


def contact_sheet(names: Sequence[str], outputs: Sequence[TensorListCPU]) -> Sheet | None:
    """Draw a row of samples for every output that holds images.

    Parameters
    ----------
    names, outputs
        What the pipeline returned.

    Returns
    -------
    Sheet or None
        ``None`` if no output holds images.
    """
    shown = [(name, batch) for name, batch in zip(names, outputs, strict=True) if is_image(batch)]
    if not shown:
        return None
    others = [(name, batch) for name, batch in zip(names, outputs, strict=True) if _is_short(batch)]
    columns = min(_COLUMNS, max(len(batch) for _, batch in shown))
    figure = Figure(figsize=(_SIDE * columns, (_SIDE + 0.35) * len(shown)), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    moving: list[tuple[Any, NDArray[Any], str]] = []
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
            shows_frames = is_sequence(batch.layout()) and len(sample) > 1
            still = frame(sample, batch.layout(), 0) if shows_frames else displayable(sample, batch.layout())
            drawn = place.imshow(still, cmap="gray", vmin=0, vmax=255)
            if shows_frames:
                moving.append((drawn, sample, batch.layout()))
            place.set_title("\n".join(title), fontsize=6, parse_math=False)
    figure.set_dpi(_DPI)
    canvas.draw()  # places are known from here on
    webp = _animated(canvas, moving, _each([batch for _, batch in shown])) if moving else b""
    for drawn, sample, layout in moving:  # four frames beside each other in a picture that does not move
        four = displayable(sample, layout)
        drawn.set_data(four)
        drawn.set_extent((-0.5, four.shape[1] - 0.5, four.shape[0] - 0.5, -0.5))
    image = io.BytesIO()
    figure.savefig(image, dpi=_DPI, format="png")
    return Sheet(image.getvalue(), webp)


def _animated(canvas: FigureCanvasAgg, moving: Sequence[tuple[Any, NDArray[Any], str]], each: int) -> bytes:
    """The figure, drawn once, with one frame after the other in the places of sequences; each stays on its last one."""
    page = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    count = min(max(len(sample) for _, sample, _ in moving), _MAX_FRAMES)
    pages: list[Image.Image] = []
    for number in range(count):
        made = page.copy()
        for drawn, sample, layout in moving:
            box = drawn.get_window_extent()
            left, top = round(box.x0), round(page.height - box.y1)
            size = max(round(box.width), 1), max(round(box.height), 1)
            pixels = Image.fromarray(frame(sample, layout, min(number, len(sample) - 1)))
            made.paste(pixels.resize(size, Image.Resampling.BILINEAR), (left, top))
        pages.append(made)
    image = io.BytesIO()
    pages[0].save(image, "WEBP", save_all=True, append_images=pages[1:], duration=each, loop=0, quality=_QUALITY)
    return image.getvalue()


def _each(batches: Sequence[TensorListCPU]) -> int:
    """Milliseconds from frame to frame, as the first file says that is known."""
    for batch in batches:
        for sample in batch:
            source = sample.source_info()
            if isinstance(source, TimedSource) and len(source.seconds) > 1:
                each = float(np.median(np.abs(np.diff(source.seconds[source.seconds >= 0]))))
                if each > 0:
                    return round(1000 * each)
    return _EACH


def _title(name: str) -> str:
    return name[:40].encode(errors="replace").decode()


def _is_short(batch: TensorListCPU) -> bool:
    return not is_image(batch) and all(int(np.prod(shape)) <= 4 for shape in batch.shape())

"""Contrast-limited adaptive equalisation of histograms, on a GPU."""

from __future__ import annotations

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.clahe import lab_tables
from dali_studio.kernels.cuda.stream import GpuStream

_PLANE = np.dtype(
    [*((name, np.uint64) for name in ("from", "to", "tables")),
     *((name, np.int64) for name in ("height", "width", "step"))]
)  # fmt: skip
_COLOURS = np.dtype([*((name, np.uint64) for name in ("from", "to", "lab")), ("count", np.int64)])
_LEVELS, _THREADS = 256, 256


def clahe_on_gpu(
    src: Batch, out: Batch, tiles: tuple[int, int], limit: float, stream: GpuStream, *, luma: bool
) -> None:  # fmt: skip
    """What `kernels.cpu.clahe.clahe` does with each sample; `luma` concerns those of three channels."""
    channels = src.shapes[:, 2]
    colours = luma & (channels == 3) & (src.counts > 0)
    pixels = src.counts // channels
    many = np.where(colours, 1, np.where(src.counts > 0, channels, 0))
    owners = np.repeat(np.arange(len(src)), many)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(many) - many, many)
    of_tables = tiles[0] * tiles[1] * _LEVELS
    room = stream.room(of_tables * len(owners) + 3 * int(pixels[colours].sum()))
    lab = int(room.ptr) + of_tables * len(owners) + 3 * (np.cumsum(pixels * colours) - pixels * colours)
    planes = np.zeros(len(owners), _PLANE)
    planes["from"] = np.where(colours[owners], lab[owners], src.addresses[owners] + within)
    planes["to"] = np.where(colours[owners], lab[owners], out.addresses[owners] + within)
    planes["tables"] = int(room.ptr) + of_tables * np.arange(len(owners))
    planes["height"], planes["width"] = src.shapes[owners, 0], src.shapes[owners, 1]
    planes["step"] = np.where(colours, 1, channels)[owners]
    items = np.zeros(int(colours.sum()), _COLOURS)
    items["from"], items["to"] = src.addresses[colours], out.addresses[colours]
    items["lab"], items["count"] = lab[colours], pixels[colours]
    tables = (np.array(stream.constant("clahe", lab_tables), np.uint64),)
    counts = np.int64(tiles[0]), np.int64(tiles[1])
    stream.launch("clahe", items, items["count"], function="to_lab", tables=tables)
    stream.launch("clahe", planes, tiles[0] * tiles[1] * _THREADS, *counts, np.float64(limit), function="tile_tables")
    stream.launch("clahe", planes, planes["height"] * planes["width"], *counts, function="equalise")
    stream.launch("clahe", items, items["count"], function="to_rgb", tables=tables)
    del room  # back to the pool of this stream, whose next user comes after the kernels

"""``fn.grid_mask``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.grid_mask import fields, grid_mask
from dali_studio.kernels.cuda.grid_mask import grid_mask_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Ui, Unit
from dali_studio.schema.samples import PARTLY_EMPTY, Case, images, tensors, values
from dali_studio.schema.traits import PerFrame, PerSample, PixelPart

_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT)


class GridMask(Operator):
    """Covers images with a grid of black squares.

    The first two axes are rows and columns, whatever the layout says.
    """

    category = "effects"
    icon = "mask"
    keywords = "gridmask augmentation cutout occlude regularization"
    inputs = (Input("image", dtypes=_TYPES, doc="Of three axes."),)
    outputs = (Output("image"),)
    traits = (PerSample, PerFrame, PixelPart)
    devices = ("cpu", "gpu")
    kernels = (compiled("grid_mask", _TYPES),)
    shown = example(tile=64, ratio=0.5, angle=0.3)
    examples = (
        example(tile=16),
        example(tile=20, ratio=0.33, angle=0.5, shift_x=7.0, shift_y=-3.3),
        example(tile=1, ratio=0.5, shift_x=0.25),
    )

    tile: Annotated[
        int, Doc("Period of the grid."), Unit("px"), Ui("slider", (1, 300)), Range(1), PER_SAMPLE, COMMON
    ] = 100
    ratio: Annotated[
        float, Doc("Side of a square, as a fraction of the tile."), Ui("slider", (0, 1)), PER_SAMPLE, COMMON
    ] = 0.5
    angle: Annotated[float, Doc("Turns the grid."), Unit("rad"), Ui("slider", (-1.6, 1.6)), PER_SAMPLE, COMMON] = 0.0
    shift_x: Annotated[
        float, Doc("Shifts the grid to the right."), Unit("px"), Ui("slider", (-100, 100)), PER_SAMPLE, COMMON
    ] = 0.0
    shift_y: Annotated[
        float, Doc("Shifts the grid down."), Unit("px"), Ui("slider", (-100, 100)), PER_SAMPLE, COMMON
    ] = 0.0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        drawn = {name: values(*numbers) for name, numbers in {
            "ratio": (0.1, 0.9, 0.5, 0.37), "angle": (0.0, 3.0, -1.5, 7.7), "shift_x": (0.0, 99.5, -3.0, 1e9),
            "shift_y": (5.0, -99.5, 3.3, 0.0)}.items()}  # fmt: skip
        return [
            Case((images(PARTLY_EMPTY),), {"tile": 3}),
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples for dtype in _TYPES),
            Case((images(((9, 7), (5, 8)), layout="CHW"),), {"tile": 3}),
            Case((images(((9, 7), (5, 8)), layout="FHWC"),), {"tile": 3}, peer=False,
                 note="nvidia.dali takes the first three axes"),
            *(Case((images(channels=channels),), cls.examples[1].arguments) for channels in (1, 2, 4, 5)),
            Case((images(),), {**drawn, "tile": values(3, 17, 40, 300, dtype=T.INT32)}),
            Case((tensors(((7, 9, 2), (1, 1, 3), (0, 4, 3)), low=-9, high=9),), {"tile": 3}),
            Case((images(),), {"ratio": 1.5}), Case((images(),), {"ratio": -0.5}), Case((images(),), {}),
            Case((images(),), {"tile": 0}, refused="tile"),
            Case((images(dtype=T.UINT16),), {}, refused=""),
            *(Case((images(((9, 7), (5, 8)), layout=layout),), {}, refused="") for layout in ("HW", "DHWC")),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.ndim not in (None, len("HWC")):
            raise ArgumentError(
                f"the input has {meta.ndim} axes; 3 are accepted, or 4 of which F is the first.",
                hint="Bring images with an axis of channels.", code="DS203",
            )  # fmt: skip
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        names = ("ratio", "angle", "shift_x", "shift_y")
        table = np.stack([args.scalars(name) for name in names], axis=1)
        return Work(inputs[0].shapes, {"tile": args.scalars("tile", np.int64), "numbers": table})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        ratio, angle, x, y = work.params["numbers"][index].tolist()
        if outputs[0].size:
            grid_mask(inputs[0], outputs[0], int(work.params["tile"][index]), ratio, angle, (x, y))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(GridMask, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        rows = zip(work.params["tile"].tolist(), work.params["numbers"].tolist(), strict=True)
        made = [fields(tile, ratio, angle, (x, y)) for tile, (ratio, angle, x, y) in rows]
        return grid_mask_part(np.array(made, np.float32).reshape(-1, 5), planar=image.layout == "CHW")

"""``fn.water``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu import displace
from dali_studio.kernels.cuda.displace import water_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.operators.common import T
from dali_studio.operators.effects.displacement import BETWEEN_FILLS, TYPES, Displacement
from dali_studio.operators.geometry.movements import WATER
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import compiled, example
from dali_studio.schema.marks import COMMON, Doc, Ui, Unit
from dali_studio.schema.samples import Case, images, values
from dali_studio.schema.tolerance import Tolerance

#: Where the waves of the largest images are kept.
_KEY = object()


class Water(Displacement):
    """Shows images as if they lay under water: rows and columns are moved by waves.

    The pixel at (x, y) comes from ``x + ampl_x * sin(freq_x * y + phase_x)`` and
    ``y + ampl_y * cos(freq_y * x + phase_y)``, where whole numbers are the corners of pixels.
    """

    icon = "wave"
    movement = WATER
    keywords = "waves ripple distortion displacement sine"
    kernels = (compiled("water", TYPES),)
    shown = example()
    examples = (
        example(),
        example(ampl_x=5.5, ampl_y=7.25, freq_x=0.3, freq_y=0.2, phase_x=1.0, phase_y=0.5, fill_value=77.0),
        example(interp_type="INTERP_LINEAR", fill_value=128.0),
    )
    tolerance = (
        BETWEEN_FILLS,
        Tolerance(reason="one formula for both devices", on="gpu"),
        Tolerance(relative=2e-5, dtypes=(T.FLOAT,), reason="a sine may differ in the last bit of float32"),
        Tolerance(
            1, 0.001, when={"interp_type": "INTERP_LINEAR"}, reason="a sine may differ in the last bit of float32"
        ),
    )  # fmt: skip

    ampl_x: Annotated[float, Doc("How far rows are moved."), Unit("px"), Ui("slider", (0, 50)), COMMON] = 10.0
    ampl_y: Annotated[float, Doc("How far columns are moved."), Unit("px"), Ui("slider", (0, 50)), COMMON] = 10.0
    freq_x: Annotated[float, Doc("Radians of the wave from one row to the next."), COMMON] = 0.04908738521234052
    freq_y: Annotated[float, Doc("Radians of the wave from one column to the next."), COMMON] = 0.04908738521234052
    phase_x: Annotated[float, Doc("Angle of the wave in the first row."), Unit("rad")] = 0.0
    phase_y: Annotated[float, Doc("Angle of the wave in the first column."), Unit("rad")] = 0.0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 131))
        return [
            *super().samples(),
            *(Case((images(sizes, dtype, channels=channels),), {"interp_type": kind})
              for dtype in TYPES for channels in (1, 2, 4, 5) for kind in ("INTERP_NN", "INTERP_LINEAR")),
            Case((images(sizes),), {"mask": values(0, 1, dtype=T.INT32)}),
            Case((images(sizes),), {"mask": 1}),
            Case((images(sizes),), {"ampl_x": 1e4, "ampl_y": 0.0, "fill_value": 300.0}),
            Case((images(sizes),), {"ampl_x": 1e4, "ampl_y": 0.0, "fill_value": -3.7}),
            Case((images(sizes, dtype=T.INT16),), {}, refused=""),
            Case((images(sizes, layout="CHW"),), {}, refused=""),
            Case((images(sizes),), {"phase_x": float("inf")}, refused="phase_x"),
        ]  # fmt: skip

    @staticmethod
    def params(args: Args, image: Batch) -> dict[str, Any]:
        for name in ("ampl_x", "ampl_y", "freq_x", "freq_y", "phase_x", "phase_y"):
            if not np.isfinite(np.float32(args[name])):
                raise ArgumentError(f"{name} is {args[name]:g}.", hint="Give a finite number.", argument=name)
        height, width = image.shapes[:, :2].max(axis=0, initial=0).tolist()
        kept = args.memory.get(_KEY)
        if kept is None or kept["height"] < height or kept["width"] < width:
            across = displace.wave(np.sin, args["ampl_x"], args["freq_x"], args["phase_x"], height)
            down = displace.wave(np.cos, args["ampl_y"], args["freq_y"], args["phase_y"], width)
            kept = args.memory[_KEY] = {"height": height, "width": width, "across": across, "down": down}
        return {"across": kept["across"], "down": kept["down"]}

    @staticmethod
    def moved(image: Any, out: Any, params: dict[str, Any], index: int) -> None:
        displace.water(image, out, params["across"], params["down"], params["fill"], linear=params["linear"])

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return water_part(
            params["kept"], params["across"], params["down"], float(params["fill"][0]), linear=params["linear"]
        )

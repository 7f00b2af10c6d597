"""``fn.coord_flip``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.transforms import mirror_points
from dali_studio.kernels.cuda.points import mirror_points_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Layout, Ui
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.traits import PerSample

_AXES = "xyz"


class CoordFlip(Operator):
    """Mirrors points, (points, components) float32, about a centre, along with their images."""

    category = "coordinates"
    icon = "flip"
    keywords = "points landmarks mirror keypoints reflect"
    inputs = (Input("points", "points", dtypes=(T.FLOAT,)),)
    outputs = (Output("points", "points"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (example(), example(flip_x=0, flip_y=1, center_y=0.25))

    flip_x: Annotated[int, Doc("Mirror left to right, unless it is 0."), PER_SAMPLE, COMMON] = 1
    flip_y: Annotated[int, Doc("Mirror top to bottom."), PER_SAMPLE, COMMON] = 0
    flip_z: Annotated[int, Doc("Mirror front to back."), PER_SAMPLE] = 0
    center_x: Annotated[float, Doc("Where x stays as it is."), Ui("slider", (0, 1)), PER_SAMPLE, COMMON] = 0.5
    center_y: Annotated[float, Doc("Where y stays as it is."), Ui("slider", (0, 1)), PER_SAMPLE, COMMON] = 0.5
    center_z: Annotated[float, Doc("Where z stays as it is."), PER_SAMPLE] = 0.5
    layout: Annotated[Layout, Doc("Order of the components; unset: x, xy or xyz.")] = Layout("")

    @classmethod
    def samples(cls) -> Sequence[Case]:
        points = tensors(((7, 2), (1, 2), (0, 2), (40, 2)), high=1)
        coins, centres = values(0, 1, 1, 0, dtype=T.INT32), values(0.1, 0.2, 0.3, 0.4)
        return [
            *(Case((points,), one.arguments) for one in cls.examples),
            Case((points,), {"flip_x": coins, "flip_y": values(1, 0, 1, 0, dtype=T.INT32), "center_x": centres}),
            Case((points,), {"layout": "yx", "flip_x": 1, "center_x": 7.0, "center_y": centres}),
            Case((tensors(((3, 1), (2, 1))),), {"center_x": 50.0}),
            Case((tensors(((3, 3), (2, 3))),), {"flip_x": 0, "flip_z": 1, "center_z": 3.0}),
            Case((tensors(((3, 3), (2, 3))),), {"layout": "zxy", "flip_z": 2, "flip_y": 1}),
            Case((tensors(((3, 4), (2, 4))),), refused=""),
            Case((tensors(((3,), (2,))),), refused=""),
            Case((tensors(((3, 2), (2, 3))),), refused=""),
            Case((points,), {"layout": "xw"}, refused="layout"),
            Case((points,), {"layout": "xx"}, refused="layout"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, (T.FLOAT,))
        if meta.ndim not in (None, 2):
            raise ArgumentError(
                f"the points have {meta.ndim} axes; (points, components) are accepted.",
                hint="Give a table of points for each sample.", code="DS203",
            )  # fmt: skip
        order: str = args["layout"]
        if set(order) - set(_AXES) or len(set(order)) < len(order):
            raise _wrong_layout(order, "x, y and z, each once")
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        if not args.count:
            nothing = np.empty((0, 1), np.float32)
            return Work(inputs[0].shapes, {"mirrored": nothing != 0, "centres": nothing})
        components = _components(inputs[0].shapes)
        order: str = args["layout"] or _AXES[:components]
        if set(order[:components]) != set(_AXES[:components]):
            raise _wrong_layout(order, f"{', '.join(_AXES[:components])} in any order")
        names = order[:components]
        mirrored = [args.scalars(f"flip_{axis}", np.int32) != 0 for axis in names]
        centres = [args.scalars(f"center_{axis}") for axis in names]
        params = {"mirrored": np.stack(mirrored, axis=1), "centres": np.stack(centres, axis=1)}
        return Work(inputs[0].shapes, params)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        points = np.asarray(inputs[0], order="C")
        own = slice(index, index + 1)
        _mirror(work, own, Operand.of([points]), Operand.of([outputs[0]]))

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        _mirror(work, slice(None), Operand.of_batch(inputs[0]), Operand.of_batch(outputs[0]))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        mirror_points_on_gpu(inputs[0], work.params["centres"], work.params["mirrored"], outputs[0], stream)


def _mirror(work: Work, own: slice[Any, Any, Any], points: Operand, out: Operand) -> None:
    mirror_points(points, work.params["centres"][own], work.params["mirrored"][own], out)


def _components(shapes: NDArray[np.int64]) -> int:
    found = shapes[:, 1]
    wrong = (found != found[0]) | (found > len(_AXES)) | (found < 1)
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            f"the points have {found[index]} components; 1 to 3 are accepted, as many in all samples.",
            hint="Give (points, components).", sample=index, code="DS203",
        )  # fmt: skip
    return int(found[0])


def _wrong_layout(order: str, accepted: str) -> ArgumentError:
    return ArgumentError(
        f"the layout {order!r} does not name the components; {accepted} are needed.",
        hint=f"Give {accepted}, or leave it out.", argument="layout",
    )  # fmt: skip

"""``fn.rotate``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import warp_volume
from dali_studio.kernels.cpu.warp import rotate_matrix, rotated_size
from dali_studio.operators.common import T
from dali_studio.operators.geometry.movements import ROTATE
from dali_studio.operators.geometry.warps import NEAREST, OF_MATRICES, WIDE_ON_GPU, Warp, canvas, image_sizes, warp_work
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Length, Ui, Unit
from dali_studio.schema.samples import PARTLY_EMPTY, Case, images, values
from dali_studio.schema.tolerance import Tolerance


class Rotate(Warp):
    """Rotates images about their centre, and volumes about an axis through it.

    The canvas grows to hold the whole result, unless `keep_size` or `size` is set. Outside the image lies
    `fill_value`, or the nearest edge pixel if it is unset.
    """

    icon = "rotate"
    movement = ROTATE
    keywords = "turn angle spin randomrotation"
    shown = example(angle=20.0, keep_size=True, fill_value=0.0)
    examples = (
        example(angle=10.0),
        example(angle=90.0),
        example(angle=-30.0, keep_size=True, fill_value=128.0),
        example(angle=75.0, size=(30.0, 50.0), interp_type="INTERP_NN"),
        example(angle=200.0, fill_value=0.0, dtype="FLOAT"),
    )
    tolerance = (
        NEAREST,
        WIDE_ON_GPU,
        Tolerance(
            2, 0.012, relative=2e-3, on="gpu",
            reason="each position is computed by itself, not by steps, as on nvidia.dali's own GPU",
        ),
        *OF_MATRICES,
    )  # fmt: skip

    angle: Annotated[float, Doc("Counter-clockwise."), Unit("deg"), Ui("dial", (-180, 180)), PER_SAMPLE, COMMON]
    keep_size: Annotated[bool, Doc("Cut to the input's size."), COMMON] = False
    axis: Annotated[
        list[float] | None, Doc("Axis (x, y, z) that volumes turn about; images have none."), Length((3,)), PER_SAMPLE
    ] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        volumes = images(((20, 17), (9, 31)), layout="DHWC")
        turned = {"angle": 30.0, "axis": (1.0, 2.0, -1.0)}
        return [
            *super().samples(),
            Case((images(PARTLY_EMPTY),), {"angle": 30.0, "fill_value": 3.0}),
            Case((images(PARTLY_EMPTY),), {"angle": 30.0}, refused="", note="nvidia.dali reads what lies beside"),
            *(Case((images(((20, 17), (9, 31)), dtype, "DHWC"),), turned) for dtype in (T.INT16, T.INT32, T.FLOAT)),
            Case((volumes,), {"angle": 90.0, "axis": (0.0, 0.0, 1.0), "fill_value": 3.0}),
            Case((volumes,), {**turned, "keep_size": True, "interp_type": "INTERP_NN", "fill_value": 7.0}),
            Case((volumes,), {**turned, "size": (4.0, 20.0, 15.0), "dtype": "FLOAT"}),
            Case((volumes,), {"angle": values(10.0, -70.0), "axis": values([1.0, 0.0, 0.0], [0.0, 1.0, 1.0])}),
            Case((images(((20, 17), (9, 31)), layout="FDHWC"),), turned),
            Case((volumes,), {"angle": 30.0}, refused="axis"),
            Case((volumes,), {"angle": 30.0, "axis": (0.0, 0.0, 0.0)}, refused="axis"),
            Case((volumes,), {**turned, "size": (4.0, 20.0)}, refused="size"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = Warp.infer(args, *inputs)
        if meta.layout == "DHWC" and not args.given("axis"):
            raise ArgumentError(
                "volumes need an axis.", hint="Give (x, y, z), such as (0, 0, 1) to keep the depth.", argument="axis",
                code="DS203",
            )  # fmt: skip
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        sizes = image_sizes(inputs[0])
        angles = args.scalars("angle")
        finite = np.isfinite(angles)
        if not finite.all():
            index = int(np.argmin(finite))
            raise ArgumentError(
                f"the angle is {angles[index]}.", hint="Give finite angles.", argument="angle", sample=index
            )
        onto = canvas(args, sizes.shape[1])
        if sizes.shape[1] == 2:
            if onto is None:
                onto = sizes if args["keep_size"] else _canvas(
                    lambda parity: rotated_size(angles, sizes[:, 0], sizes[:, 1], parity=parity), args.frames
                )  # fmt: skip
            return warp_work(args, inputs[0], onto, rotate_matrix(angles, sizes[:, 0], sizes[:, 1], *onto.T))
        turns = warp_volume.rotations(angles, _axes(args))
        if onto is None:
            onto = sizes if args["keep_size"] else _canvas(
                lambda parity: warp_volume.rotated_size(turns, sizes, parity=parity), args.frames
            )  # fmt: skip
        return warp_work(args, inputs[0], onto, warp_volume.rotate_matrix(turns, sizes, onto))


def _axes(args: Args) -> NDArray[np.float32]:
    """(N, 3) axes that volumes turn about."""
    axes = args.vectors("axis", 3)
    wrong = ~(np.isfinite(axes).all(axis=1) & (axes != 0).any(axis=1))
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            f"the axis {tuple(axes[index].tolist())} has no direction.", hint="Give finite numbers, not all of them 0.",
            argument="axis", sample=index if args.wired("axis") else None,
        )  # fmt: skip
    return axes


def _canvas(boxes: Callable[[bool], NDArray[np.int64]], frames: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Extents that hold the results; those of the frames of a sequence are one canvas.

    ``boxes(parity)`` gives the extents for each sample, with its parity or without.
    """
    made = boxes(True)
    if frames is None:
        return made
    some = np.diff(frames) > 0
    firsts, counts = frames[:-1][some], np.diff(frames)[some]
    if not len(firsts):
        return made
    # the largest box, whose parity is that of most frames
    largest = np.maximum.reduceat(boxes(False), firsts)
    odd = 2 * np.add.reduceat(made % 2, firsts) > counts[:, None]
    return np.repeat(largest + (largest % 2 != odd), counts, axis=0)

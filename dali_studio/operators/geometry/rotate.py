"""``fn.rotate``."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.warp import rotate_matrix, rotated_size
from dali_studio.operators.geometry.warps import NEAREST, WIDE_ON_GPU, Warp, canvas, image_sizes, warp_work
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Refused, Ui, Unit
from dali_studio.schema.tolerance import Tolerance


class Rotate(Warp):
    """Rotates images about their centre.

    The canvas grows to hold the whole result, unless `keep_size` or `size` is set. Outside the image lies
    `fill_value`, or the nearest edge pixel if it is unset.
    """

    icon = "rotate"
    keywords = "turn angle spin randomrotation"
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
        Tolerance(
            2, 0.001, relative=2e-4,
            reason="positions differ in the last bits of float32: one level now and then",
        ),
    )  # fmt: skip

    angle: Annotated[float, Doc("Counter-clockwise."), Unit("deg"), Ui("dial", (-180, 180)), PER_SAMPLE, COMMON]
    keep_size: Annotated[bool, Doc("Cut to the input's size."), COMMON] = False
    axis: Annotated[
        list[float] | None,
        Doc("Axis of a rotation in space."),
        Refused("volumes (DHWC) are not supported yet"),
        PER_SAMPLE,
    ] = None

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
        onto = canvas(args)
        if onto is None:
            onto = sizes if args["keep_size"] else _canvas(angles, sizes, args.frames)
        matrices = rotate_matrix(angles, sizes[:, 0], sizes[:, 1], onto[:, 0], onto[:, 1])
        return warp_work(args, inputs[0], onto, matrices)


def _canvas(
    angles: NDArray[np.float32], sizes: NDArray[np.int64], frames: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """(N, 2) heights and widths that hold the results; those of the frames of a sequence are one canvas."""
    made = rotated_size(angles, sizes[:, 0], sizes[:, 1])
    if frames is None:
        return made
    some = np.diff(frames) > 0
    firsts, counts = frames[:-1][some], np.diff(frames)[some]
    if not len(firsts):
        return made
    # the largest box, whose parity is that of most frames
    largest = np.maximum.reduceat(rotated_size(angles, sizes[:, 0], sizes[:, 1], parity=False), firsts)
    odd = 2 * np.add.reduceat(made % 2, firsts) > counts[:, None]
    return np.repeat(largest + (largest % 2 != odd), counts, axis=0)

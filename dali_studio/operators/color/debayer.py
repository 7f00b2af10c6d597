"""``fn.debayer``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.debayer import ALGORITHMS, debayer
from dali_studio.kernels.cuda.debayer import debayer_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.parts import run_alone, with_channels
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, TRUNCATED, Doc, Range, Start
from dali_studio.schema.samples import Case, images, values
from dali_studio.schema.traits import PerFrame, PerSample, SourcePart

_LAYOUTS = ("HW", "HWC")


class Debayer(Operator):
    """Makes colour pictures of those of sensors that see one colour each, in Bayer's pattern.

    The algorithms are OpenCV's: `bilinear_ocv` (the default), `edgeaware_ocv`, which takes green along edges, `vng_ocv`
    (variable number of gradients), and `gray_ocv`, which gives one channel. As in OpenCV, `vng_ocv` mirrors the picture
    at its edges; for the others, the rows and columns at the edges are those beside them.
    """

    category = "color"
    icon = "grid"
    keywords = "demosaic demosaicing bayer raw sensor camera"
    inputs = (Input("image", "image", layouts=" ".join(_LAYOUTS), dtypes=(T.UINT8, T.UINT16)),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, SourcePart)
    devices = ("cpu", "gpu")
    former = ("experimental.debayer",)
    examples = (
        example(blue_position=(0, 0)),
        example(blue_position=(0, 1), algorithm="edgeaware_ocv"),
        example(blue_position=(1, 0), algorithm="vng_ocv"),
        example(blue_position=(1, 1), algorithm="gray_ocv"),
    )

    blue_position: Annotated[
        list[int],
        Doc("Row and column, 0 or 1, of the blue sensor in the 2x2 tile that begins in the second row and column."),
        Range(0, 1), Start((0, 0)), PER_SAMPLE, TRUNCATED, COMMON,
    ]  # fmt: skip
    algorithm: Annotated[str | None, Doc(f"One of {', '.join(ALGORITHMS)}; unset: the first of these."), COMMON] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 36), (8, 66))
        tiny = ((2, 2), (2, 8), (8, 2), (4, 4), (6, 10))
        tiles = ((0, 0), (0, 1), (1, 0), (1, 1))
        plain = {"blue_position": (0, 1)}
        gray = images(sizes, layout="HW")
        some = values((0, 0), (1, 0), dtype=T.INT32)
        return [
            *(Case((gray,), {"blue_position": tile, "algorithm": name}) for tile in tiles for name in ALGORITHMS),
            *(Case((images(sizes, T.UINT16, "HW"),), {**plain, "algorithm": name})
              for name in ALGORITHMS if name != "vng_ocv"),
            *(Case((images(tiny, layout="HW"),), {**plain, "algorithm": name}) for name in ALGORITHMS),
            *(Case((images(sizes, layout=layout, channels=1),), plain) for layout in ("HWC", "FHW", "FHWC")),
            Case((gray,), {"blue_position": 1}),
            Case((gray,), {**plain, "algorithm": "default"}),
            Case((gray,), {**plain, "algorithm": "Gray_OCV"}),
            Case((gray,), {"blue_position": some}),
            Case((images(sizes, layout="FHW"),), {"blue_position": some}),
            Case((images(((7, 10), (8, 9)), layout="HW"),), plain, refused=""),
            Case((images(sizes),), plain, refused=""),
            Case((images(sizes, layout="CHW", channels=1),), plain, refused=""),
            *(Case((images(sizes, dtype, "HW"),), plain, refused="") for dtype in (T.INT16, T.FLOAT)),
            Case((images(sizes, T.UINT16, "HW"),), {**plain, "algorithm": "vng_ocv"}, refused="algorithm"),
            Case((gray,), {**plain, "algorithm": "default_npp"}, refused="algorithm"),
            Case((gray,), {**plain, "algorithm": "bilinear"}, refused="algorithm"),
            Case((gray,), {"blue_position": (2, 0)}, refused="blue_position"),
            Case((gray,), {"blue_position": (0, 0, 0)}, refused="blue_position"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = inputs[0]
        check_dtype(meta, (T.UINT8, T.UINT16))
        accepted = _LAYOUTS if meta.layout else {2: "HW", 3: "HWC"}
        if (meta.layout or meta.ndim or 2) not in accepted:
            found = f"the layout {meta.layout!r}" if meta.layout else f"{meta.ndim} axes"
            raise ArgumentError(
                f"the input has {found}; {' or '.join(_LAYOUTS)} is accepted, with one channel.",
                hint="Bring the numbers of the sensors as a picture of one channel.", code="DS203",
            )  # fmt: skip
        if _algorithm(args) == "vng_ocv" and meta.dtype is T.UINT16:
            raise ArgumentError(
                "vng_ocv takes UINT8 alone; the input is UINT16.", hint="Choose another algorithm, or insert a cast.",
                argument="algorithm",
            )  # fmt: skip
        return TensorMeta(meta.dtype, 3, "HWC", "image")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        given, algorithm = inputs[0].shapes, _algorithm(args)
        several = given[:, 2:].prod(axis=1) != 1
        odd = (given[:, :2] % 2).any(axis=1)
        if (several | odd).any():
            index = int(np.argmax(several | odd))
            wanted = "one channel is" if several[index] else "an even height and width are"
            raise ArgumentError(
                f"the picture has the shape {tuple(given[index].tolist())}; {wanted} needed.",
                hint="Give sequences a layout with F." if several[index] else "Crop or pad it.", sample=index,
                code="DS203",
            )  # fmt: skip
        shapes = np.concatenate([given[:, :2], np.full((len(given), 1), ALGORITHMS[algorithm][1])], axis=1)
        return Work(shapes, {"algorithm": algorithm, "blue": args.vectors("blue_position", 2, np.int64)})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        out, (row, column) = outputs[0], work.params["blue"][index].tolist()
        image = np.asarray(inputs[0], order="C").reshape(out.shape[:2])
        debayer(image, out, work.params["algorithm"], (row, column))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(Debayer, work, with_channels(inputs[0]), outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        if image.shapes.shape[1] == len("HW"):
            return None
        return debayer_part(work.params["algorithm"], work.params["blue"])


def _algorithm(args: Args) -> str:
    given = "default" if args["algorithm"] is None else str(args["algorithm"]).lower()
    name = next(iter(ALGORITHMS)) if given == "default" else given
    if name not in ALGORITHMS:
        more = " default_npp is NVIDIA's, on a GPU." if given == "default_npp" else ""
        raise ArgumentError(
            f"{args['algorithm']!r} is not known; {', '.join(ALGORITHMS)} are.{more}", hint="Use one of these.",
            argument="algorithm",
        )  # fmt: skip
    return name

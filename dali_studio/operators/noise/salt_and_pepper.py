"""``fn.noise.salt_and_pepper``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import noise
from dali_studio.kernels.cuda.noise import salt_and_pepper_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, as_written, check_dtype
from dali_studio.operators.noise.streams import TYPES, NoiseArguments, stream_of
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Range, Ui
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import PerSample, PixelPart, RandomSource


class SaltAndPepper(NoiseArguments, Operator):
    """Replaces some pixels by the largest value (salt) or by the least one (pepper).

    The numbers are those of DALI for the same seed.
    """

    path = "noise.salt_and_pepper"
    category = "effects"
    icon = "noise"
    node_name = "salt_and_pepper"
    keywords = "salt pepper impulse dead hot pixels random disturb augmentation"
    inputs = (Input("input", dtypes=TYPES, doc="Of any layout."),)
    outputs = (Output("output"),)
    traits = (PerSample, PixelPart, RandomSource)
    devices = ("cpu", "gpu")
    seeded = True
    stateful = True
    shown = example(prob=0.15)
    examples = (example(seed=5), example(prob=0.3, salt_vs_pepper=0.8, per_channel=True, seed=6))

    prob: Annotated[float, Doc("Chance of a pixel to be replaced."), Ui("slider", (0, 1)), Range(0, 1), PER_SAMPLE,
                    COMMON] = 0.05  # fmt: skip
    salt_vs_pepper: Annotated[float, Doc("Chance of a replaced pixel to become salt."), Ui("slider", (0, 1)),
                              Range(0, 1), PER_SAMPLE, COMMON] = 0.5  # fmt: skip
    per_channel: Annotated[bool, Doc("Channels are replaced independently of each other."), COMMON] = False
    salt_val: Annotated[
        float | None, Doc("What salt is; unset: the largest value of the type, or 1 for floats."), PER_SAMPLE
    ] = None
    pepper_val: Annotated[
        float | None, Doc("What pepper is; unset: the least value of the type, or -1 for floats."), PER_SAMPLE
    ] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        some = {"prob": 0.4, "seed": 3}
        apart = {**some, "per_channel": True}
        return [
            *(Case((images(dtype=dtype),), one.arguments) for one in cls.examples for dtype in TYPES),
            *(Case((images(sizes, layout=layout),), some) for layout in ("CHW", "FHWC", "DHWC", "FDHWC", "CDHW")),
            *(Case((images(sizes, layout=layout),), apart) for layout in ("CHW", "HW", "FCHW", "FHWC")),
            *(Case((images(sizes, layout=layout),), some, refused="per_channel") for layout in ("HW", "FCHW", "FHW")),
            Case((images(((1, 1), (1, 7), (6, 1), (3, 5)), channels=1),), some),
            Case((tensors(((7,), (1,), (130,))),), some),
            Case((tensors(((7,), (1,), (0,), (130,))),), apart),
            Case((tensors(((4, 0), (0, 3))),), some, peer=False, note="crashes without channels"),
            Case((tensors(((), ())),), apart),
            Case((tensors(((), ())),), some, peer=False, note="crashes without axes"),
            *(Case((images(sizes),), {**some, "prob": prob}) for prob in (0.0, 1.0)),
            *(Case((images(sizes),), {**some, "salt_vs_pepper": share}) for share in (0.0, 1.0)),
            *(Case((images(sizes, dtype),), {**some, "salt_val": 7.7, "pepper_val": -3.7})
              for dtype in (T.UINT8, T.INT16, T.UINT32, T.FLOAT)),
            Case((images(sizes),), {
                "prob": values(0.1, 0.9), "salt_vs_pepper": values(0.2, 0.7), "salt_val": values(200.0, 300.0),
                "pepper_val": values(3.0, 77.7), "seed": -1,
            }),
            *(Case((images(dtype=dtype),), some, refused="") for dtype in (T.FLOAT16, T.BOOL)),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = inputs[0]
        check_dtype(meta, TYPES)
        if meta.layout and not args["per_channel"] and "C" not in (meta.layout[0], meta.layout[-1]):
            raise ArgumentError(
                f"the layout {meta.layout!r} does not begin or end with C, so that pixels are not known.",
                hint="Give per_channel=True, or bring channels first or last.", argument="per_channel", code="DS203",
            )  # fmt: skip
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        data, given = inputs[0], _values(args, inputs[0].dtype)
        chances = args.scalars("prob")
        channels = np.ones(len(data), np.int64)
        planar = data.layout.startswith("C") and not data.layout.endswith("C")
        if not args["per_channel"] and data.shapes.shape[1]:
            channels = np.maximum(data.shapes[:, 0 if planar else -1], 1)
        return Work(data.shapes, {
            **stream_of(args), "prob": chances, "salt": chances * args.scalars("salt_vs_pepper"), "values": given,
            "channels": channels, "planar": planar,
        })  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, image = work.params, np.asarray(inputs[0], order="C")
        noise.salt_and_pepper(
            image, outputs[0], params["key"], int(params["highs"][index]), float(params["prob"][index]),
            float(params["salt"][index]), params["values"][index], int(params["channels"][index]),
            planar=params["planar"], origin=params["origin"],
        )  # fmt: skip

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        run_alone(SaltAndPepper, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return salt_and_pepper_part(
            image, params["key"], params["highs"], params["prob"], params["salt"], params["values"],
            params["channels"], planar=params["planar"], origin=params["origin"],
        )  # fmt: skip


def _values(args: Args, dtype: np.dtype[Any]) -> NDArray[Any]:
    """(N, 2): salt and pepper of each sample."""
    info = np.iinfo(dtype) if dtype.kind in "iu" else None
    made = np.empty((args.count, 2), dtype)
    for column, name, usual in ((0, "salt_val", info.max if info else 1), (1, "pepper_val", info.min if info else -1)):
        made[:, column] = as_written(args.scalars(name), dtype) if args.given(name) else usual
    return made

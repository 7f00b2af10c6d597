"""``fn.to_decibels``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.audio import making_decibels, to_decibels
from dali_studio.kernels.cuda.audio import to_decibels_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Ui, Unit
from dali_studio.schema.samples import Case, sounds, tensors
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample


class ToDecibels(Operator):
    """Magnitudes as decibels of a reference.

    ``multiplier * log10(magnitude / reference)``, or `cutoff_db` where that is less.
    """

    category = "audio"
    icon = "wave"
    keywords = "decibel db logarithm log spectrogram speech sound"
    inputs = (Input("magnitudes", dtypes=(T.FLOAT,)),)
    outputs = (Output("decibels"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (example(), example(multiplier=20.0, reference=1.0, cutoff_db=-80.0))
    tolerance = (Tolerance(relative=1e-6, reason="the last bits of the logarithm"),)

    multiplier: Annotated[float, Doc("10 for powers, 20 for magnitudes."), Ui("slider", (10, 20)), COMMON] = 10.0
    reference: Annotated[  # pyright: ignore[reportIncompatibleMethodOverride] - the name of the argument
        float | None, Doc("What 0 decibels stand for; unset: the largest number of the sample."), COMMON
    ] = None
    cutoff_db: Annotated[float, Doc("The smallest result."), Unit("dB"), Ui("slider", (-200, 0)), COMMON] = -200.0

    @classmethod
    def samples(cls) -> Sequence[Case]:
        data = tensors(((40, 9), (3, 1), (57, 33)))
        tiny = tensors(((40,), (3,), (133,)), low=1e-44, high=1e-36)
        return [
            *super().samples(),
            Case((data,), {}),
            Case((data,), {"reference": 1e-3, "cutoff_db": -20.0}),
            Case((data,), {"multiplier": 3.5, "cutoff_db": 5.0, "reference": 2.0}),
            Case((data,), {"multiplier": -10.0, "reference": 50.0}),
            Case((tiny,), {"reference": 1e-30, "cutoff_db": -1e4}),
            Case((tiny,), {"cutoff_db": -1e4}),
            Case((sounds(),), {"cutoff_db": -60.0}),
            Case((sounds(),), {"cutoff_db": -60.0, "multiplier": 1.0}),
            Case((tensors(((7,), (5,)), high=0),), {"reference": 2.0}),
            Case((data,), {"reference": 0.0}, refused="reference"),
            Case((data,), {"multiplier": 0.0}, refused="multiplier", peer=False),
            Case((tensors(((4,), (2,)), T.FLOAT64),), {}, refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], (T.FLOAT,))
        if args["reference"] == 0:
            raise ArgumentError(
                "the reference is 0.", hint="Give another, or leave it out for the largest number of each sample.",
                argument="reference",
            )  # fmt: skip
        if args["multiplier"] == 0:
            raise ArgumentError("the multiplier is 0.", hint="Give 10 or 20.", argument="multiplier")
        return inputs[0].with_(kind="any")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(
            inputs[0].shapes,
            {"multiplier": args["multiplier"], "reference": args["reference"] or 0.0, "cutoff": args["cutoff_db"]},
        )

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        to_decibels(np.ascontiguousarray(inputs[0]).reshape(-1), outputs[0].reshape(-1), **work.params)

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return making_decibels(inputs[0], outputs[0], **work.params)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        to_decibels_on_gpu(inputs[0], outputs[0], **work.params, stream=stream)

"""``fn.preemphasis_filter``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.audio import BORDERS, emphasising, preemphasis
from dali_studio.kernels.cuda.audio import preemphasis_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Ui
from dali_studio.schema.samples import Case, sounds, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample

_TYPES = tuple(t for t in NUMERIC if t not in (T.BOOL, T.FLOAT16))


class PreemphasisFilter(Operator):
    """Makes high frequencies of a sound louder: takes from each sample a part of the one before.

    ``out[t] = in[t] - preemph_coeff * in[t - 1]``. Tensors of several axes are taken as one row of samples.
    """

    category = "audio"
    icon = "wave"
    keywords = "preemphasis highpass speech sound filter"
    inputs = (Input("audio", "audio", dtypes=_TYPES),)
    outputs = (Output("audio", "audio"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    kernels = (compiled("preemphasis", _TYPES),)
    examples = (example(), example(preemph_coeff=0.5, border="zero", dtype="INT16"))
    tolerance = (
        Tolerance(relative=1e-6, dtypes=(T.FLOAT64,), reason="float32 numbers in another order of operations"),
    )

    preemph_coeff: Annotated[
        float, Doc("The part that is taken."), Ui("slider", (0, 1)), PER_SAMPLE, COMMON
    ] = 0.97  # fmt: skip
    dtype: Annotated[DALIDataType, Doc("Element type of the output; integers are rounded and saturated.")] = T.FLOAT
    border: Annotated[
        str,
        Doc('What stands before the first sample: "zero", "clamp" (the first sample) or "reflect" (the second).'),
        Choices(BORDERS),
    ] = "clamp"

    @classmethod
    def samples(cls) -> Sequence[Case]:
        several = tensors(((4, 5), (3, 1), (1, 7)), T.INT16, low=-3000, high=3000)
        return [
            *super().samples(),
            *(Case((tensors(((40,), (7,), (130,)), dtype),), {"dtype": out.name, "preemph_coeff": part})
              for dtype in _TYPES for out in _TYPES for part in (0.97, 0.0)),
            *(Case((tensors(((40,), (7,), (130,)), T.INT32, low=-2e9, high=2e9),), {"border": border, "dtype": "INT32"})
              for border in BORDERS),
            *(Case((tensors(((40,), (7,), (2,)), dtype),), {"border": "reflect"}) for dtype in _TYPES),
            Case((several,), {}),
            Case((sounds(),), {"preemph_coeff": values(0.9, 0.0, -1.5, 3.0)}),
            Case((tensors(((0,), (3,), (0,))),), {}, peer=False, note="it writes a first sample"),
            Case((tensors(((1,), (3,))),), {"border": "reflect"}, peer=False, note="it reads beyond the only sample"),
            Case((sounds(),), {"border": "wrap"}, refused="border"),
            Case((sounds(),), {"dtype": "FLOAT16"}, refused="dtype"),
            Case((sounds(dtype=T.FLOAT16),), {}, refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], _TYPES)
        accept_output(args["dtype"], _TYPES)
        return inputs[0].with_(dtype=args["dtype"])

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(inputs[0].shapes, {"coefficients": args.scalars("preemph_coeff"), "border": args["border"]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        sound = np.ascontiguousarray(inputs[0]).reshape(-1)
        preemphasis(sound, outputs[0].reshape(-1), work.params["coefficients"][index], work.params["border"])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None] | None:
        return emphasising(inputs[0], outputs[0], work.params["coefficients"], work.params["border"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        preemphasis_on_gpu(inputs[0], outputs[0], params["coefficients"], params["border"], stream)

"""``fn.nonsilent_region``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import is_float
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.audio import nonsilent_regions
from dali_studio.kernels.cuda.audio import nonsilent_region_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, compiled, example
from dali_studio.schema.marks import COMMON, Doc, Range, Ui, Unit
from dali_studio.schema.samples import Case, sounds, tensors, values
from dali_studio.schema.traits import PerSample

_TYPES = (T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32, T.UINT64, T.INT64, T.FLOAT)
_NEVER = -1


class NonsilentRegion(RangesOperator):
    """Finds where a sound begins and ends, for `slice` to cut off the silence around it.

    The power at a place is the mean square of a window of `window_length` samples; silent is what lies more than
    `cutoff_db` below the reference. Gives the first sample and the number of samples, int32; both are 0 for a sound
    that is silent throughout.
    """

    category = "audio"
    icon = "wave"
    keywords = "silence trim voice activity detection speech sound"
    inputs = (Input("audio", "audio", dtypes=_TYPES),)
    outputs = (Output("begin", "scalar"), Output("length", "scalar"))
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    kernels = (compiled("nonsilent_regions", _TYPES),)
    examples = (example(window_length=64, reset_interval=128, cutoff_db=-3.0), example(cutoff_db=-10.0))

    cutoff_db: Annotated[
        float, Doc("What is silent, below the reference."), Unit("dB"), Ui("slider", (-100, 0)), COMMON
    ] = -60.0
    window_length: Annotated[int, Doc("Samples of a window."), Unit("samples"), Range(1), COMMON] = 2048
    reference_power: Annotated[float | None, Doc("Power; unset: the largest of the sound."), COMMON] = None
    reset_interval: Annotated[
        int,
        Doc(
            "Samples after which sums of floats are computed anew, against rounding errors; a multiple of "
            "window_length, or -1: never."
        ),
        Unit("samples"),
    ] = 8192  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        def padded(dtype: Any) -> Any:
            loud = sounds((900, 4000, 1, 65), dtype).samples()
            return values(*(np.concatenate([np.zeros(500), one, np.zeros(777)]) for one in loud), dtype=dtype,
                          label=f"{dtype.name} in silence")

        return [
            *super().samples(),
            *(Case((padded(dtype),), {"window_length": 32, "reset_interval": 320}) for dtype in _TYPES),
            *(Case((padded(dtype),), {"window_length": 64, "cutoff_db": -20.0, "reset_interval": -1})
              for dtype in (T.INT16, T.FLOAT)),
            Case((padded(T.FLOAT),), {"window_length": 64, "reset_interval": 64}),
            Case((padded(T.FLOAT),), {"window_length": 1, "reset_interval": 5, "cutoff_db": -6.0}),
            *(Case((padded(T.UINT32),), {"window_length": width}) for width in (1, 2, 3)),
            Case((padded(T.FLOAT),), {"reference_power": 0.5, "cutoff_db": -3.0, "window_length": 16}),
            Case((padded(T.FLOAT),), {"reference_power": 1e9}),
            Case((padded(T.INT16),), {"reference_power": 1e6, "window_length": 100, "reset_interval": 7}),
            Case((tensors(((30,), (9,)), high=0),), {}),
            Case((padded(T.FLOAT),), {"reference_power": 0.0}, refused="reference_power"),
            Case((padded(T.FLOAT),), {"window_length": 100, "reset_interval": 150}, refused="reset_interval"),
            Case((tensors(((0,), (9,))),), {}, refused="", peer=False, note="it reads what is not there"),
            Case((tensors(((4, 2), (9, 1))),), {}, refused=""),
            Case((tensors(((40,), (9,)), T.FLOAT64),), {}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.ndim is not None and meta.ndim != 1:
            raise ArgumentError(
                f"the input has {meta.ndim} axes; sounds with one are accepted.",
                hint="Decode with downmix=True, or choose a channel.", code="DS203",
            )  # fmt: skip
        power = args["reference_power"]
        if power is not None and not power > 0:
            raise ArgumentError(
                f"the reference is {power:g}.", hint="Give one above 0, or leave it out.", argument="reference_power"
            )
        interval, width = args["reset_interval"], args["window_length"]
        reset = meta.dtype is not None and is_float(meta.dtype) and interval != _NEVER
        if reset and (interval < 1 or interval % width):
            raise ArgumentError(
                f"sums are to be computed anew after {interval} samples, windows have {width}.",
                hint=f"Give a multiple of {width}, or -1.", argument="reset_interval",
            )  # fmt: skip
        scalar = TensorMeta(T.INT32, 0, "", "scalar")
        return scalar, scalar

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        sound = inputs[0]
        if (sound.counts < 1).any():
            raise ArgumentError(
                "the sound has no sample.", hint="Leave such sounds out.", sample=int(np.argmin(sound.counts)),
                code="DS203",
            )  # fmt: skip
        reset = is_float(sound.meta.dtype or T.FLOAT) and args["reset_interval"] != _NEVER
        shapes = np.empty((len(sound), 0), np.int64)
        settings = {"width": args["window_length"], "interval": args["reset_interval"] if reset else None,
                    "cutoff": args["cutoff_db"], "reference": args["reference_power"]}  # fmt: skip
        return Work(shapes, settings, (shapes,))

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        sound, begin, length = (Batch.of([one]) for one in (np.ascontiguousarray(inputs[0]), *outputs))
        nonsilent_regions(sound, begin, length, **work.params)(0, 1)

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return nonsilent_regions(inputs[0], outputs[0], outputs[1], **work.params)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        nonsilent_region_on_gpu(inputs[0], outputs[0], outputs[1], stream=stream, **work.params)

"""``fn.audio_resample``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.audio import from_sound, resample, resampled_length, to_sound
from dali_studio.kernels.cuda.audio import resample_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Doc, Range, Ui, Unit
from dali_studio.schema.samples import Case, sounds, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample

_TYPES = (T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32, T.FLOAT)
_WAYS = ("in_rate", "scale", "out_length")


class AudioResample(Operator):
    """Changes the rate of a sound, by a sinc in Hann's window.

    How far is said by `in_rate` and `out_rate`, by `scale`, or by `out_length`. The filter is not made wider where the
    rate becomes lower: frequencies above half of it are folded, as in nvidia.dali. Where the type changes, numbers are
    spread over its range, and 0 of signed types becomes the middle of unsigned ones; floats reach from -1 to 1.
    """

    category = "audio"
    icon = "wave"
    keywords = "resample rate speed tempo sinc speech sound"
    former = ("experimental.audio_resample",)
    inputs = (Input("audio", "audio", dtypes=_TYPES, doc="(samples,) or (samples, channels)."),)
    outputs = (Output("audio", "audio"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    kernels = (compiled("to_sound", _TYPES), compiled("from_sound", _TYPES[:-1]))
    examples = (
        example(in_rate=22050.0, out_rate=16000.0), example(scale=1.3, dtype="INT16"), example(out_length=500),
    )  # fmt: skip
    tolerance = (
        Tolerance(1, 0.02, dtypes=_TYPES[:4], reason="a rounded number may become its neighbour"),
        Tolerance(4096, dtypes=(T.INT32, T.UINT32), reason="the 24 bits of float32, by which 32 bits are computed"),
        Tolerance(relative=1e-6, reason="the products of the filter are added in another order, and its table is "
                  "computed in double precision"),
    )  # fmt: skip

    in_rate: Annotated[float | None, Doc("Rate of the input, with out_rate."), Unit("Hz"), PER_SAMPLE, COMMON] = None
    out_rate: Annotated[float | None, Doc("Rate of the output, with in_rate."), Unit("Hz"), PER_SAMPLE, COMMON] = None
    scale: Annotated[
        float | None, Doc("How many samples one becomes."), Ui("slider", (0.1, 4)), PER_SAMPLE, COMMON
    ] = None  # fmt: skip
    out_length: Annotated[
        int | None, Doc("Samples of the output."), Unit("samples"), PER_SAMPLE, ANY_NUMBER, COMMON
    ] = None  # fmt: skip
    quality: Annotated[float, Doc("0 is a sinc of 3 lobes, 50 of 16, 100 of 64."), Range(0, 100)] = 50.0
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset: the input's.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sound, stereo = sounds(), sounds(channels=2)
        rates = values(8000, 16000, 22050, 44100)
        return [
            *super().samples(),
            *(Case((sounds((300, 41, 1), dtype),), {"scale": 0.8, "dtype": out.name})
              for dtype in _TYPES for out in _TYPES),
            *(Case((data,), {"in_rate": 16000.0, "out_rate": rate}) for data in (sound, stereo)
              for rate in (8000.0, 16000.0, 30000.0)),
            Case((sound,), {"in_rate": rates, "out_rate": 16000.0}),
            Case((sound,), {"in_rate": 16000.0, "out_rate": rates, "quality": 20.0}),
            Case((stereo,), {"scale": values(0.5, 2.0, 1.0, 0.01), "quality": 100.0}),
            Case((sound,), {"out_length": values(100, 0, 7, 5000, dtype=T.INT64)}),
            Case((sound,), {"scale": 0.0}),
            Case((sounds((0, 30)),), {"scale": 2.0}),
            Case((sound,), {}, refused="scale", note="no rate"),
            Case((sound,), {"in_rate": 8000.0}, refused="out_rate"),
            Case((sound,), {"out_rate": 8000.0}, refused="in_rate"),
            Case((sound,), {"scale": 2.0, "out_length": 100}, refused="out_length"),
            Case((sound,), {"in_rate": 8000.0, "out_rate": 8000.0, "scale": 1.0}, refused="scale"),
            Case((sound,), {"in_rate": 0.0, "out_rate": 8000.0}, refused="in_rate"),
            Case((sound,), {"in_rate": 8000.0, "out_rate": -1.0}, refused="out_rate"),
            Case((sound,), {"scale": -1.0}, refused="scale"),
            Case((sound,), {"out_length": -1}, refused="out_length", peer=False, note="it fails for want of memory"),
            Case((sounds((0, 30)),), {"out_length": 5}, refused="out_length"),
            Case((sound,), {"scale": 2.0, "dtype": "FLOAT64"}, refused="dtype"),
            Case((sounds(dtype=T.FLOAT64),), {"scale": 2.0}, refused=""),
            Case((tensors(((4, 2, 1), (3, 2, 2))),), {"scale": 2.0}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        accept_output(args["dtype"], _TYPES)
        if meta.ndim is not None and meta.ndim not in (1, 2):
            raise ArgumentError(
                f"the input has {meta.ndim} axes; (samples,) and (samples, channels) are accepted.",
                hint="Bring sounds.", code="DS203",
            )  # fmt: skip
        for one, other in (("in_rate", "out_rate"), ("out_rate", "in_rate")):
            if args.given(one) and not args.given(other):
                raise ArgumentError(f"{one} is given without {other}.", hint="Give both.", argument=other)
        given = [name for name in _WAYS if args.given(name)]
        if len(given) != 1:
            said = f"{' and '.join(given)} are given" if given else "neither rates nor scale nor length are given"
            raise ArgumentError(
                f"{said}; one of them says how far the sound is resampled.",
                hint="Give in_rate and out_rate, or scale, or out_length.", argument=given[-1] if given else "scale",
            )  # fmt: skip
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        sound = inputs[0]
        lengths = sound.shapes[:, 0]
        rates, wanted, made = _rates(args, lengths)
        shapes = sound.shapes.copy()
        shapes[:, 0] = made
        return Work(shapes, {"rates": rates, "wanted": wanted, "quality": args["quality"]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, out = work.params, outputs[0]
        src = np.ascontiguousarray(inputs[0])
        channels = src.shape[1] if src.ndim > 1 else 1
        sound = to_sound(src, out.dtype).reshape(len(src), channels)
        made = out if out.dtype == np.float32 else np.empty(out.shape, np.float32)
        resample(
            sound, made.reshape(len(out), channels), params["rates"][index], params["wanted"][index], params["quality"]
        )
        if made is not out:
            from_sound(made, out)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        resample_on_gpu(inputs[0], outputs[0], **work.params, stream=stream)


def _rates(
    args: Args, lengths: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Rates before and after, and the lengths that follow."""
    if args.given("out_length"):
        fed = args.samples("out_length")
        if fed is not None and len(fed) and fed[0].dtype.kind not in "iu":
            raise ArgumentError(
                f"out_length is {fed[0].dtype}; whole numbers are accepted.", hint="Insert cast with dtype INT64.",
                argument="out_length",
            )  # fmt: skip
        made = args.scalars("out_length", np.int64)
        _refuse(made < 0, args, "out_length", made, "Give 0 or more.")
        _refuse((lengths == 0) & (made > 0), args, "out_length", made, "Give 0 for a sound without a sample.")
        return np.maximum(lengths, 1).astype(np.float64), np.maximum(made, 1).astype(np.float64), made
    if args.given("scale"):
        name, before = "scale", np.ones(len(lengths))
    else:
        name, before = "out_rate", args.scalars("in_rate").astype(np.float64)
        _refuse(~(before > 0), args, "in_rate", before, "Give a rate above 0.")
    wanted = args.scalars(name).astype(np.float64)
    _refuse(~(wanted >= 0), args, name, wanted, "Give 0 or more.")
    made = np.minimum(resampled_length(lengths, before, wanted), 2.0**60).astype(np.int64)
    return before, wanted, made


def _refuse(wrong: NDArray[np.bool_], args: Args, name: str, given: NDArray[Any], hint: str) -> None:
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ArgumentError(
            f"{name} is {given[sample]:g}.", hint=hint, argument=name, sample=sample if args.wired(name) else None
        )

"""``fn.power_spectrum``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.fourier import power_spectra, power_spectrum, transform_of
from dali_studio.operators.audio.common import MAX_FFT, POWER, SPECTRUM_TOLERANCE
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Range, Ui
from dali_studio.schema.samples import Case, tensors
from dali_studio.schema.traits import PerSample

_MAX_AXES = 3


class PowerSpectrum(Operator):
    """The spectrum of a signal, or of each of several signals that lie side by side.

    Gives ``nfft // 2 + 1`` numbers in place of the samples. A signal that is shorter than the transform stands in its
    middle, zeros around it; of a longer one the beginning is taken.
    """

    category = "audio"
    icon = "wave"
    keywords = "fft fourier frequencies sound"
    inputs = (Input("signal", dtypes=(T.FLOAT,), doc=f"Up to {_MAX_AXES} axes."),)
    outputs = (Output("spectrum"),)
    traits = (PerSample,)
    examples = (example(nfft=4096), example(nfft=4800, power=1))
    tolerance = SPECTRUM_TOLERANCE

    nfft: Annotated[
        int | None, Doc("Samples of the transform; unset: those of the signal."), Range(1, MAX_FFT),
        COMMON,
    ] = None  # fmt: skip
    axis: Annotated[int, Doc("The axis of the samples. Negative: from the last."), COMMON] = -1
    power: Annotated[int, POWER, Range(1, 2), Ui("slider", (1, 2))] = 2

    @classmethod
    def samples(cls) -> Sequence[Case]:
        short = "too short for its library"
        vectors = tensors(((1000,), (4096,), (243,), (8,), (27,), (16,)), low=-1, high=1)
        primes = tensors(((1009,), (22,), (13,)), low=-1, high=1)
        planes, volumes = (tensors(shapes, low=-1, high=1) for shapes in (
            ((9, 64), (100, 7), (12, 9), (17, 20)), ((8, 16, 5), (32, 60, 9), (7, 3, 12))))
        return [
            *(Case((vectors,), {"power": power}) for power in (2, 1)),
            Case((tensors(((1,), (2,), (3,), (4,), (5,), (6,), (7,)), low=-1, high=1),), {}, peer=False, note=short),
            Case((vectors,), {"nfft": 4096}),
            Case((vectors,), {"nfft": 5000, "power": 1}),
            Case((primes,), {}),
            *(Case((planes,), {"axis": axis}) for axis in (0, 1, -1)),
            *(Case((volumes,), {"axis": axis, "power": 1}) for axis in (0, 1, 2)),
            Case((planes,), {"axis": 0, "nfft": 128}),
            *(Case((data,), {"nfft": 12, "axis": axis}) for data, axis in ((vectors, 0), (planes, 0), (volumes, 1))),
            Case((planes,), {"axis": 2}, refused="axis"),
            Case((tensors(((0,), (3,))),), {}, refused=""),
            Case((tensors(((3,), (2,)), T.FLOAT64),), {}, refused=""),
            Case((tensors(((1, 2, 3, 4),)),), {}, refused=""),
            Case((tensors(((), ())),), {}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, (T.FLOAT,))
        if meta.ndim is not None:
            _axis(args["axis"], meta.ndim)
        return TensorMeta(T.FLOAT, meta.ndim, meta.layout)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        axis = _axis(args["axis"], shapes.shape[1])
        lengths = shapes[:, axis]
        sizes = lengths if args["nfft"] is None else np.full(len(shapes), args["nfft"])
        if (sizes < 1).any():
            raise ArgumentError(
                "the signal has no sample.", hint="Leave such signals out.", sample=int(np.argmax(sizes < 1)),
                code="DS203",
            )  # fmt: skip
        made = shapes.copy()
        made[:, axis] = sizes // 2 + 1
        return Work(made, {"axis": axis, "sizes": sizes, "root": args["power"] == 1})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        axis, size = params["axis"], int(params["sizes"][index])
        taken = inputs[0][(slice(None),) * axis + (slice(size),)]
        power_spectrum(taken, outputs[0], axis, size, root=params["root"])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        (signals,), (made,), params = inputs, outputs, work.params
        axis, sizes = params["axis"], params["sizes"]
        places, shapes, out = signals.addresses, signals.shapes, made.addresses
        for size in np.unique(sizes).tolist():
            some = np.flatnonzero(sizes == size)
            if transform_of(size) is None or (shapes[some, axis] > size).any():
                for index in some.tolist():
                    PowerSpectrum.cpu(work, index, [signals.samples[index]], [made.samples[index]])
            else:
                power_spectra(places[some], shapes[some], out[some], axis, size, root=params["root"])


def _axis(given: int, ndim: int) -> int:
    if not 1 <= ndim <= _MAX_AXES:
        raise ArgumentError(
            f"the input has {ndim} axes; 1 to {_MAX_AXES} are accepted.", hint="Bring signals.", code="DS203"
        )
    if given >= ndim:
        raise ArgumentError(
            f"there is no axis {given}; the input has {ndim}.", hint=f"Give 0 to {ndim - 1}.", argument="axis"
        )
    return given if given >= 0 else ndim - 1

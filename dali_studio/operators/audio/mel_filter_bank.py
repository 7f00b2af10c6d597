"""``fn.mel_filter_bank``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.linear import Matrix, transform_axis, transforming_axes
from dali_studio.kernels.cpu.mel import FORMULAS, mel_weights
from dali_studio.kernels.cuda.linear import transform_axis_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, example
from dali_studio.schema.marks import COMMON, Choices, Doc, Range, Ui, Unit
from dali_studio.schema.samples import Case, tensors
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample

_SETTINGS = ("nfilter", "sample_rate", "freq_low", "freq_high", "mel_formula", "normalize")
#: Where their values are kept.
_KEPT = "settings"


class MelFilterBank(RangesOperator):
    """Spectra on the mel scale: weighted sums of frequencies, by triangular filters that overlap by half.

    The axis of the frequencies is the one that the layout calls ``f``; without a layout it is the last but one, or the
    only one.
    """

    category = "audio"
    icon = "wave"
    keywords = "mel spectrogram filter triangular speech sound asr"
    inputs = (Input("spectrogram", dtypes=(T.FLOAT,), of_sound="spectrogram"),)
    outputs = (Output("mel"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (example(nfilter=20, sample_rate=16000.0), example(nfilter=16, mel_formula="htk", normalize=False))
    tolerance = (Tolerance(relative=1e-6, reason="the edges follow from logarithms, which differ in their last bits"),)

    nfilter: Annotated[int, Doc("Number of filters."), Range(1, 2**16), Ui("slider", (1, 256)), COMMON] = 128
    sample_rate: Annotated[float, Doc("Of the sound."), Unit("Hz"), Ui("slider", (8000, 48000)), COMMON] = 44100.0
    freq_low: Annotated[float, Doc("The lowest frequency."), Unit("Hz"), Range(0), COMMON] = 0.0
    freq_high: Annotated[float, Doc("The highest frequency; 0: half of the rate."), Unit("Hz"), COMMON] = 0.0
    normalize: Annotated[bool, Doc("The integral of each filter is 1; otherwise its peak is.")] = True
    mel_formula: Annotated[
        str, Doc('"slaney": linear below 1 kHz; "htk": ``1127 * ln(1 + f / 700)``.'), Choices(FORMULAS)
    ] = "slaney"  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given, speech = {"nfilter": 20}, {"nfilter": 40, "sample_rate": 16000.0}
        planes = tensors(((129, 31), (257, 9), (65, 1)), layout="ft")
        turned = tensors(((31, 129), (9, 257), (1, 65)), layout="tf")
        return [
            *(Case((data,), {**speech, "normalize": normalize, "mel_formula": formula})
              for data in (planes, turned) for normalize in (True, False) for formula in FORMULAS),
            Case((planes,), {}),
            Case((planes,), {**speech, "freq_low": 133.0, "freq_high": 6800.0}),
            Case((planes,), {**speech, "freq_low": 133.0, "freq_high": 9000.0}, peer=False,
                 note="it reads beyond the spectrum"),
            Case((tensors(((129,), (257,))),), speech),
            Case((tensors(((129, 7), (257, 90))),), speech),
            Case((tensors(((2, 129, 7), (3, 257, 17))),), speech),
            Case((tensors(((2, 129, 7), (3, 257, 17)), layout="Cft"),), speech),
            Case((tensors(((129, 3, 7), (257, 2, 17)), layout="fCt"),), speech),
            Case((tensors(((3, 7, 129), (2, 17, 257)), layout="Ctf"),), speech),
            Case((tensors(((4, 7), (2, 3)), layout="ft"),), given),
            Case((planes,), {**given, "sample_rate": 0.0}, refused="sample_rate"),
            Case((planes,), {**given, "freq_low": 900.0, "freq_high": 800.0}, refused="freq_high"),
            Case((planes,), {**given, "freq_high": 1e5}, refused="freq_high"),
            Case((planes,), {**given, "mel_formula": "bark"}, refused="mel_formula"),
            Case((tensors(((129, 7), (129, 9)), layout="HW"),), given, refused=""),
            Case((tensors(((1, 7), (129, 9)), layout="ft"),), given, refused="", peer=False, note="one frequency"),
            Case((tensors(((129, 7), (129, 9)), T.FLOAT64),), given, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, (T.FLOAT,))
        rate, low, high = args["sample_rate"], args["freq_low"], args["freq_high"]
        if not rate > 0:
            raise ArgumentError(f"the rate is {rate:g} Hz.", hint="Give one above 0.", argument="sample_rate")
        if not low < (high if high > 0 else rate / 2) <= rate:
            raise ArgumentError(
                f"frequencies from {low:g} to {high if high > 0 else rate / 2:g} Hz are asked for at {rate:g} Hz.",
                hint=f"Give a freq_high above freq_low, and {rate / 2:g} at most.",
                argument="freq_high" if high > 0 else "freq_low",
            )  # fmt: skip
        if meta.ndim is not None and meta.layout is not None:
            _axis(meta.layout, meta.ndim)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        axis = _axis(inputs[0].layout, shapes.shape[1])
        sizes = set(shapes[:, axis].tolist())
        if sizes and min(sizes) < 2:
            raise ArgumentError(
                f"the spectrum has {min(sizes)} frequencies.", hint="Bring spectra of two or more.",
                sample=int(shapes[:, axis].argmin()), code="DS203",
            )  # fmt: skip
        settings = args.memory.get(_KEPT)
        if settings is None:
            settings = args.memory[_KEPT] = tuple(args[name] for name in _SETTINGS)
        # of single spectra the sums are normalised, not the weights
        after = bool(axis == shapes.shape[1] - 1)
        made = shapes.copy()
        made[:, axis] = settings[0]
        banks = {size: _bank(size, after, *settings) for size in sizes}
        return Work(made, {"axis": axis, "banks": banks, "name": ("mel_filter_bank", after, settings)})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        axis = work.params["axis"]
        transform_axis(inputs[0], outputs[0], axis, work.params["banks"][inputs[0].shape[axis]])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return transforming_axes(inputs[0], outputs[0], work.params["axis"], work.params["banks"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        transform_axis_on_gpu(inputs[0], outputs[0], params["axis"], params["banks"], params["name"], stream)


@lru_cache(maxsize=32)
def _bank(
    bins: int, after: bool, filters: int, rate: float, low: float, high: float, formula: str, normalize: bool
) -> Matrix:
    weights, factors = mel_weights(bins, filters, rate, low, high if high > 0 else rate / 2, formula)
    if not normalize:
        return Matrix.of(weights)
    return Matrix.of(weights, factors) if after else Matrix.of(weights * factors[:, None])


def _axis(layout: str, ndim: int) -> int:
    if layout:
        if "f" not in layout:
            raise ArgumentError(
                f"the layout {layout!r} has no axis f, of frequencies.", hint="Bring what spectrogram gives.",
                code="DS203",
            )  # fmt: skip
        return layout.index("f")
    if ndim == 0:
        raise ArgumentError("numbers have no frequencies.", hint="Bring what spectrogram gives.", code="DS203")
    return max(0, ndim - 2)

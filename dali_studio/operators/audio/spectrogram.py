"""``fn.spectrogram``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.fourier import hann_window, spectrogram, spectrogram_shapes, spectrograms
from dali_studio.kernels.cuda.spectrogram import spectrogram_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.audio.common import MAX_FFT, POWER, SPECTRUM_TOLERANCE
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Choices, Doc, Layout, Range, Ui, Unit
from dali_studio.schema.samples import Case, sounds, tensors
from dali_studio.schema.traits import PerSample

#: Frequency or time first.
_LAYOUTS = ("ft", "tf")
#: Where what follows from constant arguments is kept.
_SETTINGS = "settings"


class Spectrogram(Operator):
    """The spectra of windows of a sound, one after the other.

    Gives float32 (frequencies, windows), where frequency ``k`` is that of ``k / nfft`` periods a sample, up to a half.
    A window that is shorter than the transform stands in its middle, zeros around it.
    """

    category = "audio"
    icon = "wave"
    keywords = "stft fft fourier short time speech sound frequencies"
    inputs = (Input("audio", "audio", dtypes=(T.FLOAT,), doc="One channel; other axes have one element."),)
    outputs = (Output("spectrogram"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (
        example(window_length=128, window_step=64),
        example(nfft=200, window_length=160, window_step=80, power=1),
        example(window_length=64, window_step=48, layout="tf", reflect_padding=False),
    )
    tolerance = SPECTRUM_TOLERANCE

    window_length: Annotated[int, Doc("Samples of a window."), Unit("samples"), Range(1, MAX_FFT), COMMON] = 512
    window_step: Annotated[
        int, Doc("Samples from one window to the next."), Unit("samples"), Range(1), COMMON
    ] = 256  # fmt: skip
    nfft: Annotated[
        int | None, Doc("Samples of the transform, at least those of a window; unset: as many."), Range(1, MAX_FFT),
        COMMON,
    ] = None  # fmt: skip
    power: Annotated[int, POWER, Range(1, 2), Ui("slider", (1, 2))] = 2
    window_fn: Annotated[
        list[float] | None, Doc("The weights of a window, window_length of them; unset: Hann's.")
    ] = None
    center_windows: Annotated[
        bool, Doc("The first window has its middle at the first sample; otherwise its begin, and none reaches beyond.")
    ] = True
    reflect_padding: Annotated[
        bool, Doc("Beyond its ends the sound is reflected, with center_windows; otherwise it is 0 there.")
    ] = True
    layout: Annotated[Layout, Doc('"ft": frequency first, or "tf": time first.'), Choices(_LAYOUTS)] = Layout("ft")

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sound, long = sounds(), {"window_length": 64, "window_step": 30}
        weights = tuple(float(x) for x in np.linspace(0.25, 1, 20))
        return [
            *super().samples(),
            Case((sound,), {}),
            *(Case((sound,), {**long, "nfft": size, "layout": layout, "power": power})
              for size in (64, 70, 75, 81, 96, 98, 100, 127) for layout, power in (("ft", 2), ("tf", 1))),
            *(Case((sound,), {**long, "center_windows": centred, "reflect_padding": reflect})
              for centred, reflect in ((True, False), (True, True))),
            *(Case((sounds((500, 317, 64, 4096)),), {**long, "center_windows": False, "layout": layout})
              for layout in _LAYOUTS),
            *(Case((sound,), {"window_length": width, "window_step": step})
              for width, step in ((3, 2), (7, 5), (33, 100))),
            *(Case((sound,), {"window_length": width, "window_step": 1}, peer=False, note="too short for its library")
              for width in (1, 2)),
            Case((sound,), {"window_fn": weights, "window_length": 20, "window_step": 10, "nfft": 32}),
            Case((tensors(((1, 300), (1, 77)), low=-1, high=1),), long),
            Case((tensors(((300, 1), (77, 1)), low=-1, high=1),), {**long, "layout": "tf"}),
            Case((tensors(((40,), (700,)), low=-1, high=1),), {**long, "center_windows": False}),
            Case((sounds((10, 500)),), {**long, "center_windows": False}, refused=""),
            Case((tensors(((0,), (30,))),), long, refused="", peer=False, note="it reads what is not there"),
            Case((tensors(((5, 30), (2, 60))),), long, refused=""),
            Case((sound,), {"window_length": 64, "nfft": 32}, refused="nfft"),
            Case((sound,), {"window_fn": weights}, refused="window_fn"),
            Case((sound,), {"layout": "xy"}, refused="layout"),
            Case((sounds(dtype=T.INT16),), {}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], (T.FLOAT,))
        width = args["window_length"]
        if args["nfft"] is not None and args["nfft"] < width:
            raise ArgumentError(
                f"a window of {width} samples does not fit into a transform of {args['nfft']}.",
                hint=f"Give {width} or more, or a shorter window.", argument="nfft",
            )  # fmt: skip
        if args["window_fn"] and len(args["window_fn"]) != width:
            raise ArgumentError(
                f"window_fn has {len(args['window_fn'])} weights, window_length is {width}.",
                hint="Give one for each sample of the window.", argument="window_fn",
            )  # fmt: skip
        return TensorMeta(T.FLOAT, 2, str(args["layout"]))

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        width, settings = args["window_length"], args.memory.get(_SETTINGS)
        if settings is None:
            settings = args.memory[_SETTINGS] = _settings(args)
        made, wrong = spectrogram_shapes(
            inputs[0].shapes, width, settings["step"], settings["size"] // 2 + 1, centred=settings["centred"],
            time_major=settings["time_major"],
        )  # fmt: skip
        if wrong < 0:
            return Work(made, settings)
        shape = tuple(inputs[0].shapes[wrong].tolist())
        if sum(extent != 1 for extent in shape) > 1:
            raise ArgumentError(
                f"the input has the shape {shape}; sounds of one channel are accepted.",
                hint="Decode with downmix=True, or choose a channel.", sample=wrong, code="DS203",
            )  # fmt: skip
        raise ArgumentError(
            f"the sound has {math.prod(shape)} samples, too few for a window of {width}.",
            hint="Leave such sounds out, pad them, or set center_windows.", sample=wrong, code="DS203",
        )  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        spectrogram(np.ascontiguousarray(inputs[0]).reshape(-1), outputs[0], **work.params)

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None] | None:
        return spectrograms(inputs[0], outputs[0], **work.params)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        spectrogram_on_gpu(inputs[0], outputs[0], stream=stream, **work.params)


def _settings(args: Args) -> dict[str, Any]:
    """What `spectrogram` is given for all sounds."""
    width, given = args["window_length"], args["window_fn"]
    return {
        "window": np.array(given, np.float32) if given else hann_window(width), "step": args["window_step"],
        "size": args["nfft"] or width, "centred": args["center_windows"],
        "reflect": args["center_windows"] and args["reflect_padding"], "root": args["power"] == 1,
        "time_major": args["layout"] == "tf",
    }  # fmt: skip

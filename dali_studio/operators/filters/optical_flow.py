"""``fn.optical_flow``."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.optical_flow import FlowError, FlowSession, FlowSettings, NoFlowError
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Choices, Deprecated, Doc, Range, Refused, Ui
from dali_studio.schema.samples import Case, images
from dali_studio.schema.traits import MixesSamples

_LAYOUT = "FHWC"
_GRIDS, _HINT_GRIDS = (1, 2, 4), (1, 2, 4, 8)
#: The driver's levels, and the presets from which on they hold.
_LEVELS = ((0.75, 20), (0.375, 10), (0.0, 5))
_WHAT_TO_DO = (
    "It comes with NVIDIA's driver, for GPUs from Turing on. In a container, ask for it: "
    "NVIDIA_DRIVER_CAPABILITIES=compute,utility,video."
)
#: The arguments that settings of the hardware come from.
_ARGUMENTS = {"grid": "output_grid", "hint_grid": "hint_grid"}


class OpticalFlow(Operator):
    """Finds where the pixels of each frame were in the frame before, by the optical flow hardware of NVIDIA's GPUs.

    Of F frames it gives F - 1 fields of vectors (x, y), in pixels of the frames, one for each square of `output_grid`
    pixels. The hardware and the library that drives it come with the GPU and its driver; nothing computes the vectors
    on the CPU. Frames of one size in a row are the fastest.
    """

    category = "filters"
    icon = "frames"
    node_name = "flow"
    keywords = "motion movement vectors velocity video frames nvofa displacement"
    inputs = (
        Input("frames", "video", layouts=_LAYOUT, dtypes=(T.UINT8,)),
        Input("hints", layouts=_LAYOUT, dtypes=(T.FLOAT,), optional=True, doc="Vectors at which the search begins."),
    )
    outputs = (Output("flow"),)
    traits = (MixesSamples,)
    devices = ("gpu",)
    examples = (example(), example(preset=1.0, output_grid=1))

    preset: Annotated[
        float, Doc("0: slow and good, 0.5: between, 1: fast."), Range(0, 1), Ui("slider", (0, 1)), COMMON
    ] = 0.0  # fmt: skip
    output_grid: Annotated[
        int, Doc("Pixels from one vector to the next: 1, 2 or 4, as far as the hardware has them."), COMMON
    ] = 4  # fmt: skip
    hint_grid: Annotated[int, Doc("Pixels from one hint to the next: 1, 2, 4 or 8.")] = 4
    enable_temporal_hints: Annotated[
        bool,
        Doc(
            "Let each search begin where the one before ended, also that of another sequence of the same size; results "
            "then depend on what was computed before."
        ),
    ] = False
    enable_external_hints: Annotated[
        bool, Doc("Let searches begin at the vectors of the second input, one field for each pair of frames.")
    ] = False
    image_type: Annotated[DALIImageType, Doc("The order of the channels."), Choices(("RGB", "BGR", "GRAY")), COMMON] = (
        DALIImageType.RGB
    )
    output_format: Annotated[int | None, Deprecated("output_grid"), Refused("renamed to output_grid")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        frames = images(layout=_LAYOUT)
        return [Case((frames,), refused="device")]  # none runs on the CPU: tests/gpu/test_optical_flow.py

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        frames, *hints = inputs
        check_dtype(frames, (T.UINT8,))
        for meta in inputs:
            _check_layout(meta)
        for meta in hints:
            check_dtype(meta, (T.FLOAT,))
        for name, accepted in (("output_grid", _GRIDS), ("hint_grid", _HINT_GRIDS)):
            if args[name] not in accepted:
                numbers = ", ".join(map(str, accepted))
                raise ArgumentError(f"{args[name]} is given; {numbers} are accepted.", hint="Use one of these.",
                                    argument=name)  # fmt: skip
        if args["enable_external_hints"] and not hints:
            raise ArgumentError(
                "hints are enabled, and there are none.", hint="Wire them to the second input, or unset it.",
                argument="enable_external_hints", code="DS201",
            )  # fmt: skip
        return TensorMeta(T.FLOAT, len(_LAYOUT), _LAYOUT)

    @staticmethod
    def open(args: Args) -> _Search:
        return _Search()

    @staticmethod
    def close(state: _Search) -> None:
        state.close()

    @staticmethod
    def run(state: Any, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        raise _not_here("there is no GPU that can be used")

    @staticmethod
    def run_gpu(state: _Search, args: Args, inputs: Sequence[Batch], stream: GpuStream) -> tuple[Batch, ...]:
        frames, hinted = inputs[0], bool(args["enable_external_hints"])
        kind, grids = args["image_type"], (args["output_grid"], args["hint_grid"])
        level = next(level for least, level in _LEVELS if args["preset"] >= least)
        settings = FlowSettings(
            *grids, level, grey=kind is DALIImageType.GRAY, blue_first=kind is DALIImageType.BGR,
            temporal=args["enable_temporal_hints"], hinted=hinted,
        )  # fmt: skip
        hints = inputs[1] if hinted else None
        _check_shapes(frames.shapes, 1 if settings.grey else 3)
        if hints is not None:
            _check_hints(hints.shapes, _fields(frames.shapes, grids[1]), grids[1])
        made = stream.empty(_fields(frames.shapes, grids[0]), np.dtype(np.float32), _LAYOUT, frames.sources)
        try:
            with stream.timed():
                state.search(settings, frames, hints, made)
        except NoFlowError as error:
            raise _not_here(str(error)) from error
        except FlowError as error:
            hint = "Give another one." if error.argument in _ARGUMENTS else "Resize the frames."
            if not error.argument:
                hint = "Try other settings, or end other processes that use the hardware (nvidia-smi lists them)."
            raise ArgumentError(f"{error}.", hint=hint, argument=_ARGUMENTS.get(error.argument, ""),
                                code="DS203" if error.argument == "picture" else "DS305") from error  # fmt: skip
        return (made,)


class _Search:
    """The hardware's session over a run, for frames of one size at a time."""

    def __init__(self) -> None:
        self._session: FlowSession | None = None
        self._ended = False
        self._lock = threading.Lock()  # a run may end while its next iterations are being computed

    def search(self, settings: FlowSettings, frames: Batch, hints: Batch | None, out: Batch) -> None:
        """Enqueue the search in each sequence, by size, as nvidia.dali does; temporal hints depend on the order."""
        sizes = frames.shapes[:, 1:3]
        with self._lock:
            if self._ended:
                raise FlowError("the run has ended")
            for sample in np.lexsort((sizes[:, 0], sizes[:, 1])).tolist():
                height, width = sizes[sample].tolist()
                session = self._of(settings, height, width, int(frames.memory.device_id))
                given = None if hints is None else int(hints.addresses[sample])
                session.run(
                    int(frames.addresses[sample]), int(frames.shapes[sample, 0]), int(out.addresses[sample]), given
                )

    def _of(self, settings: FlowSettings, height: int, width: int, device_id: int) -> FlowSession:
        now = self._session
        if now is None or (now.settings, now.height, now.width) != (settings, height, width):
            self._drop()
            now = self._session = FlowSession(settings, height, width, device_id)
        return now

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def close(self) -> None:
        """Give back what the session holds; there will be no other one."""
        with self._lock:
            self._ended = True
            self._drop()


def _not_here(reason: str) -> ArgumentError:
    return ArgumentError(f"optical flow needs hardware: {reason}.", hint=_WHAT_TO_DO, code="DS206")


def _check_layout(meta: TensorMeta) -> None:
    if meta.layout not in (None, "", _LAYOUT) or meta.ndim not in (None, len(_LAYOUT)):
        found = f"the layout {meta.layout!r}" if meta.layout else f"{meta.ndim} axes"
        raise ArgumentError(
            f"the input has {found}; {_LAYOUT} is accepted.", hint="Bring sequences, such as those of a video reader.",
            code="DS203",
        )  # fmt: skip


def _fields(shapes: NDArray[np.int64], grid: int) -> NDArray[np.int64]:
    """The shapes of fields of vectors of frames."""
    made = np.full_like(shapes, 2)
    made[:, 0], made[:, 1:3] = shapes[:, 0] - 1, -(-shapes[:, 1:3] // grid)
    return made


def _check_shapes(shapes: NDArray[np.int64], channels: int) -> None:
    wrong = (shapes[:, 0] < 1) | (shapes[:, 3] != channels)
    if wrong.any():
        sample = int(np.argmax(wrong))
        empty, given = not shapes[sample, 0], int(shapes[sample, 3])
        raise ArgumentError(
            "the sequence has no frame." if empty else f"the frames have {given} channels; image_type says {channels}.",
            hint="Give sequences of two or more." if empty else "Convert the frames, or set image_type.", sample=sample,
            code="DS203",
        )  # fmt: skip


def _check_hints(shapes: NDArray[np.int64], wanted: NDArray[np.int64], grid: int) -> None:
    wrong = (shapes != wanted).any(axis=1)
    if wrong.any():
        sample = int(np.argmax(wrong))
        given, right = (tuple(one[sample].tolist()) for one in (shapes, wanted))
        raise ArgumentError(
            f"the hints have the shape {given}; with hint_grid={grid}, these frames need {right}.",
            hint="Give one field for each pair of frames, one vector for each square of the grid.", sample=sample,
            argument="hints", code="DS203",
        )  # fmt: skip

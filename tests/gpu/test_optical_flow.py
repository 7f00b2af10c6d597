"""Optical flow: what goes to the hardware and what comes from it, with one that is made up; refusals; the hardware."""

from __future__ import annotations

import ctypes
import fcntl
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dali_studio import DaliStudioError, fn, types
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.kernels.cuda import optical_flow
from dali_studio.operators.filters.optical_flow import OpticalFlow
from dali_studio.pipeline import Pipeline

cupy: Any = pytest.importorskip("cupy")
Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.gpu
EMULATED = "emulated" in cupy.__version__
PITCH = 512


def moving(height: int, width: int, count: int, seed: int = 0, step: tuple[int, int] = (1, 2)) -> Array:
    """A smooth picture that moves by `step` pixels down and to the right from frame to frame."""
    y, x = np.mgrid[: height + 64, : width + 64]
    waves = [np.sin(x / (4.0 + c + seed)) * 60 + np.cos(y / (5.0 + c)) * 50 + 127 for c in range(3)]
    whole = (
        (np.stack(waves, -1) + np.random.default_rng(seed).normal(0, 4, (*y.shape, 3))).clip(0, 255).astype(np.uint8)
    )
    down, right = step
    return np.stack([whole[32 - i * down :, 32 - i * right :][:height, :width] for i in range(count)])


def program(batch: Sequence[Array], hints: Sequence[Array] | None = None, **arguments: Any) -> Pipeline:
    made = Pipeline(batch_size=len(batch), num_threads=1, device_id=0)
    with made:
        inputs = [fn.external_source(source=lambda: list(batch), layout="FHWC").gpu()]
        if hints is not None:
            inputs.append(fn.external_source(source=lambda: list(hints), layout="FHWC").gpu())
        made.set_outputs(fn.optical_flow(*inputs, name="flow", **arguments))
    return made


def run(*given: Any, iterations: int = 1, **arguments: Any) -> list[Array]:
    """The fields of the last iteration."""
    made = program(*given, **arguments)
    try:
        for _ in range(iterations - 1):
            made.run()
        there = made.run()[0]
        assert there.layout() == "FHWC" and there.dtype == types.FLOAT
        host = there.as_cpu()
        return [np.array(host.at(place)) for place in range(len(host))]
    finally:
        made.release()


def refused(*given: Any, **arguments: Any) -> Any:
    with pytest.raises(DaliStudioError) as caught:
        run(*given, **arguments)
    found = caught.value.diagnostics[0]
    assert found.node == "flow" and found.hint, str(found)
    return found


# -------------------------------------------------------------------------------------------- hardware that is made up


class Hardware:
    """In place of the driver's library: vectors that tell which pictures, hints and settings they were made of."""

    def __init__(self) -> None:
        self.memory: dict[int, Array] = {}
        self.sessions: list[Any] = []
        self.open = 0

    def functions(self) -> dict[str, Any]:
        names = optical_flow._ARGUMENTS
        return {name: getattr(self, name) for name in names}

    def create(self, context: int, handle: Any) -> int:
        assert context == 77
        handle._obj.value, self.open = 5, self.open + 1
        return 0

    def capability(self, handle: Any, number: int, values: Any, size: Any) -> int:
        offered = {0: [1, 2, 4], 1: [1, 2, 4, 8], 4: [32], 5: [32], 6: [120], 7: [120]}[number]
        size._obj.value = len(offered)
        if values is not None:
            values[:] = offered
        return 0

    def init(self, handle: Any, settings: Any) -> int:
        kept = optical_flow._Settings.from_buffer_copy(settings._obj)
        self.sessions.append(kept)
        return 0

    def new_buffer(self, handle: Any, wanted: Any, kind: int, made: Any) -> int:
        description = wanted._obj
        assert kind == 2
        memory = np.full((description.height, PITCH), 99, np.uint8)
        made._obj.value = memory.ctypes.data
        self.memory[memory.ctypes.data] = memory
        return 0

    def pointer_of(self, handle: Any) -> int:
        return handle.value

    def strides_of(self, handle: Any, strides: Any) -> int:
        strides._obj.of_planes[0][0] = PITCH
        return 0

    def set_streams(self, *_: Any) -> int:
        return 0

    def execute(self, handle: Any, given: Any, made: Any) -> int:
        given, out = given._obj, self.memory[made._obj.vectors].view(np.int16)
        picture, reference = (self.memory[at].astype(np.int16) for at in (given.picture, given.reference))
        size = 1 if self.sessions[-1].width > 100 else 4  # of these pictures, wide ones are grey
        grid, height, width = self.sessions[-1].grid, len(picture), self.sessions[-1].width
        rows, columns = -(-height // grid), -(-width // grid)
        taken = [one[::grid, : width * size].reshape(rows, width, size)[:, ::grid] for one in (picture, reference)]
        assert size == 1 or (taken[0][..., 3] == 255).all()
        vectors = out[:, : 2 * columns].reshape(rows, columns, 2)
        vectors[..., 0] = taken[0][..., 0] - 2 * taken[1][..., 0]
        vectors[..., 1] = taken[0][..., -2 if size == 4 else 0] + (1000 if given.alone else 0)
        if given.hints:
            vectors[...] = self.memory[given.hints].view(np.int16)[:rows, : 2 * columns].reshape(rows, columns, 2)
        return 0

    def free_buffer(self, handle: Any) -> int:
        del self.memory[handle.value]
        return 0

    def destroy(self, handle: Any) -> int:
        self.open -= 1
        return 0

    def last_error(self, handle: Any, text: Any, size: Any) -> int:
        text.value = b"of the driver"
        return 0


@pytest.fixture
def hardware(monkeypatch: pytest.MonkeyPatch) -> Hardware:
    if not EMULATED:
        pytest.skip("reads the memory of kernels, which is the host's in the emulation alone")
    made = Hardware()
    monkeypatch.setattr(optical_flow, "_functions", made.functions)
    monkeypatch.setattr(optical_flow, "_context", lambda: 77)
    return made


def expected(frames: Array, grid: int, blue_first: bool = False, temporal: bool = False) -> Array:
    """What `Hardware` makes of them."""
    some = frames[:, ::grid, ::grid].astype(np.int32)
    some = some[..., ::-1] if blue_first else some
    second = some[1:, ..., -1] + (0 if temporal else 1000)
    return (np.stack([some[1:, ..., 0] - 2 * some[:-1, ..., 0], second], -1) / 32).astype(np.float32)


@pytest.mark.parametrize("grid", [1, 2, 4])
@pytest.mark.parametrize(("kind", "blue_first"), [("RGB", False), ("BGR", True)])
def test_frames_go_to_the_hardware_and_vectors_come_back(
    hardware: Hardware, grid: int, kind: str, blue_first: bool
) -> None:
    batch = [moving(40, 51, 4, 1), moving(33, 90, 2, 2), moving(40, 51, 3, 3)]
    made = run(batch, output_grid=grid, image_type=getattr(types, kind), preset=0.5, iterations=2)
    for frames, field in zip(batch, made, strict=True):
        np.testing.assert_array_equal(field, expected(frames, grid, blue_first))
    assert [(one.width, one.height) for one in hardware.sessions[:4]] == [(51, 40), (90, 33)] * 2
    assert {(one.grid, one.hint_grid, one.mode, one.level, one.hints) for one in hardware.sessions} == {
        (grid, 0, 1, 10, 0)
    }
    assert not hardware.open and not hardware.memory


def test_one_frame_has_no_field(hardware: Hardware) -> None:
    one, two = run([moving(40, 51, 1), moving(40, 51, 2)])
    assert (one.shape, two.shape) == ((0, 10, 13, 2), (1, 10, 13, 2))


def test_grey_frames_and_temporal_hints(hardware: Hardware) -> None:
    frames = moving(40, 110, 3)[..., :1].copy()
    (field,) = run([frames], image_type=types.GRAY, enable_temporal_hints=True, preset=1.0)
    np.testing.assert_array_equal(field, expected(frames, 4, temporal=True))
    assert hardware.sessions[0].level == 20


def test_hints_are_the_vectors_of_each_pair(hardware: Hardware) -> None:
    frames = moving(40, 51, 3)
    hints = (np.random.default_rng(1).integers(-9000, 9000, (2, 10, 13, 2)) / 32).astype(np.float32)
    hints[0, 0, 0], hints[1, 0, 0] = (5000, -5000), (0.99 / 32, -0.99 / 32)
    (field,) = run([frames], [hints], enable_external_hints=True)
    wanted = hints.copy()
    wanted[0, 0, 0], wanted[1, 0, 0] = (32767 / 32, -32768 / 32), (0, 0)
    np.testing.assert_array_equal(field, wanted)
    assert (hardware.sessions[0].hints, hardware.sessions[0].hint_grid) == (1, 4)
    (field,) = run([frames], [hints])  # given, and not asked for
    np.testing.assert_array_equal(field, expected(frames, 4))


def test_what_the_hardware_does_not_take(hardware: Hardware, monkeypatch: pytest.MonkeyPatch) -> None:
    found = refused([moving(40, 130, 2)])
    assert found.code == "DS203" and "32 to 120 pixels wide; these are 130" in found.message
    monkeypatch.setattr(Hardware, "init", lambda *_: 10)
    found = refused([moving(40, 51, 2)])
    assert found.code == "DS305" and "a feature is not supported (of the driver)" in found.message
    monkeypatch.setattr(Hardware, "capability", _turing)
    found = refused([moving(40, 51, 2)], output_grid=1)
    assert (found.code, found.argument) == ("DS305", "output_grid") and "grids of 4; 1 is given" in found.message
    assert not hardware.memory


def _turing(_: Any, handle: Any, number: int, values: Any, size: Any) -> int:
    size._obj.value = 1
    if values is not None:
        values[0] = {0: 4, 1: 4}.get(number, 32)
    return 0


def test_a_run_that_has_ended_opens_no_session(hardware: Hardware) -> None:
    search = OpticalFlow.open(cast("Any", None))
    OpticalFlow.close(search)
    frames = cast("Any", SimpleNamespace(shapes=np.array([[2, 40, 51, 3]])))
    with pytest.raises(optical_flow.FlowError, match="the run has ended"):
        search.search(optical_flow.FlowSettings(4, 4, 5), frames, None, frames)
    assert not hardware.sessions


def test_no_hardware_is_a_finding(hardware: Hardware, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hardware, "create", lambda *_: 2)
    found = refused([moving(40, 51, 2)])
    assert found.code == "DS206" and "the GPU has no optical flow hardware" in found.message


# --------------------------------------------------------------------------------------------------------- refusals


def test_no_library_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optical_flow, "_LIBRARIES", ("libnvidia-none.so.1",))
    monkeypatch.setattr(optical_flow, "_functions", optical_flow._functions.__wrapped__)
    found = refused([moving(40, 51, 2)])
    assert found.code == "DS206" and "library libnvidia-none.so.1 is not there" in found.message
    assert "NVIDIA_DRIVER_CAPABILITIES" in found.hint
    assert optical_flow.describe().startswith("not there: the driver's library libnvidia-none.so.1 is not there")


def test_the_processor_does_not_compute_it() -> None:
    made = program([moving(40, 51, 2)])
    engine = Engine(made.graph, default_registry(), background=False, devices=False)
    engine.schedule()
    with pytest.raises(DaliStudioError, match="DS206 flow: optical flow needs hardware"):
        engine.result()


@pytest.mark.parametrize(
    ("frames", "arguments", "code", "says"),
    [
        ((0, 40, 51, 3), {}, "DS203", "the sequence has no frame"),
        ((2, 40, 51, 1), {}, "DS203", "the frames have 1 channels; image_type says 3"),
        ((2, 40, 51, 3), {"image_type": types.GRAY}, "DS203", "the frames have 3 channels; image_type says 1"),
        ((2, 40, 51, 3), {"output_grid": 8}, "DS105", "8 is given; 1, 2, 4 are accepted"),
        ((2, 40, 51, 3), {"hint_grid": 3}, "DS105", "3 is given"),
        ((2, 40, 51, 3), {"preset": 1.5}, "DS105", "1.5"),
        ((2, 40, 51, 3), {"enable_external_hints": True}, "DS201", "there are none"),
    ],
)
def test_what_is_refused(frames: tuple[int, ...], arguments: dict[str, Any], code: str, says: str) -> None:
    found = refused([np.zeros(frames, np.uint8)], **arguments)
    assert found.code == code and says in found.message


def test_hints_of_a_wrong_shape_are_refused() -> None:
    found = refused([moving(40, 51, 3)], [np.zeros((3, 10, 13, 2), np.float32)], enable_external_hints=True)
    assert (found.code, found.argument) == ("DS203", "hints") and "need (2, 10, 13, 2)" in found.message


# --------------------------------------------------------------------------------------------------------- hardware


@pytest.fixture
def flow_hardware() -> Iterator[None]:
    """For one process at a time: the hardware has room for few, and refuses others as if memory were exhausted."""
    if EMULATED:
        pytest.skip("needs a GPU with optical flow hardware")
    try:
        optical_flow._functions()
    except optical_flow.NoFlowError as error:
        pytest.skip(f"no optical flow: {error}")
    with (Path(tempfile.gettempdir()) / "dali-studio-flow-hardware").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.mark.usefixtures("flow_hardware")
@pytest.mark.parametrize("arguments", [{}, {"preset": 1.0}, {"output_grid": 1}, {"enable_temporal_hints": True}])
@pytest.mark.parametrize("kind", ["RGB", "GRAY"])
def test_the_motion_is_found(kind: str, arguments: dict[str, Any]) -> None:
    """Where pixels were in the frame before: against the way that they went."""
    batch = [moving(128, 160, 4, 1), moving(130, 201, 3, 2)]
    if kind == "GRAY":  # one channel alone is a wave, which a step of its length looks like rest to
        batch = [(one @ np.array((0.299, 0.587, 0.114)))[..., None].astype(np.uint8) for one in batch]
    for field in run(batch, image_type=getattr(types, kind), iterations=2, **arguments):
        assert np.abs(np.median(field, axis=(1, 2)) - (-2, -1)).max() < 0.25


@pytest.mark.usefixtures("flow_hardware")
def test_hints_are_taken() -> None:
    frames = moving(128, 160, 4, 1)
    hints = np.tile(np.array((-2, -1), np.float32), (3, 32, 40, 1))
    (field,) = run([frames], [hints], enable_external_hints=True)
    assert np.abs(np.median(field, axis=(1, 2)) - (-2, -1)).max() < 0.25


@pytest.mark.usefixtures("flow_hardware")
@pytest.mark.parametrize(
    "arguments",
    [{}, {"preset": 0.5}, {"preset": 1.0}, {"output_grid": 1}, {"output_grid": 2}, {"image_type": "BGR"},
     {"enable_temporal_hints": True}, {"enable_temporal_hints": True, "preset": 1.0}],
)  # fmt: skip
def test_vectors_are_those_of_nvidia_dali(arguments: dict[str, Any]) -> None:
    dali: Any = pytest.importorskip("nvidia.dali", reason="needs nvidia.dali")
    batch = [moving(128, 160, 4, 1), moving(130, 201, 3, 2), moving(128, 160, 2, 3)]
    given = {**arguments, "image_type": getattr(dali.types, arguments.get("image_type", "RGB"))}
    theirs = dali.Pipeline(batch_size=len(batch), num_threads=1, device_id=0)
    with theirs:
        frames = dali.fn.external_source(source=lambda: batch, layout="FHWC").gpu()
        theirs.set_outputs(dali.fn.optical_flow(frames, **given))
    theirs.build()
    theirs.run()
    there = theirs.run()[0].as_cpu()
    given["image_type"] = getattr(types, arguments.get("image_type", "RGB"))
    for place, field in enumerate(run(batch, iterations=2, **given)):
        np.testing.assert_array_equal(field, there.at(place))


def test_layouts_of_structures() -> None:
    """Sizes and places are those of version 2.0 of the interface."""
    sizes = {
        one: ctypes.sizeof(getattr(optical_flow, one))
        for one in ("_Table", "_Settings", "_Description", "_Strides", "_Given")
    }
    assert sizes == {"_Table": 96, "_Settings": 48, "_Description": 16, "_Strides": 28, "_Given": 56}
    assert (optical_flow._Settings.reserved.offset, optical_flow._Given.regions.offset) == (32, 44)

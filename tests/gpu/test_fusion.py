"""Fused chains give the bits of the same steps one by one, and are fewer launches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from images import ODD_SIZES, pictures

from dali_studio import fn, math, types
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.compiler.plan import FusedStage
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cuda import chains, replay
from dali_studio.pipeline import Pipeline
from dali_studio.runtime.probe import Probe
from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.gpu

REGISTRY = default_registry()
FUSED_WARPS = Tolerance(
    120, relative=1, reason="one interpolation instead of several: edges, and the border between image and fill, differ"
)
SIZES = ((57, 43), (64, 64), (33, 95), *ODD_SIZES[1:])
Array = np.ndarray[Any, Any]


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Forms of the generated kernels that the test's own thread launched; pipelines of others may still run."""
    monkeypatch.setattr(replay, "_MAX_USELESS", 0)  # each launch is made anew
    made: list[str] = []
    launch, own = chains.launch, threading.get_ident()

    def counted(*arguments: Any) -> None:
        if threading.get_ident() == own:
            made.append(arguments[3])
        launch(*arguments)

    monkeypatch.setattr(chains, "launch", counted)
    return made


def iterations(
    define: Callable[[Any], Any], batch: list[Array], layout: str, *, fuse: bool, count: int = 1, warps: bool = False
) -> Any:
    """(number of fused stages, samples of the first output in each iteration)."""
    pipeline = Pipeline(batch_size=len(batch), num_threads=2, device_id=0, seed=5)
    with pipeline:
        images = fn.external_source(source=lambda: list(batch), layout=layout)
        pipeline.set_outputs(define(images.gpu()))
    engine = Engine(pipeline.graph, REGISTRY, background=False, probe=None if fuse else Probe(), fuse_warps=warps)
    try:
        found: list[list[Array]] = []
        for _ in range(count):
            engine.schedule()
            host = engine.result()[0].as_cpu()
            found.append([np.asarray(host.at(i), order="C") for i in range(len(host))])
    finally:
        engine.close()
    return sum(isinstance(stage, FusedStage) for stage in engine.plan.stages), found


def equal(define: Callable[[Any], Any], batch: list[Array], layout: str = "HWC", what: object = "", count: int = 1) -> int:
    """Compare fused with unfused; how many fused stages there were."""
    stages, fused = iterations(define, batch, layout, fuse=True, count=count)
    none, plain = iterations(define, batch, layout, fuse=False, count=count)
    assert none == 0
    for ours, reference in zip(fused, plain, strict=True):
        for index, (a, b) in enumerate(zip(ours, reference, strict=True)):
            assert (a.shape, a.dtype) == (b.shape, b.dtype), (what, index)
            assert a.tobytes() == b.tobytes(), (what, index, np.argwhere(a != b)[:5])
    return stages


def photo_chain(images: Any) -> Any:
    images = fn.rotate(
        fn.resize(images, size=(50.0, 60.0)), angle=fn.random.uniform(range=(-30.0, 30.0)), keep_size=True, fill_value=0.0
    )
    images = fn.brightness_contrast(fn.hsv(images, hue=20.0, saturation=1.2), brightness=1.1, contrast=0.9)
    return fn.crop_mirror_normalize(
        images, crop=(44.0, 41.0), mirror=fn.random.coin_flip(), mean=(124.0, 116.0, 104.0), std=(58.0, 57.0, 57.0)
    )


def test_the_photo_chain_takes_two_kernels(launches: list[str]) -> None:
    batch = pictures(SIZES)
    assert equal(photo_chain, batch, count=3) == 1
    assert launches == ["rows", "grid"] * 3 + ["rows", "grid", "flat", "flat", "grid"] * 3


def test_a_resize_takes_the_steps_behind_it(launches: list[str]) -> None:
    def define(images: Any) -> Any:
        images = fn.hsv(fn.resize(images, size=(50.0, 61.0)), saturation=1.4)
        return fn.crop_mirror_normalize(images, crop=(40.0, 44.0), mirror=fn.random.coin_flip(), mean=(100.0,))

    assert equal(define, pictures(SIZES)) == 1
    assert launches == ["rows", "rows", "flat", "grid"]


def test_shrinking_far_reads_pixel_by_pixel() -> None:
    def define(images: Any) -> Any:
        return fn.crop(fn.brightness_contrast(fn.resize(images, size=(5.0, 3.0)), contrast=1.5), crop=(4.0, 2.0))

    assert equal(define, pictures(((40, 6000), (300, 5000)))) == 1


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_layouts_channels_and_padding(layout: str, channels: int) -> None:
    def define(images: Any) -> Any:
        images = fn.flip(fn.resize(images, size=(40.0, 50.0)), horizontal=fn.random.coin_flip(), vertical=1)
        images = fn.crop(images, crop=(47.0, 33.0), out_of_bounds_policy="pad", fill_values=(9.0,))
        return fn.crop_mirror_normalize(
            fn.cast(images, dtype="FLOAT"), crop=(30.0, 52.0), out_of_bounds_policy="pad", fill_values=(3.0,),
            mirror=fn.random.coin_flip(), mean=(5.0,), std=(2.0,), pad_output=True,
            output_layout="HWC" if layout == "CHW" else "CHW",
        )  # fmt: skip

    assert equal(define, pictures(SIZES, channels, planar=layout == "CHW"), layout) == 1


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["UINT8", "FLOAT"])
@pytest.mark.parametrize("begin", ["nothing", "window", "resize", "warp"])
def test_parts_that_know_their_place(begin: str, dtype: str, channels: int, layout: str) -> None:
    """Boxes and numbers lie where they lie without fusion, in front of windows and behind, in all forms of a kernel."""
    if begin == "warp" and layout == "CHW":
        pytest.skip("warps take HWC")

    def define(images: Any) -> Any:
        images = fn.cast(images, dtype=dtype)
        if begin == "window":
            images = fn.crop(images, crop=(47.0, 39.0), out_of_bounds_policy="pad", fill_values=(9.0,))
        elif begin == "resize":
            images = fn.resize(images, size=(41.0, 50.0))
        elif begin == "warp":
            images = fn.rotate(images, angle=25.0)
        images = fn.erase(images, anchor=(3.0, 5.0, 0.0, 20.0), shape=(9.0, 8.0, 50.0, 1.0), axis_names="HW", fill_value=77.0)
        images = fn.noise.gaussian(images, stddev=9.0, seed=4)
        images = fn.flip(images, horizontal=fn.random.coin_flip(), vertical=1)
        return fn.erase(images, anchor=(0.5, 0.5), shape=(0.2, 0.4), axis_names="WH", normalized=True)

    assert equal(define, pictures(SIZES, channels, planar=layout == "CHW"), layout, count=2) == 1


def test_sequences_are_taken_apart_for_all_steps() -> None:
    batch = [np.stack(pictures([size] * frames)) for frames, size in ((3, (57, 43)), (1, (64, 64)), (4, (33, 95)))]

    def photos(images: Any) -> Any:
        images = fn.rotate(fn.resize(images, size=(50.0, 60.0)), angle=fn.random.uniform(range=(-30.0, 30.0)), keep_size=True)
        images = fn.cast(fn.hsv(images, hue=20.0), dtype="FLOAT")
        return fn.crop_mirror_normalize(images, crop=(44.0, 41.0), mirror=1, mean=(124.0,), output_layout="FCHW")

    assert equal(photos, batch, "FHWC", count=2) == 1
    # boxes and numbers belong to the whole sequence
    assert equal(lambda x: fn.hsv(fn.noise.gaussian(x, stddev=9.0, seed=4), hue=20.0), batch, "FHWC") == 1
    assert equal(lambda x: fn.cast(fn.noise.gaussian(x, stddev=9.0, seed=4), dtype="FLOAT"), batch, "FHWC") == 1


def test_numbers_of_elements_without_coordinates(launches: list[str]) -> None:
    """Pixels of three channels that a matrix mixes, and tensors of any shape, are counted as units of one row."""
    def noisy(data: Any) -> Any:
        return fn.cast(fn.noise.gaussian(data, stddev=9.0, seed=4), dtype="FLOAT")

    assert equal(lambda images: noisy(fn.hsv(images, hue=40.0)), pictures(SIZES)) == 1
    assert equal(noisy, [np.arange(n, dtype=np.int32) for n in (1, 7, 64, 1001)], "") == 1
    assert launches[:2] == ["flat", "flat"] and "grid" not in launches


def test_elements_of_any_shape_are_cast_together() -> None:
    batch = [np.linspace(-300, 300, n, dtype=np.float32) for n in (1, 7, 64, 1001)]
    assert equal(lambda data: fn.cast(fn.cast(data, dtype="INT16"), dtype="UINT8"), batch, "") == 1


# --------------------------------------------------------------------------------------------------------- arithmetic


def on_cpu(define: Callable[[Any], Any], batch: list[Array], layout: str = "HWC") -> list[Array]:
    pipeline = Pipeline(batch_size=len(batch), num_threads=2, seed=5)
    with pipeline:
        pipeline.set_outputs(define(fn.external_source(source=lambda: list(batch), layout=layout)))
    (made,) = pipeline.run()
    return [np.asarray(made.at(i)) for i in range(len(made))]


def equal_to_the_cpu(define: Callable[[Any], Any], batch: list[Array], layout: str = "HWC") -> None:
    """One fused stage gives the bits of its steps one by one, and of the CPU."""
    assert equal(define, batch, layout) == 1
    _, ((*ours,),) = iterations(define, batch, layout, fuse=True)
    for index, (a, b) in enumerate(zip(ours, on_cpu(define, batch, layout), strict=True)):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), index
        # what is not a number has other bits on a GPU
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), (index, np.argwhere(a != b)[:5])


WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
#: Chains of one operation each and more, which keep the given type or promote it.
FORMULAS: dict[str, Callable[[Any], Any]] = {
    "sums": lambda x: -(7 - (x * 3 + 100)),
    "quotients": lambda x: math.clamp(abs(x // 7 % 1000), 2, 120),
    "powers": lambda x: math.max(math.min((x ** 2) % 7, 5), 1),
    "reals": lambda x: (x / 255 - 0.5) * 2.0 % 3,
    "doubles": lambda x: x * types.Constant(0.1, dtype=types.FLOAT64) + 1,
    "greater": lambda x: (x > 100) * 3,
    "equal": lambda x: fn.cast(fn.cast(x == 5, dtype="UINT8") != 1, dtype="FLOAT"),
}
FORMULAS_OF_WHOLE: dict[str, Callable[[Any], Any]] = {
    "bits": lambda x: ~((x & 29) | 64) ^ 5,
    "shifts": lambda x: (x << 3) >> 2,
    "narrowed": lambda x: fn.cast(x + 300, dtype="INT8") <= 20,
}


def numbers(dtype: str) -> list[Array]:
    """Numbers of all sizes that the type holds, its limits among them."""
    rng, kind = np.random.default_rng(3), np.dtype(dtype)
    if kind.kind == "f":
        ends = np.array([0.0, -0.0, 5.0, 0.5, np.inf, -np.inf], kind)
        return [ends, rng.normal(0, 200, 33).round(1).astype(kind), np.zeros(0, kind)]
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    ends = np.array([low, low + 1, high - 1, high, 0, 1, 5, high // 2], kind)
    return [ends, rng.integers(low, high, 33, kind, endpoint=True), np.zeros(0, kind)]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("dtype", [*WHOLE, "float32", "float64"])
def test_arithmetic_of_every_type(dtype: str, formula: str) -> None:
    if formula == "powers" and dtype.startswith("float"):  # CUDA's pow and the C library's differ in their last bits
        assert equal(FORMULAS[formula], numbers(dtype), "") == 1
    else:
        equal_to_the_cpu(FORMULAS[formula], numbers(dtype), "")


@pytest.mark.parametrize("formula", FORMULAS_OF_WHOLE)
@pytest.mark.parametrize("dtype", WHOLE)
def test_arithmetic_of_integers(dtype: str, formula: str) -> None:
    equal_to_the_cpu(FORMULAS_OF_WHOLE[formula], numbers(dtype), "")


def test_arithmetic_of_bools_and_of_any_shape() -> None:
    batch = [np.array([[True, False], [False, False]]), np.zeros((0, 4), np.bool_)]
    equal_to_the_cpu(lambda x: fn.cast(~x * True, dtype="INT32") + 3, batch, "")
    equal_to_the_cpu(lambda x: x * 0.5 > 1, [np.array(value, np.int16) for value in (1, 2, 3)], "")


def test_arithmetic_between_the_steps_of_images(launches: list[str]) -> None:
    def define(images: Any) -> Any:
        images = fn.rotate(images, angle=30.0, keep_size=True, fill_value=0.0)
        images = fn.cast(255 - fn.hsv(images, hue=20.0) * 0.5, dtype="UINT8")
        return 1 - fn.crop_mirror_normalize(images, crop=(30.0, 31.0), out_of_bounds_policy="pad", mirror=1, std=(58.0,)) / 2

    assert equal(define, pictures(SIZES), count=2) == 1
    assert launches[:2] == ["grid", "grid"] and len(launches) > 4  # one launch an iteration


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_arithmetic_in_front_of_windows_and_behind(layout: str, channels: int) -> None:
    def define(images: Any) -> Any:
        images = fn.flip(255 - images // 2, horizontal=fn.random.coin_flip(), vertical=1)
        return fn.crop(images * 0.25 + 3, crop=(47.0, 33.0), out_of_bounds_policy="pad", fill_values=(9.0,)) < 40

    assert equal(define, pictures(SIZES, channels, planar=layout == "CHW"), layout) == 1


def test_arithmetic_of_sequences() -> None:
    batch = [np.stack(pictures([size] * frames)) for frames, size in ((3, (57, 43)), (1, (64, 64)), (4, (33, 95)))]
    assert equal(lambda x: fn.crop(fn.hsv(x * 0.5, dtype="FLOAT") + 3, crop=(30.0, 20.0)), batch, "FHWC", count=2) == 1
    assert equal(lambda x: fn.cast(x * 0.5, dtype="UINT8"), batch, "FHWC") == 1


def test_functions_of_reals() -> None:
    assert equal(lambda x: math.exp(math.sin(math.log(math.fabs(x) + 1))) / 3, numbers("float32"), "") == 1
    assert equal(lambda x: math.atan2(math.fpow(math.fabs(x), 0.3), 2.0), numbers("float64"), "") == 1
    equal_to_the_cpu(lambda x: math.ceil(math.rsqrt(math.fabs(x)) * 10), numbers("int16"), "")


def test_arithmetic_of_two_tensors_is_a_stage_of_its_own() -> None:
    def define(images: Any) -> Any:
        return fn.cast((images * 0.5 + 1) * fn.cast(images, dtype="FLOAT") / 255, dtype="UINT8")

    assert equal(define, pictures(SIZES)) == 2


def test_a_failure_in_a_fused_stage_names_its_step() -> None:
    def define(images: Any) -> Any:
        return fn.crop(fn.hsv(images, hue=5.0), crop=(50.0, 50.0), name="window")

    with pytest.raises(DaliStudioError) as caught:
        iterations(define, pictures(((60, 60), (20, 20))), "HWC", fuse=True)
    found = caught.value.diagnostics[0]
    assert (found.code, found.node, found.sample) == ("DS105", "window", 1)


# ------------------------------------------------------------------------------------------- warps as one resampling


def smooth(height: int, width: int) -> Array:
    y, x, c = np.ogrid[0:height, 0:width, 0:3]
    return (127 + 60 * np.sin(y / 9.0 + c) + 60 * np.cos(x / 11.0 - c)).astype(np.uint8)


def there_and_back(images: Any) -> Any:
    turned = fn.rotate(fn.flip(images, vertical=1), angle=25.0, keep_size=True)
    return fn.cast(fn.flip(fn.rotate(turned, angle=-25.0, keep_size=True), vertical=1), dtype="FLOAT")


def test_warps_that_undo_each_other_change_nothing(launches: list[str]) -> None:
    batch = [smooth(60, 70), smooth(41, 90)]
    stages, ((*results,),) = iterations(there_and_back, batch, "HWC", fuse=True, warps=True)
    assert (stages, launches) == (1, ["grid"])
    for result, original in zip(results, batch, strict=True):
        assert np.abs(result - original).max() <= 1


def test_one_resampling_is_near_to_several() -> None:
    def define(images: Any) -> Any:
        larger = fn.resize(images, size=(90.0, 130.0))
        return fn.rotate(fn.flip(larger, horizontal=fn.random.coin_flip()), angle=25.0, fill_value=3.0)

    batch = [smooth(60, 70), smooth(41, 90)]
    (_, (once,)), (_, (several,)) = (iterations(define, batch, "HWC", fuse=True, warps=warps) for warps in (True, False))
    for a, b in zip(once, several, strict=True):
        assert a.shape == b.shape
        FUSED_WARPS.check(a, b)
        assert np.abs(a.astype(np.float64) - b).mean() <= 1


def test_a_resize_that_filters_is_not_part_of_a_resampling(launches: list[str]) -> None:
    def define(images: Any) -> Any:
        return fn.hsv(fn.rotate(fn.resize(images, size=(20.0, 30.0)), angle=25.0), hue=3.0)

    batch = [smooth(60, 70), smooth(41, 90)]
    (_, once), (_, several) = (iterations(define, batch, "HWC", fuse=True, warps=warps) for warps in (True, False))
    assert launches == ["rows", "grid"] * 2
    assert all(np.array_equal(a, b) for a, b in zip(once[0], several[0], strict=True))


# ----------------------------------------------------------------------------------------------------- random chains


@dataclass
class State:
    """What the next step can be applied to."""

    dtype: str
    layout: str
    channels: int


def _dtype(rng: np.random.Generator, state: State, *choices: str) -> dict[str, str]:
    state.dtype = str(rng.choice(choices))
    return {"dtype": state.dtype}


def _crop(rng: np.random.Generator) -> dict[str, Any]:
    size = tuple(float(v) for v in rng.integers(1, 70, 2))
    place = {f"crop_pos_{axis}": float(rng.uniform(0, 1)) for axis in "xy"}
    return {"crop": size, "out_of_bounds_policy": "pad", "fill_values": (float(rng.integers(0, 200)),), **place}


def _step(rng: np.random.Generator, state: State, images: Any) -> Any:
    """One more step that takes what there is."""
    uniform = fn.random.uniform
    hwc, narrow = state.layout == "HWC", state.dtype in ("UINT8", "INT16", "FLOAT")
    options: list[Callable[[], Any]] = [
        lambda: fn.cast(images, **_dtype(rng, state, "UINT8", "INT16", "FLOAT", "FLOAT16")),
        lambda: fn.crop(images, **_crop(rng)),
    ]
    if state.dtype != "FLOAT16":
        options.append(lambda: fn.flip(images, horizontal=fn.random.coin_flip(), vertical=fn.random.coin_flip()))
    if hwc and state.channels == 3:
        options.append(lambda: fn.hsv(images, hue=uniform(range=(-90.0, 90.0)), saturation=1.3,
                                      **_dtype(rng, state, "UINT8", "INT16", "FLOAT")))  # fmt: skip
    if hwc and narrow:
        options += [
            lambda: fn.brightness_contrast(images, brightness=uniform(range=(0.3, 1.7)), contrast=1.2,
                                           **_dtype(rng, state, "UINT8", "INT16", "FLOAT")),
            lambda: fn.rotate(images, angle=uniform(range=(-180.0, 180.0)), keep_size=bool(rng.integers(2)),
                              fill_value=7.0 if rng.integers(2) else None),
        ]  # fmt: skip
    if narrow:
        options.append(lambda: fn.resize(images, size=tuple(float(v) for v in rng.integers(1, 90, 2)),
                                         antialias=bool(rng.integers(2))))  # fmt: skip

    def normalize() -> Any:
        state.layout = str(rng.choice(["HWC", "CHW"]))
        pad = bool(rng.integers(2))
        state.channels = 4 if pad and state.channels == 3 else state.channels
        return fn.crop_mirror_normalize(
            images, **_crop(rng), mean=(float(rng.integers(0, 100)),), std=(3.0,), mirror=fn.random.coin_flip(),
            pad_output=pad, output_layout=state.layout, **_dtype(rng, state, "UINT8", "FLOAT", "FLOAT16", "INT8"),
        )  # fmt: skip

    if state.dtype != "INT8":
        options.append(normalize)
    return options[int(rng.integers(len(options)))]()


@pytest.mark.parametrize("seed", range(40))
def test_random_chains(seed: int) -> None:
    def define(images: Any) -> Any:
        rng = np.random.default_rng(seed)
        state = State(*start)
        for _ in range(int(rng.integers(2, 7))):
            images = _step(rng, state, images)
        return images

    begin = np.random.default_rng([seed, 1])
    start = (str(begin.choice(["UINT8", "INT16", "FLOAT"])), "HWC", int(begin.choice([3, 3, 1, 4])))
    dtype = {"UINT8": np.uint8, "INT16": np.int16, "FLOAT": np.float32}[start[0]]
    equal(define, pictures(SIZES, start[2], dtype), what=seed)


def test_parts_that_make_other_channels_join_chains(launches: list[str]) -> None:
    def gray(images: Any) -> Any:
        images = fn.color_space_conversion(fn.crop(images, crop=(30.0, 31.0), out_of_bounds_policy="pad"), image_type="BGR", output_type="GRAY")
        return fn.crop_mirror_normalize(fn.brightness(images, brightness=1.2), mirror=1, mean=(100.0,))

    def colours(images: Any) -> Any:
        images = fn.color_space_conversion(fn.resize(images, size=(40.0, 41.0)), image_type="RGB", output_type="GRAY")
        images = fn.color_space_conversion(images, image_type="GRAY", output_type="RGB")
        return fn.crop_mirror_normalize(fn.hsv(images, hue=30.0), crop=(32.0, 30.0), pad_output=True)

    def sensors(images: Any) -> Any:
        return fn.hsv(fn.noise.shot(fn.debayer(images, blue_position=(0, 1)), factor=3.0), hue=30.0)

    mosaics = [np.ascontiguousarray(picture[: len(picture) // 2 * 2, :40, :1]) for picture in pictures(((57, 43), (64, 64)))]
    for define, batch, count in ((gray, pictures(SIZES), 4), (colours, pictures(SIZES), 5), (sensors, mosaics, 3)):
        launches.clear()
        assert equal(define, batch) == 1
        assert len(launches) == 1 + count


def test_parts_that_move_or_cover_pixels_join_chains(launches: list[str]) -> None:
    def define(images: Any) -> Any:
        images = fn.water(fn.grid_mask(images, tile=9, angle=0.4), ampl_x=3.0, interp_type="INTERP_LINEAR")
        images = fn.noise.salt_and_pepper(fn.hue(images, hue=20.0), prob=0.3)
        images = fn.grid_mask(fn.flip(images, horizontal=1), tile=7, ratio=0.3)
        return fn.crop_mirror_normalize(images, crop=(25.0, 24.0), out_of_bounds_policy="pad", mean=(100.0,))

    def moved(images: Any) -> Any:
        images = fn.noise.salt_and_pepper(fn.jitter(fn.sphere(images), nDegree=5), per_channel=True)
        view = (0.9, 0.1, 2.0, -0.05, 1.1, -3.0, 0.002, -0.001, 1.0)
        return fn.crop(fn.experimental.warp_perspective(images, matrix=view), crop=(20.0, 21.0), out_of_bounds_policy="pad")

    for program, stages in ((define, 1), (moved, 2)):
        assert equal(program, pictures(SIZES), count=2) == stages

"""``auto_aug`` against nvidia.dali: the same operations and magnitudes for the same samples, and the same pixels."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from images import pictures
from peers import OURS, THEIRS, assert_equal, collect

from dali_studio import DaliStudioError
from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")

#: Warps, and arithmetic of floats behind them, round in another way now and then.
CLOSE = Tolerance(255, 0.01, reason="positions of warps differ in the last bits")
SIZES = [(40, 60), (31, 33), (64, 48), (50, 50), (20, 70), (33, 21), (45, 45), (60, 40)] * 2


class World:
    """The modules of one of the two."""

    def __init__(self, prefix: str) -> None:
        load = importlib.import_module
        self.fn, self.types = load(f"{prefix}.fn"), load(f"{prefix}.types")
        self.auto, self.rand, self.trivial, self.a, self.core = (
            load(f"{prefix}.auto_aug.{name}") for name in ("auto_augment", "rand_augment", "trivial_augment", "augmentations", "core")
        )
        self.pipeline_def = load(prefix).pipeline_def


Body = Callable[[World, Any, Any], Any]


def outputs(prefix: str, body: Body, iterations: int = 2) -> list[Any]:
    world, batch = World(prefix), pictures(SIZES)

    def source() -> Any:
        return batch

    @world.pipeline_def(batch_size=len(SIZES), num_threads=2, device_id=None, seed=77, enable_conditionals=True)
    def pipeline() -> Any:
        images = world.fn.external_source(source=source, layout="HWC")
        return body(world, images, images.shape()), world.fn.random.uniform()

    pipe = pipeline()
    pipe.build()
    return [collect(pipe.run()) for _ in range(iterations)]


def check(body: Body, tolerance: Tolerance = CLOSE) -> None:
    for ours, theirs in zip(outputs(OURS, body), outputs(THEIRS, body), strict=True):
        assert_equal(ours[1:], theirs[1:], what="the seed behind")
        assert_equal(ours[:1], theirs[:1], tolerance)


def calling(path: str, *given: Any, **words: Any) -> Body:
    """A call of a function of one of the modules; "shape" stands for the sizes of the images."""
    module, name = path.split(".")

    def body(world: World, images: Any, shape: Any) -> Any:
        function = getattr(getattr(world, module), name)
        return function(images, *given, **{key: shape if value == "shape" else value for key, value in words.items()})

    return body


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("image_net", {"shape": "shape"}), ("reduced_cifar10", {"max_translate_abs": 9}),
        pytest.param("svhn", {}, marks=pytest.mark.grid),
        pytest.param("reduced_image_net", {"fill_value": None, "seed": 5}, marks=pytest.mark.grid),
    ],
)  # fmt: skip
def test_auto_augment(policy: str, words: dict[str, Any]) -> None:
    check(calling("auto.auto_augment", policy, **words))


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        calling("rand.rand_augment", n=1, m=17), calling("rand.rand_augment", n=3, m=30, shape="shape", fill_value=0),
        calling("rand.rand_augment", 2, 9, monotonic_mag=False, seed=3),
        calling("rand.rand_augment", n=2, m=3, num_magnitude_bins=5, excluded=["rotate", "solarize"], max_translate_abs=(3, 9)),
        calling("trivial.trivial_augment_wide"), calling("trivial.trivial_augment_wide", shape="shape", max_translate_rel=0.2),
        calling("trivial.trivial_augment_wide", num_magnitude_bins=7, excluded=["equalize"], seed=11),
    ],
)  # fmt: skip
def test_rand_and_trivial_augment(call: Body) -> None:
    check(call)


def mine(w: World) -> list[Any]:
    """Augmentations of a program."""

    @w.core.augmentation(mag_range=(0, 20), randomly_negate=True, mag_to_param=lambda m: np.int32(m))
    def shift(data: Any, by: Any, extra: int = 1) -> Any:
        return w.fn.cast_like(data + by * extra, data)

    @w.core.augmentation(mag_range=np.array([1, 2, 3, 4, 5]))
    def divide(data: Any, by: Any) -> Any:
        return w.fn.cast_like(data / by, data)

    @w.core.augmentation
    def darken(data: Any, _: Any) -> Any:
        if w.fn.reductions.max(data) > 250:
            data = data // w.types.Constant(2, dtype=w.types.UINT8)
        return data

    return [shift, w.a.invert, divide, w.a.posterize, darken]


@pytest.mark.parametrize(
    "words", [{"n": 1, "m": 2}, {"n": 3, "m": 4, "extra": 2, "seed": 8}, {}], ids=["one", "three", "trivial"]
)
def test_augmentations_of_a_program(words: dict[str, Any]) -> None:
    def body(w: World, x: Any, _: Any) -> Any:
        apply = w.rand.apply_rand_augment if words else w.trivial.apply_trivial_augment
        return apply(mine(w), x, num_magnitude_bins=5, **words)

    check(body, Tolerance(0, reason=""))


def test_augmentations_by_arithmetic() -> None:
    def body(w: World, x: Any, _: Any) -> Any:
        return w.trivial.apply_trivial_augment([w.a.solarize, w.a.solarize_add, w.a.auto_contrast, w.a.contrast], x)

    check(body, Tolerance(1, 0.001, reason="ties of the contrast's centre"))


def test_selection() -> None:
    def body(w: World, x: Any, _: Any) -> Any:
        which = w.fn.random.uniform(values=[0, 1, 2], dtype=w.types.INT32)
        return w.core.select([w.a.invert, w.a.identity, w.a.posterize], which, x, magnitude_bin=1, num_magnitude_bins=3)

    check(body, Tolerance(0, reason=""))


def test_a_policy_of_a_program() -> None:
    def body(w: World, x: Any, _: Any) -> Any:
        shift, invert, divide, posterize, darken = mine(w)
        rows = [[(shift, 0.7, 3), (invert, 0.5, None)], [(divide, 1.0, 2)], [(posterize, 0.9, 1), (shift, 1, 4), (darken, 0.8, None)]]
        return w.auto.apply_auto_augment(w.core.Policy("mine", 5, rows), x)

    check(body, Tolerance(0, reason=""))


def test_policies_and_suites_have_the_same_names_and_numbers() -> None:
    ours, theirs = World(OURS), World(THEIRS)
    for name in ("get_image_net_policy", "get_svhn_policy", "get_reduced_cifar10_policy", "get_reduced_image_net_policy"):
        rows = [
            [[(one.name, one.mag_range, one.randomly_negate, chance, number) for one, chance, number in row] for row in getattr(w.auto, name)().sub_policies]
            for w in (ours, theirs)
        ]
        assert rows[0] == rows[1], name
    for name in ("get_rand_augment_suite", "get_rand_augment_non_monotonic_suite"):
        suites = [[(one.name, one.mag_range, one.randomly_negate, one.param_device) for one in getattr(w.rand, name)()] for w in (ours, theirs)]
        assert suites[0] == suites[1], name
    wide = [[(one.name, one.mag_range, one.randomly_negate) for one in w.trivial.get_trivial_augment_wide_suite(True)] for w in (ours, theirs)]
    assert wide[0] == wide[1]
    for magnitude in np.linspace(0, 9, 19, dtype=np.float32):
        for name in ("poster_mask_uint8", "sharpness_kernel", "sharpness_kernel_shifted", "shift_enhance_range", "warp_x_param"):
            assert np.array_equal(getattr(ours.a, name)(magnitude), getattr(theirs.a, name)(magnitude)), (name, magnitude)


@pytest.mark.parametrize(
    "call",
    [
        lambda w, x, _: w.rand.apply_rand_augment([w.a.invert], x, n=-1, m=2), lambda w, x, _: w.rand.apply_rand_augment([w.a.invert], x, n=1, m=31),
        lambda w, x, _: w.rand.apply_rand_augment([], x, n=1, m=2), lambda w, x, _: w.rand.apply_rand_augment([w.a.invert], x, n=1, m=1, color=3),
        lambda w, x, _: w.rand.rand_augment(x, 1, 2, excluded=["sing"]), lambda w, x, _: w.rand.rand_augment(x, 1, 2, max_translate_rel=0.5),
        lambda w, x, _: w.trivial.apply_trivial_augment([], x), lambda w, x, _: w.auto.auto_augment(x, "best"),
        lambda w, x, s: w.auto.auto_augment(x, "reduced_image_net", shape=s), lambda w, x, _: w.a.solarize(x, magnitude_bin=3),
        lambda w, x, _: w.a.solarize(x, num_magnitude_bins=3), lambda w, x, _: w.a.translate_x(x, magnitude_bin=1, num_magnitude_bins=3),
        lambda w, x, _: w.core.augmentation(w.a.invert), lambda w, x, _: w.core.augmentation(lambda x: x), lambda w, x, _: w.core.signed_bin("one"),
        lambda w, x, _: w.core.Policy("p", 3, [[(w.a.invert, 2.0, None)]]), lambda w, x, _: w.core.Policy("p", 3, [[(w.a.solarize, 1.0, 3)]]),
        lambda w, x, _: w.core.Policy("p", 0, []), lambda w, x, _: w.auto.apply_auto_augment(w.core.Policy("p", 3, []), x),
        lambda w, x, _: w.a.solarize_add.augmentation((0, 200))(x, magnitude_bin=2, num_magnitude_bins=3),
    ],
)  # fmt: skip
def test_refused_by_both(call: Body) -> None:
    with pytest.raises(Exception):  # noqa: B017 - nvidia.dali raises plain ones
        outputs(THEIRS, call)
    with pytest.raises(DaliStudioError) as caught:
        outputs(OURS, call)
    assert caught.value.diagnostics[0].hint

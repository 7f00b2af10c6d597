"""Every per-sample operator with a GPU kernel gives there what its CPU kernel gives, over the examples of the registry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpu_programs import both
from images import ODD_SIZES, pictures
from tolerances import EXACT, TOLERANCES, Tolerance

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.schema.arguments import Args, canonical
from dali_studio.schema.traits import PerSample

pytestmark = pytest.mark.gpu

REGISTRY = default_registry()
DTYPES = (
    "uint8",
    "int8",
    "uint16",
    "int16",
    "int32",
    "float16",
    "float32",
    "float64",
    "uint32",
    "int64",
    "uint64",
    "bool",
)
#: Large enough for the windows of the examples, beside the odd sizes where they fit.
SIZES = ((57, 43), (200, 301), (64, 64), (33, 95))


def function(name: str) -> Any:
    found: Any = fn
    for part in name.split("."):
        found = getattr(found, part)
    return found


def accepts(name: str, arguments: dict[str, Any], dtype: str, layout: str) -> bool:
    """Whether the operator takes images of this type and layout, by its own inference."""
    schema = REGISTRY.schema(name)
    values = {key: canonical(argument, value) for key, value in arguments.items() if (argument := schema.argument(key))}
    meta = TensorMeta(from_numpy(np.dtype(dtype)), 3, layout, "image")
    try:
        REGISTRY.infer(name, Args(schema, values), [meta])
    except ArgumentError:
        return False
    return not schema.inputs[0].layouts or layout in schema.inputs[0].layouts


def cases() -> list[Any]:
    found: list[Any] = []
    for name in REGISTRY:
        operator = REGISTRY.operator(name)
        if "gpu" not in operator.devices or not REGISTRY.has_trait(name, PerSample):
            continue
        for number, item in enumerate(operator.examples):
            for layout in ("HWC", "CHW"):
                found += [
                    pytest.param(name, item.arguments, dtype, layout, id=f"{name}-{number}-{layout}-{dtype}")
                    for dtype in DTYPES
                    if accepts(name, item.arguments, dtype, layout)
                ]
    return found


def tolerance(name: str, arguments: dict[str, Any], result: np.ndarray[Any, Any], dtype: str) -> Tolerance:
    nearest = arguments.get("interp_type") == "INTERP_NN"
    if name == "resize":
        return TOLERANCES["resize_gpu"]
    if name in ("rotate", "warp_affine"):
        if nearest:
            return TOLERANCES["warp_nn_gpu"]
        if result.dtype.kind == "i":
            return TOLERANCES["rotate_gpu_wide"]
        return TOLERANCES["warp_affine_gpu" if name == "warp_affine" else "rotate_gpu"]
    if name == "crop_mirror_normalize" and result.dtype == np.float16:
        return Tolerance(rtol=0)
    return {"hsv": EXACT}.get(name, TOLERANCES[name])


@pytest.mark.parametrize(("name", "arguments", "dtype", "layout"), cases())
def test_gpu_equals_cpu(name: str, arguments: dict[str, Any], dtype: str, layout: str) -> None:
    batch = pictures(SIZES, dtype=np.dtype(dtype), planar=layout == "CHW")
    results, references = both(lambda images: function(name)(images, **arguments), batch, layout)
    for index, (result, reference) in enumerate(zip(results, references, strict=True)):
        tolerance(name, arguments, result, dtype).check(
            result, reference, f"{name} {arguments} {dtype} {layout} [{index}]"
        )


@pytest.mark.parametrize("interp", ["NN", "LINEAR", "CUBIC", "LANCZOS3", "TRIANGULAR", "GAUSSIAN"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "float32"])
@pytest.mark.parametrize("antialias", [True, False])
def test_filters(interp: str, dtype: str, antialias: bool) -> None:
    for channels in (1, 3, 4, 5):
        batch = pictures(((57, 43), (200, 301), (7, 400), *ODD_SIZES), channels=channels, dtype=np.dtype(dtype))
        for size in ((24.0, 31.0), (100.0, 257.0), (1.0, 1.0)):
            results, references = both(
                lambda images, size=size: fn.resize(
                    images, size=size, interp_type=f"INTERP_{interp}", antialias=antialias
                ),
                batch,
            )
            for result, reference in zip(results, references, strict=True):
                TOLERANCES["resize_gpu"].check(result, reference, f"{interp} {dtype} {size} {channels}")


def test_shrinking_far_takes_the_direct_kernel() -> None:
    batch = pictures(((40, 6000), (300, 5000), (2, 20000)))
    for size in ((5.0, 3.0), (1.0, 1.0)):
        results, references = both(
            lambda images, size=size: fn.resize(images, size=size, interp_type="INTERP_LANCZOS3"), batch
        )
        for result, reference in zip(results, references, strict=True):
            TOLERANCES["resize_gpu"].check(result, reference)


def test_flipped_region_of_interest() -> None:
    batch = pictures(((57, 43), (200, 301)))
    results, references = both(
        lambda images: fn.resize(
            images, size=(30.0, 40.0), roi_start=(0.9, 0.8), roi_end=(0.1, 0.05), roi_relative=True
        ),
        batch,
    )
    for result, reference in zip(results, references, strict=True):
        TOLERANCES["resize_gpu"].check(result, reference)


@pytest.mark.parametrize("channels", [1, 2, 4, 6])
def test_other_channel_counts(channels: int) -> None:
    batch = pictures(((57, 43), (31, 64)), channels=channels)
    programs = (
        lambda images: fn.crop_mirror_normalize(
            images, crop=(20.0, 21.0), mirror=1, mean=(3.0,), std=(2.0,), pad_output=True
        ),
        lambda images: fn.crop(images, crop=(80.0, 30.0), out_of_bounds_policy="pad", fill_values=(9.0,)),
        lambda images: fn.flip(images, vertical=1),
        lambda images: fn.brightness_contrast(images, brightness=1.3),
    )
    for program in programs:
        results, references = both(program, batch)
        for result, reference in zip(results, references, strict=True):
            Tolerance(rtol=1e-6).check(result, reference)
    results, references = both(lambda images: fn.rotate(images, angle=33.0, fill_value=5.0), batch)
    for result, reference in zip(results, references, strict=True):
        TOLERANCES["rotate_gpu"].check(result, reference)


SPECIAL = np.array(
    [
        np.nan,
        np.inf,
        -np.inf,
        0.5,
        1.5,
        -0.5,
        -1.5,
        2.5,
        0.49999997,
        -0.49999997,
        1e30,
        -1e30,
        255.5,
        65535.5,
        2**31,
        3e9,
    ],
    np.float32,
)


@pytest.mark.parametrize(
    "target", ["UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT16", "FLOAT64", "BOOL"]
)
@pytest.mark.parametrize("source", ["float32", "float64", "float16"])
def test_casts_of_special_values(source: str, target: str) -> None:
    with np.errstate(over="ignore"):
        batch = [SPECIAL.astype(source), np.arange(-70, 70, dtype=np.float32).astype(source) / 4]
    batch = [item.reshape(1, -1, 1) for item in batch]
    results, references = both(lambda images: fn.cast(images, dtype=_type(target)), batch)
    for result, reference in zip(results, references, strict=True):
        assert np.array_equal(result, reference, equal_nan=result.dtype.kind == "f"), (
            source,
            target,
            result,
            reference,
        )


def _type(name: str) -> Any:
    from dali_studio import types

    return getattr(types, name)

"""Every kernel compiles for the element types that its operators use, and for GPUs of all kinds; NVRTC needs none."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from chosen import Grid, few

from dali_studio.core.arithmetic import OPERATIONS, Operation
from dali_studio.core.batch import Batch, meta_of
from dali_studio.core.dtypes import is_float, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cuda import (
    debayer,
    displace,
    elementwise,
    erase,
    generate,
    grid_mask,
    join,
    noise,
    pointwise,
    resample,
    sample,
    sources,
    warp,
    window,
)
from dali_studio.kernels.cuda.generate import Template
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.jpeg.gpu_decoder import FEW_PARTS

IMAGES = ("uint8", "int16", "int32", "float32")
#: What CUDA 12.9 says of Volta.
_DEPRECATED = "nvrtc: warning: Architectures prior to"
#: GPUs that are compiled for, from Volta to Blackwell. CUDA 13 has left out the first.
ARCHITECTURES = (70, 75, 80, 86, 89, 90, 100, 120)


def _library() -> ctypes.CDLL | None:
    names = ["libnvrtc.so.13", "libnvrtc.so.12"]
    for package in ("nvidia.cuda_nvrtc", "nvidia.cu13"):
        try:
            spec = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            continue
        for folder in spec.submodule_search_locations or () if spec else ():
            names[:0] = [str(path) for path in sorted((Path(folder) / "lib").glob("libnvrtc.so.*"))]
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@pytest.fixture(scope="module")
def nvrtc() -> ctypes.CDLL:
    library = _library()
    if library is None:
        pytest.skip("needs NVRTC: pip install nvidia-cuda-nvrtc-cu12")
    return library


@pytest.fixture(scope="module")
def architectures(nvrtc: ctypes.CDLL) -> tuple[int, ...]:
    """Those that this NVRTC knows."""
    number = ctypes.c_int()
    assert nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(number)) == 0
    known = (ctypes.c_int * number.value)()
    assert nvrtc.nvrtcGetSupportedArchs(known) == 0
    found = tuple(one for one in ARCHITECTURES if one in tuple(known))
    assert set(ARCHITECTURES) - set(found) <= {70}
    return found


def compile_source(library: ctypes.CDLL, text: str, options: tuple[str, ...], architecture: str) -> str:
    """The compiler's messages; empty if all is well."""
    program = ctypes.c_void_p()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None) == 0
    try:
        given = [option.encode() for option in (*options, f"--gpu-architecture={architecture}")]
        code = library.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        words = [line for line in log.value.decode().strip().splitlines() if not line.startswith(_DEPRECATED)]
        return "\n".join(words) or ("" if code == 0 else f"error {code}")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def pairs(inputs: Sequence[str], outputs: Sequence[str]) -> list[tuple[str, ...]]:
    return [(a, b) for a in inputs for b in outputs]


def computes(operation: Operation, kind: DALIDataType) -> tuple[list[Part], tuple[str, str]]:
    """The part of an operation whose first operand is the element, and the others are numbers; its types."""
    types, dtype = [kind] * operation.arity, to_numpy(kind)
    operands = [None, *[np.full((), 3, dtype)] * (operation.arity - 1)]
    part = pointwise.arithmetic_part(operation.functor, operands, dtype, to_numpy(operation.common(types)), 2)
    return [part], (dtype.name, to_numpy(operation.result(types)).name)


EVERY = tuple(sources.TYPES)
SHAPES = np.array([[8, 9, 3]] * 2)
RGB = np.zeros((2, 3), np.float32)
ONES = np.ones(2, np.float32)


def warps(interp: int, fill: float | None) -> Part:
    return warp.warp_part(np.zeros((2, 2, 3), np.float32), interp, fill)


def crops(source: str, target: str) -> Part:
    dtypes = (np.dtype(source), np.dtype(target))
    return window.crop_part(SHAPES, SHAPES, dtypes, np.zeros((2, 2), np.int64), [0.0], "HWC")


def normalizes(target: str) -> Part:
    anchors, layouts = np.zeros((2, 2), np.int64), ("HWC", "HWC")
    return window.normalize_part(SHAPES, SHAPES, np.dtype(target), anchors, ONES, RGB, RGB, [0.0], layouts)


RESIZE = resample.geometry(SHAPES, SHAPES, np.ones((2, 2), np.int32), True, np.tile([0.0, 0.0, 8.0, 9.0], (2, 1)), "HWC").part
CAST, SCALE = pointwise.cast_part(), pointwise.functor_part("Scale", "color", np.zeros((2, 2), np.float32))
MATRIX = pointwise.functor_part("ColorMatrix", "color", np.zeros((2, 12), np.float32), rgb=True)
ERASED = erase.erase_part(np.zeros((2, 3, 2), np.int64), np.array([0, 1, 2]), np.zeros((2, 3)), "HWC")
ON_GPU = Batch.on_gpu(SimpleNamespace(ptr=0), np.zeros(2, np.int64), SHAPES, np.dtype(np.float32))
VIEW = Batch.view(meta_of(np.dtype(np.uint8), 3, "HWC", "gpu"), SHAPES)
HIGHS, NONE, LONG = np.zeros(2, np.uint64), np.zeros(2, np.bool_), np.zeros(200, np.float32)
NOISE = noise.gaussian_part(VIEW, 5, HIGHS, ONES, ONES)
COLOURS = np.zeros((2, 15), np.float32)
TO_GRAY = pointwise.functor_part("ReversedColorSpace", "color", COLOURS, channels=(3, 1))
FROM_GRAY = pointwise.functor_part("ColorSpace", "color", COLOURS, channels=(1, 3))
DISPLACED = [
    displace.jitter_part(NONE, 5, HIGHS, 3, 0),
    *(make for linear in (False, True) for make in (
        displace.water_part(NONE, LONG, LONG, 0.0, linear=linear), displace.sphere_part(NONE, 0.0, linear=linear),
    )),
]
SAMPLED = [
    part for interp in (0, 1, 2) for border in (Border.CONSTANT, Border.WRAP) for part in (
        sample.homography_part(np.zeros((2, 3, 3)), interp, border, np.zeros(4, np.float32), NONE),
        sample.given_homography_part(ON_GPU, interp, border, np.zeros(4, np.float32), NONE, corner=True, inverse=False),
    )
]
SAMPLED += [sample.remap_part(ON_GPU, ON_GPU, 0.5, interp) for interp in (0, 1, 2)]
HALF = pointwise.arithmetic_part("Multiply", [None, np.full((), 0.5, np.float32)], np.dtype(np.uint8), np.dtype(np.float32), 2)
BOUNDED = pointwise.arithmetic_part("Clamp", [None, np.full((), 3), np.full((), 9.0)], np.dtype(np.float32), np.dtype(np.float32), 2)
NOISY = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32")
#: Template, parts, and the element types of the input and after each part.
CASES: dict[str, list[tuple[Template, list[Part], tuple[str, ...]]]] = {
    "lookup": [
        ("flat", [pointwise.lookup_part(np.zeros(65537, b), np.dtype(a), 2)], (a, b))
        for a, b in pairs(EVERY, EVERY) if np.dtype(a).kind in "iu"
    ],
    "cast": [("flat", [CAST], types) for types in pairs(EVERY, EVERY)],
    "scale": [("flat", [SCALE], types) for types in pairs(IMAGES, IMAGES)],
    "color": [("flat", [MATRIX], types) for types in pairs((*IMAGES, "float16"), (*IMAGES, "float16"))],
    "copy": [("grid", [crops(name, name)], (name, name)) for name in EVERY],
    "crop": [
        ("grid", [crops(a, b)], (a, b))
        for a, b in pairs([name for name in EVERY if name != "bool"], ("uint8", "float16", "float32")) if a != b
    ],
    "normalize": [
        ("grid", [normalizes(b)], (a, b))
        for a, b in pairs(("uint8", "uint16", "int16", "int32", "float32", "float16"), ("float32", "float16", "uint8", "int8"))
    ],
    "warp": [
        ("grid", [warps(interp, fill)], (a, b))
        for a in IMAGES for b in {a, "float32"} for interp in (0, 1) for fill in (None, 1.0)
    ],
    "warp by matrices in device memory": [
        ("grid", [warp.given_part(np.zeros(2, np.uint64), interp, fill, invert=invert)], (a, a))
        for a in ("uint8", "float32") for interp in (0, 1) for fill in (None, 1.0) for invert in (False, True)
    ],
    "resample": [
        (template, [RESIZE], (a, b)) for template in ("rows", "grid") for a in ("uint8", "int16", "uint16", "float32") for b in {a, "float32"}
    ],
    "photo": [
        ("grid", [warps(1, fill), MATRIX, SCALE, normalizes(b)], ("uint8", "uint8", a, a, b))
        for a in ("uint8", "float32") for b in ("uint8", "float16", "float32") for fill in (None, 0.0)
    ],
    "behind a resize": [
        (template, [RESIZE, MATRIX, SCALE, normalizes(b)], ("uint8", "uint8", a, a, b))
        for template in ("rows", "grid") for a in ("uint8", "float32") for b in ("uint8", "float16", "float32")
    ],
    "windows": [
        ("grid", [crops(a, a), CAST, crops("float32", "float32"), normalizes("uint8")], (a, a, "float32", "float32", "uint8"))
        for a in ("uint8", "int16", "float16")
    ],
    "erase": [("grid", [ERASED], (name, name)) for name in EVERY],
    "noise": [(template, [NOISE], (name, name)) for name in NOISY for template in ("flat", "grid")],
    "noise and boxes": [
        ("grid", [*begin, ERASED, NOISE, normalizes("float32"), ERASED], (*(a,) * (len(begin) + 3), "float32", "float32"))
        for a in ("uint8", "float32") for begin in ([], [RESIZE], [warps(1, 1.0)], [crops(a, a)])
    ],
    "arithmetic": [
        ("flat", *computes(one, kind))
        for one in OPERATIONS.values() for kind in (DALIDataType.UINT8, DALIDataType.INT64, DALIDataType.FLOAT)
        if one.rule != "bits" or not is_float(kind)
    ],
    "arithmetic between others": [
        ("grid", [*begin, HALF, NOISE, BOUNDED, normalizes("float32"), BOUNDED], (*("uint8",) * (len(begin) + 1), *("float32",) * 5))
        for begin in ([], [RESIZE], [warps(1, 1.0)], [crops("uint8", "uint8")])
    ],
    "noise of pixels": [("flat", [MATRIX, NOISE, CAST], ("uint8", "uint8", "uint8", "float32"))],
    "channels": [
        ("grid", parts, ("uint8",) * (len(parts) + 1))
        for parts in ([TO_GRAY], [FROM_GRAY], [TO_GRAY, FROM_GRAY], [crops("uint8", "uint8"), TO_GRAY, SCALE], [FROM_GRAY, MATRIX])
    ],
    "debayer": [
        ("grid", [debayer.debayer_part(name, np.zeros((2, 2), np.int64)), *([MATRIX] if name != "gray_ocv" else [])], (kind,) * (3 if name != "gray_ocv" else 2))
        for name in debayer.ALGORITHMS for kind in ("uint8", "uint16")
    ],
    # each takes seconds to compile
    "shot": [("flat", [noise.shot_part(VIEW, 5, HIGHS, ONES)], (name, name)) for name in ("uint8", "float32")],
    "salt and pepper": [
        (template, [noise.salt_and_pepper_part(VIEW, 5, HIGHS, ONES, ONES, np.zeros((2, 2), name), np.full(2, 3), planar=planar)], (name, name))
        for name in NOISY for template in ("flat", "grid") for planar in (False, True)
    ],
    "grid mask": [
        ("grid", [grid_mask.grid_mask_part(np.zeros((2, 5), np.float32), planar=planar)], (name, name)) for name in IMAGES for planar in (False, True)
    ],
    "displaced": [("grid", [part, CAST], (name, name, "float32")) for part in DISPLACED for name in ("uint8", "float32")],
    "sampled": [("grid", [part], (name, name)) for part in SAMPLED for name in ("uint8", "int16", "uint16", "float32")],
    "pointwise": [("flat", [MATRIX, SCALE, CAST], ("uint8", a, b, c)) for a in ("uint8", "float32") for b in IMAGES for c in ("bool", "int8", "float16", "float64")],
}  # fmt: skip


BYTE, REAL = np.dtype(np.uint8), np.dtype(np.float32)
#: Macros of the sources that need others than most.
MACROS: dict[str, list[dict[str, object]]] = {
    "warp_volume": [
        {"IN": dtype, "OUT": out, "NN": nearest, "FILLED": filled, "INVERTED": inverted, "FEW": not inverted or filled, "ONE": filled}
        for dtype, out in ((BYTE, BYTE), (BYTE, REAL), (np.dtype(np.int32), np.dtype(np.int32)), (REAL, REAL))
        for nearest, filled, inverted in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1))
    ],
    "jpeg": [{"FEW_PARTS": FEW_PARTS}],
    "optical_flow": [{"CHANNELS": 1}, {"CHANNELS": 3}],
    "planes": [{"WORDS": words} for words in (1, 4)],
    "equalize": [{"CHANNELS": channels} for channels in (1, 2, 3, 4)],
    "strided": [
        {"IN": one, "OUT": one, "AXES": axes, "COUNT": 16 // one.itemsize, "WINDOWED": windowed, "BORDER": border,
         "NORMALIZED": False}
        for one in map(np.dtype, ("u1", "u2", "u4", "u8")) for axes in (1, 3)
        for windowed, border in ((False, 0), (True, 0), (True, Border.REFLECT_101))
    ] + [
        {"IN": np.dtype(a), "OUT": np.dtype(b), "AXES": 2, "COUNT": 16 // np.dtype(b).itemsize, "WINDOWED": True,
         "BORDER": border, "NORMALIZED": False}
        for a in ("u1", "i4", "f2", "f4", "f8") for b, border in (("u1", 0), ("f2", Border.CLAMP), ("f4", 0))
    ] + [
        {"IN": np.dtype(a), "OUT": np.dtype(b), "AXES": 4, "COUNT": 16 // np.dtype(b).itemsize, "WINDOWED": True,
         "BORDER": 0, "NORMALIZED": True}
        for a in ("u1", "u2", "i2", "i4", "f4", "f2") for b in ("f4", "f2", "u1", "i1")
    ],
    "one_hot": [
        {"IN": np.dtype(one), "OUT": word} for one in ("u1", "i4", "u8", "f4", "f8") for word in join.WORDS.values()
    ],
    "normalize": [{"IN": one, "OUT": out, "AXES": 3, "COUNT": 4} for one in (BYTE, REAL) for out in (BYTE, REAL)],
    "normalize_rows": [
        {"IN": one, "OUT": out, "LANES": lanes} for one in (BYTE, REAL) for out in (BYTE, REAL) for lanes in (32, 256)
    ],
    "multi_paste": [{"IN": one, "OUT": out, "COUNT": 16 // out.itemsize} for one in (BYTE, REAL) for out in (np.dtype(np.int16), REAL)],
    "audio": [
        {"IN": np.dtype(one), "OUT": np.dtype(out)} for one in ("u1", "i8", "f4", "f8") for out in ("i2", "f4", "f8")
    ],
    "resample_axes": [
        {"IN": np.dtype(one), "OUT": np.dtype(out)} for one in ("u1", "i2", "u2", "f4") for out in {one, "f4"}
    ],
    "silence": [{"IN": np.dtype(one)} for one in ("u1", "i2", "i4", "u8", "f4")],
    "resample_audio": [
        {"IN": np.dtype(one), "OUT": np.dtype(out)} for one in ("u1", "i4", "f4") for out in ("i2", "u4", "f4")
    ],
    "spectrogram_held": [
        {"SIZE": size, "WIDTH": width, "FACTORS": factors, "LINES": lines}
        for size, width, factors, lines in (
            (512, 400, "4444", 16), (400, 400, "5524", 16), (3, 2, "3", 64), (1029, 1029, "7773", 2), (8192, 2048, "444444", 1), (250, 99, "555", 32)
        )
    ],
    "points": [{"IN": one, "OUT": out, "ROWS": 2, "COLUMNS": 3} for one in (BYTE, np.dtype(np.int16), REAL) for out in (BYTE, REAL)],
    "join": [{"UNIT": word} for word in join.WORDS.values()],
    "reduce": [
        {"IN": BYTE, "OUT": REAL, "PART": part, "COMBINE": "Sum", "LANES": lanes, "FINISH": finish}
        for part, lanes, finish in (("Itself", 1, 0), ("Square", 32, 1), ("SquaredDeviation", 256, 2))
    ] + [
        {"IN": dtype, "OUT": dtype, "PART": "Itself", "COMBINE": combine, "LANES": 256, "FINISH": 0}
        for dtype in (BYTE, np.dtype(np.int64), REAL) for combine in ("Minimum", "Maximum", "Sum")
    ],
    "rank": [
        {"IN": dtype, "KIND": kind, "BORDER": border, "FEW": few}
        for dtype, kind, border, few in (
            (BYTE, 0, 0, 0), (REAL, 1, 4, 0), (np.dtype(np.uint16), 1, 2, 0), (BYTE, 2, 1, 9), (REAL, 2, 1, 25), (np.dtype(np.int32), 2, 1, 0)
        )
    ],
    "rank_extremes": [
        {"IN": np.dtype(name), "KIND": kind, "BORDER": border, "TAPS": taps}
        for name, kind, border, taps in (("uint8", 0, 0, 7), ("uint16", 1, 4, 0))
    ],
    "rank_medians": [{"BORDER": Border.CLAMP, "TAPS": 0}],
    "correlate_planes": [
        {"IN": np.dtype(name), "OUT": out, "BORDER": border, "TAPS": taps}
        for name, border, taps in (("uint8", 3, 3), ("int8", 0, 0), ("float16", 4, 5)) for out in (np.dtype(name), REAL)
    ],
    "separable_planes": [
        {"IN": dtype, "OUT": out, "TERMS": terms, "SUMMED": terms > 1, "BORDER": Border.REFLECT_101, "TAPS": taps}
        for dtype, out in ((BYTE, BYTE), (np.dtype(np.float16), REAL)) for terms, taps in ((1, 19), (1, 0), (2, 5))
    ] + [{"IN": BYTE, "OUT": BYTE, "TERMS": 1, "SUMMED": False, "BORDER": Border.REFLECT_101, "TAPS": 19, "INNER": 3, "PIXELS": 64}],
    "correlate": [
        {"IN": np.dtype(name), "OUT": out, "BORDER": border}
        for name, border in (("uint8", 0), ("int8", 3), ("float16", 4), ("float32", 1)) for out in (np.dtype(name), REAL)
    ],
    "separable": [
        {"IN": dtype, "OUT": out, "SUMMED": summed}
        for dtype, out in ((BYTE, BYTE), (np.dtype(np.float16), REAL), (REAL, BYTE)) for summed in (0, 1)
    ] + [{"IN": np.dtype(np.float64), "OUT": np.dtype(np.float64), "SUMMED": 0}],
    "elementwise": [
        elementwise.macros(
            one.functor, [to_numpy(kind)] * one.arity, to_numpy(one.result([kind] * one.arity)), to_numpy(one.common([kind] * one.arity)),
        )
        for one in OPERATIONS.values()
        for kind in (DALIDataType.INT8, DALIDataType.UINT64, DALIDataType.FLOAT, DALIDataType.FLOAT64)
        if one.rule != "bits" or not is_float(kind)
    ],
}  # fmt: skip


def generated(template: Template, parts: list[Part], types: Sequence[str], *, planar: bool) -> str:
    dtypes = [np.dtype(name) for name in types]
    return generate.source(generate.spec_of(template, parts, dtypes, planar_in=planar, planar_out=planar))


def macros_of(name: str) -> list[dict[str, object]]:
    return MACROS.get(name, [
        {"IN": np.dtype(src), "OUT": np.dtype(out)}
        for src, out in (("uint8", "uint8"), ("float64", "float32"), ("float16", "float16"))
    ])  # fmt: skip


def by_functor(macros: list[dict[str, object]]) -> list[dict[str, object]]:
    """Each functor for one of its types, which take turns."""
    found: dict[object, list[dict[str, object]]] = {}
    for one in macros:
        if "FUNCTOR" in one:
            found.setdefault(one["FUNCTOR"], []).append(one)
    return [of_one[number % len(of_one)] for number, of_one in enumerate(found.values())]


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("chain", CASES)
def test_generated_kernels_compile_without_a_word(
    nvrtc: ctypes.CDLL, architectures: tuple[int, ...], chain: str, planar: bool
) -> None:
    # of those that take seconds, one with planes and the other without
    cases = CASES[chain][planar::2] if chain == "shot" else CASES[chain]
    turn = count(len(chain) + planar)
    for template, parts, types in few(cases, 2 if planar else 4):  # the tests that need a GPU compile others
        text = generated(template, parts, types, planar=planar)
        architecture = architectures[next(turn) % len(architectures)]  # each kernel for one, and all of them in turn
        assert compile_source(nvrtc, text, sources.OPTIONS, f"compute_{architecture}") == "", (chain, types, architecture)
        assert f"{template}(const Item*" in text


def test_what_is_not_generated_compiles_without_a_word(nvrtc: ctypes.CDLL, architectures: tuple[int, ...]) -> None:
    turn = count()
    for name, functions in sources.FUNCTIONS.items():
        text = sources.source(name)
        macros = macros_of(name)
        for one in (not Grid.whole and by_functor(macros)) or few(macros, 8):
            architecture = architectures[next(turn) % len(architectures)]
            assert compile_source(nvrtc, text, sources.options(one), f"compute_{architecture}") == "", (name, one, architecture)
        assert all(f"{function}(" in text for function in functions)


@pytest.mark.parametrize("name", sources.FUNCTIONS)
def test_each_source_compiles_for_the_oldest_and_the_newest_gpu(
    nvrtc: ctypes.CDLL, architectures: tuple[int, ...], name: str
) -> None:
    options = sources.options(macros_of(name)[0])
    for architecture in (architectures[0], architectures[-1]):
        assert compile_source(nvrtc, sources.source(name), options, f"compute_{architecture}") == "", architecture


@pytest.mark.grid
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_everything_is_assembled_for_each_gpu(
    nvrtc: ctypes.CDLL, architectures: tuple[int, ...], architecture: int
) -> None:
    """One case of each, down to the instructions of the GPU."""
    if architecture not in architectures:
        pytest.skip("CUDA 13 does not compile for Volta")
    for name in sources.FUNCTIONS:
        options = sources.options(macros_of(name)[0])
        assert compile_source(nvrtc, sources.source(name), options, f"sm_{architecture}") == "", name
    for chain, cases in CASES.items():
        text = generated(*cases[0], planar=False)
        assert compile_source(nvrtc, text, sources.OPTIONS, f"sm_{architecture}") == "", chain


def test_the_text_does_not_depend_on_sizes() -> None:
    def text(count: int, size: int) -> str:
        shapes = np.array([[size, size, 3]] * count)
        part = window.flip_part(shapes, np.dtype(np.uint8), np.ones(count), np.zeros(count), "HWC")
        return generate.source(generate.spec_of("grid", [part], [np.dtype(np.uint8)] * 2, planar_in=False, planar_out=False))

    assert text(2, 8) == text(5, 300)

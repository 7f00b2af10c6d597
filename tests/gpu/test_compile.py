"""Every kernel compiles for every pair of element types that its operators use; NVRTC needs no GPU for this."""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from dali_studio.kernels.cuda import sources

IMAGES = ("uint8", "int16", "int32", "float32")


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


def compile_source(library: ctypes.CDLL, text: str, options: tuple[str, ...]) -> str:
    """The compiler's messages; empty if all is well."""
    program = ctypes.c_void_p()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None) == 0
    try:
        given = [option.encode() for option in (*options, "--gpu-architecture=compute_80")]
        code = library.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        return log.value.decode().strip() or ("" if code == 0 else f"error {code}")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def pairs(inputs: tuple[str, ...], outputs: tuple[str, ...], **macros: int) -> list[tuple[str, str, dict[str, int]]]:
    return [(a, b, macros) for a in inputs for b in outputs]


EVERY = tuple(sources.TYPES)
CASES: dict[str, list[tuple[str, str, dict[str, int]]]] = {
    "cast": pairs(EVERY, EVERY, MODE=1),
    "scale": pairs(IMAGES, IMAGES, MODE=0),
    "color": pairs((*IMAGES, "float16"), (*IMAGES, "float16"), MODE=2),
    "copy": [(name, name, {"MODE": 0}) for name in EVERY],
    "crop": pairs(tuple(name for name in EVERY if name != "bool"), ("uint8", "float16", "float32"), MODE=1),
    "normalize": pairs(("uint8", "uint16", "int16", "int32", "float32", "float16"), ("float32", "float16", "uint8", "int8"), MODE=2),
    "warp": [
        (a, b, {"NEAREST": nearest, "FILLED": filled, "BYTES": int(a == "uint8"), "GIVEN": given, "INVERT": given and filled})
        for a in IMAGES for b in {a, "float32"} for nearest in (0, 1) for filled in (0, 1) for given in (0, 1)
    ],
    "weights": pairs(("uint8",), ("uint8",)),
    "resample": [(a, b, {"BYTES": int(a == "uint8")}) for a in ("uint8", "int16", "uint16", "float32") for b in {a, "float32"}],
}  # fmt: skip
FILES = {
    "cast": "pointwise",
    "scale": "pointwise",
    "color": "pointwise",
    "copy": "window",
    "crop": "window",
    "normalize": "window",
}


@pytest.mark.parametrize("kernel", CASES)
def test_compiles_without_a_word(nvrtc: ctypes.CDLL, kernel: str) -> None:
    text = sources.source(FILES.get(kernel, kernel))
    for source, target, macros in CASES[kernel]:
        options = sources.options({"IN": np.dtype(source), "OUT": np.dtype(target), **macros})
        assert compile_source(nvrtc, text, options) == "", (kernel, source, target, macros)


def test_every_source_is_compiled_and_holds_its_functions() -> None:
    assert {FILES.get(kernel, kernel) for kernel in CASES} == set(sources.FUNCTIONS)
    for name, functions in sources.FUNCTIONS.items():
        for function in functions:
            assert f"{function}(" in sources.source(name)

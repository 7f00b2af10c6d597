"""The CUDA sources, and which element types they are compiled for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dali_studio.core.progress import doing
from dali_studio.kernels.cuda.device import cupy

_FOLDER = Path(__file__).parent
_INCLUDE_FOLDER = _FOLDER.parent / "include"
#: Headers of `include` that every source begins with, in this order.
_COMMON = ("numbers", "rounding")
_INCLUDED = re.compile(r'^#include "(?:.*/)?(\w+)\.hpp"', re.MULTILINE)
_BESIDE = re.compile(r'^#include "(\w+)\.cuh"', re.MULTILINE)
#: Names of the element types in the sources.
TYPES: dict[str, str] = {
    "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32", "uint64": "u64",
    "int64": "i64", "float16": "f16", "float32": "f32", "float64": "f64", "bool": "b8",
}  # fmt: skip
#: Functions of each file that is compiled as it is.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "equalize": ("clear_counts", "count_levels", "make_tables", "spread"), "rank": ("rank",),
    "rank_extremes": ("rank_extremes",), "rank_medians": ("rank_medians",),
    "correlate": ("correlate",), "correlate_planes": ("correlate_planes",), "separable_planes": ("separable_planes",),
    "gather": ("gather",), "weights": ("axis_weights",),
    "jpeg": ("measure", "unstuff", "huffman", "huffman_few", "pixels", "transform", "colors"),
    "jpeg_scans": ("scans",),
    "elementwise": ("elementwise",), "join": ("join",), "reduce": ("reduce",),
    "separable": ("separable",), "erase": ("erase",), "warp_volume": ("warp_volume",),
    "strided": ("strided",), "planes": ("apart", "together"), "one_hot": ("one_hot",),
    "normalize": ("statistics", "normalize"), "normalize_rows": ("normalize_rows",),
    "multi_paste": ("multi_paste",),
    "audio": ("preemphasis", "decibels", "decibels_of_largest"), "linear": ("transform_axis", "transform_rows"),
    "resample_audio": ("resample_audio", "resample_by_phases"),
    "anchors": ("match_boxes", "encode_boxes"),
    "distortion": ("distort", "join_planes"),
    "resample_axes": ("resample_axis",), "lz4": ("inflate",),
    "clahe": ("to_lab", "tile_tables", "equalise", "to_rgb"),
    "silence": ("powers", "region"), "spectrogram": ("spectra", "spectra_by_sums"),
    "spectrogram_held": ("spectra_held",),
    "points": ("transform_points", "mirror_points", "mirror_boxes"),
    "optical_flow": ("to_buffer", "from_fixed", "to_fixed"),
}  # fmt: skip
#: No contraction to fused multiply-add: rounded results equal the CPU's. Where it is wanted, the sources say fmaf.
OPTIONS = ("--std=c++17", "--fmad=false")


@cache
def text_of(name: str) -> str:
    """The text of a file that others need, such as "clamp"; "common": the headers that all share with the CPU's.

    NVRTC gets one text without files to include, so that it needs no include path.
    """
    if name == "common":
        return "\n".join(headers(name)[-1] for name in _COMMON)
    return (_FOLDER / f"{name}.cuh").read_text(encoding="utf-8")


@cache
def headers(name: str) -> tuple[str, ...]:
    """The texts of a header of `include` and of those that it needs beside the common ones, which come first."""
    return _included((_INCLUDE_FOLDER / f"{name}.hpp").read_text(encoding="utf-8"))


def _included(text: str) -> tuple[str, ...]:
    needed = [one for name in _INCLUDED.findall(text) if name not in _COMMON for one in headers(name)]
    own = "\n".join(line for line in text.splitlines() if not line.startswith(("#include", "#pragma once")))
    return (*dict.fromkeys(needed), own)


@cache
def source(name: str) -> str:
    """The text of one source, with what it needs."""
    text = (_FOLDER / f"{name}.cu").read_text(encoding="utf-8")
    *needed, own = _included(text)
    return "\n".join([text_of("common"), *needed, *map(text_of, _BESIDE.findall(text)), own])


def options(macros: Mapping[str, object]) -> tuple[str, ...]:
    """Compiler options for the given macros; element types become their names in the sources."""
    return (*OPTIONS, *(f"-D{name}={_text(value)}" for name, value in macros.items()))


def _text(value: Any) -> str:
    if isinstance(value, np.dtype):
        return TYPES[value.name]
    return value if isinstance(value, str) else str(int(value))


def compiled(text: str, function: str, options: tuple[str, ...]) -> Any:
    """A kernel for all devices; CuPy keeps the binary on disk."""
    with doing(f"compiling the GPU's kernel {function}"):
        kernel = cupy().RawKernel(text, function, options=options)
        kernel.compile()
    return kernel

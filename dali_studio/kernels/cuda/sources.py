"""The CUDA sources, and which element types they are compiled for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_FOLDER = Path(__file__).parent
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
#: Names of the element types in the sources.
TYPES: dict[str, str] = {
    "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32", "uint64": "u64",
    "int64": "i64", "float16": "f16", "float32": "f32", "float64": "f64", "bool": "b8",
}  # fmt: skip
#: Functions of each file that is compiled as it is.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "gather": ("gather",), "jpeg": ("unstuff", "huffman", "transform", "colors"), "weights": ("axis_weights",),
}  # fmt: skip
#: No contraction to fused multiply-add: rounded results equal the CPU's. Where it is wanted, the sources say fmaf.
OPTIONS = ("--std=c++14", "--fmad=false")


@cache
def text_of(name: str) -> str:
    """The text of a file that others need: "common" or "clamp"."""
    return (_FOLDER / f"{name}.cuh").read_text(encoding="utf-8")


@cache
def source(name: str) -> str:
    """The text of one source, with what it includes, or else with the common part."""
    text = (_FOLDER / f"{name}.cu").read_text(encoding="utf-8")
    included = _with_includes(text, _FOLDER, set())
    return included if included != text else f"{text_of('common')}\n{text}"


def _with_includes(text: str, folder: Path, done: set[Path]) -> str:
    """The text with headers in place of their `#include`, each once: NVRTC needs no folders then."""

    def header(match: re.Match[str]) -> str:
        path = (folder / match[1]).resolve()
        if path in done:
            return ""
        done.add(path)
        return _with_includes(path.read_text(encoding="utf-8").replace("#pragma once\n", ""), path.parent, done)

    return _INCLUDE.sub(header, text)


def options(macros: Mapping[str, object]) -> tuple[str, ...]:
    """Compiler options for the given macros; element types become their names in the sources."""
    return (*OPTIONS, *(f"-D{name}={_text(value)}" for name, value in macros.items()))


def _text(value: Any) -> str:
    return TYPES[value.name] if isinstance(value, np.dtype) else str(int(value))

"""Sources of generated kernels. The text depends on kinds and types alone, never on sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from dali_studio.kernels.cuda.parts import Kind, Part, Place
from dali_studio.kernels.cuda.sources import TYPES, text_of

#: The templates of a kernel: all elements one after the other, the pixels of a grid, or rows that are resampled.
Template = Literal["flat", "grid", "rows"]
#: Rows of the output that a warp computes one after the other, where they are resampled.
BAND = 8
#: Columns of the pixels of a warp: a source reads around a place, so that a compact patch shares what it reads.
_WIDE_SOURCE, _WIDE = 8, 32
_FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class PartSpec:
    """What the text needs of a part."""

    name: str
    kind: Kind
    texts: tuple[str, ...]
    flags: tuple[int, ...]
    rgb: bool
    patch: bool
    numbered: bool
    place: Place
    channels: tuple[int, int] | None
    fields: bool


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """Everything the text of a kernel depends on.

    Attributes
    ----------
    template : {"flat", "grid", "rows"}
    parts : tuple
        Of the parts, in order.
    types : tuple of str
        Names of the element types: of the input, and after each part.
    planar_in, planar_out : bool
        CHW instead of HWC.
    """

    template: Template
    parts: tuple[PartSpec, ...]
    types: tuple[str, ...]
    planar_in: bool
    planar_out: bool


def template_of(parts: Sequence[Part]) -> Template:
    """The template of a chain's kernel; where rows do not fit into shared memory, a resampling takes "grid" instead."""
    if all(part.kind == "pixel" and part.place != "pixel" and (not part.channels or len(parts) == 1) for part in parts):
        return "flat"
    return "rows" if parts[0].kind == "resample" else "grid"


def spec_of(
    template: Template, parts: Sequence[Part], dtypes: Sequence[np.dtype[np.generic]], planar_in: bool, planar_out: bool
) -> KernelSpec:
    """What the text of the kernel of these parts depends on; `dtypes` are those of the input and after each part."""
    specs = tuple(
        PartSpec(p.name, p.kind, p.texts, p.flags, p.rgb, p.patch, p.numbered, p.place, p.channels, p.row is not None)
        for p in parts
    )  # fmt: skip
    return KernelSpec(template, specs, tuple(TYPES[dtype.name] for dtype in dtypes), planar_in, planar_out)


#: How a kernel of the template "grid" goes through the pixels, by the name of its template.
Variant = Literal["grid", "patch", "quads", "numbered"]
#: Pixels of a block of "quads", where the first of a sample may be some pixels short.
QUADS, QUADS_SHORT = 4096, 15
#: Pixels of a block of "numbered".
NUMBERED = 1024
#: Rows and columns of a block of the others, and how many columns rows may be moved by.
TILES: dict[Variant, tuple[int, int]] = {"grid": (32, 32), "patch": (48, 64)}
MOVED = 3


def variant_of(parts: Sequence[Part] | Sequence[PartSpec], first: str, planar_in: bool) -> Variant:
    """The variant of the template "grid"; RGB bytes side by side have faster ones. `first` is the type of the input."""
    if parts[0].numbered and all(part.kind == "pixel" and not part.channels for part in parts[1:]):
        return "numbered"
    if first != "u8" or planar_in or parts[0].kind == "resample":
        return "grid"
    if parts[0].kind == "source":
        return "patch" if parts[0].patch else "grid"
    return "quads"


def units(parts: Sequence[Part] | Sequence[PartSpec]) -> tuple[int, int]:
    """Elements of what the template "flat" takes at once, an element or a pixel, and of what becomes of it."""
    if len(parts) == 1 and parts[0].channels:
        return parts[0].channels
    unit = 3 if any(part.rgb for part in parts) else 1
    return unit, unit


def most_units(parts: Sequence[Part] | Sequence[PartSpec]) -> int:
    """Units that a thread of the template "flat" takes at most: four where much is computed for each element."""
    return 4 if any(part.place == "element" for part in parts) else 16


@cache
def part_text(name: str) -> str:
    """The text of the parts of this package in one file of ``templates/``."""
    return (_FOLDER / f"{name}.cuh").read_text(encoding="utf-8")


@cache
def source(kernel: KernelSpec) -> str:
    """The CUDA text of a kernel, whose function is called like its template."""
    parts, types = kernel.parts, kernel.types
    has_source = parts[0].kind in ("source", "resample")
    chain = parts[1:] if has_source else parts
    lines = [text_of("common"), text_of("clamp"), text_of("bytes")]
    whole_pixels = len(parts) == 1 and bool(parts[0].rgb or parts[0].channels) and not parts[0].place
    macros = {
        "PLANAR_IN": int(kernel.planar_in), "PLANAR_OUT": int(kernel.planar_out),
        "PACKED": int(types[-1] in ("u8", "i8", "b8") and not kernel.planar_out),
        "WARP_WIDE": _WIDE_SOURCE if has_source else _WIDE, "BAND": BAND,
        "UNIT": units(parts)[0], "MADE": units(parts)[1], "FLAT": int(kernel.template == "flat"),
        "BY_WORDS": int(whole_pixels and set(types) == {"u8"}),
        "MOST_UNITS": most_units(parts),
    }  # fmt: skip
    lines += [f"#define {name} {value}" for name, value in macros.items()]
    lines += [f"typedef {types[0]} IN;", f"typedef {types[-1]} OUT;"]
    lines += [part_text("pixels"), *dict.fromkeys(text for spec in parts for text in spec.texts)]
    lines += _item(parts, types, has_source)
    made = next((str(spec.channels[1]) for spec in reversed(parts) if spec.channels), "t.in_c")
    lines += [f"#define CHANNELS {made}"]
    lines += _chain(chain, types[1 if has_source else 0 :], len(parts) - len(chain))
    if kernel.template == "rows":
        lines += [f"typedef {types[1]} RESAMPLED;"]
    file: str = kernel.template
    if kernel.template == "grid":
        file = variant_of(parts, types[0], kernel.planar_in)
        if file == "patch":
            lines += [f"typedef {types[1]} SOURCED;"]
        if file in ("quads", "numbered"):
            lines += [part_text("put_quad")]
        computed = f"Computed<IN, {types[1]}, S> source = {{image, t.source}};"
        made = computed if has_source else "Loaded<IN> source = {image};"
        lines += [f"#define SOURCE Image<IN> image = {{t.src, t.in_h, t.in_w, t.in_c}}; {made}"]
    return "\n".join([*lines, part_text(file), ""])


def _item(parts: Sequence[PartSpec], types: Sequence[str], has_source: bool) -> list[str]:
    """The descriptor of a sample, and a type for each part."""
    lines: list[str] = []
    fields = ["  const IN* src;", "  OUT* dst;", "  i64 count;", "  i32 in_h, in_w, in_c, out_h, out_w, out_c;"]
    for number, spec in enumerate(parts):
        arguments = ", ".join([types[number], types[number + 1], *map(str, spec.flags)])
        kind, name = ("S", "source") if has_source and number == 0 else (f"P{number}", f"p{number}")
        lines.append(f"typedef {spec.name}<{arguments}> {kind};")
        if spec.fields:
            fields.append(f"  {kind} {name};")
    return [*lines, "struct Item {", *fields, "};"]


def _chain(chain: Sequence[PartSpec], types: Sequence[str], first: int) -> list[str]:
    """Functions at0, at1, ...: pixel (y, x) behind each part, which asks the one before it for its input."""
    head = "template <int C, class B> __device__ __forceinline__ void"
    given = "const Item& t, const B& source, int y, int x, int c"
    lines = [f"{head} at0({given}, {types[0]} (&out)[C]) {{ source.template at<C>(y, x, c, out); }}"]
    rows: list[str] = []
    columns: list[str] = []
    for number, spec in enumerate(chain):
        part = f"t.p{first + number}" if spec.fields else f"P{first + number}()"
        many, begin = (spec.channels[0], 0) if spec.channels else ("C", "c")
        compute = (
            f"  {types[number]} in[{many}];\n  at{number}<{many}>(t, source, y, x, {begin}, in);\n"
            f"  {part}.template apply<C>(in, out, c{', y, x' if spec.place else ''});\n"
        )
        lines.append(f"{head} at{number + 1}({given}, {types[number + 1]} (&out)[C]) {{")
        if spec.kind == "window":
            rows.insert(0, f"{part}.row(i)")
            columns.insert(0, f"{part}.column(i)")
            lines.append(f"  bool here = {part}.row(y);\n  here = {part}.column(x) && here && c < {part}.channels;")
            lines.append(f"  if (!B::inside && !here) {{\n    {part}.template outside<C>(out, c);\n    return;\n  }}")
        lines.append(f"{compute}}}")
    for name, calls in (("row", rows), ("column", columns)):
        lines.append(f"__device__ __forceinline__ bool {name}(const Item& t, int& i) {{\n  bool inside = true;")
        lines += [f"  inside = {call} && inside;" for call in calls]
        lines.append("  return inside;\n}")
    lines.append(f"#define LAST at{len(chain)}")
    # three channels at once where the pixels have them, and what else there is one by one
    lines.append("template <class B> __device__ __forceinline__")
    lines.append("""void pixel(const Item& t, const B& source, int y, int x) {
  int c = 0;
  if (CHANNELS == 3 && t.out_c >= 3) {
    OUT v[3];
    LAST<3>(t, source, y, x, 0, v);
    put(t.dst, t.out_h, t.out_w, t.out_c, y, x, 0, v);
    c = 3;
  }
  for (; c < t.out_c; c++) {
    OUT v[1];
    LAST<1>(t, source, y, x, c, v);
    put(t.dst, t.out_h, t.out_w, t.out_c, y, x, c, v);
  }
}""")
    return lines

"""Indices, and operators that change shapes and layouts, against nvidia.dali: what follows from fed values and from rules of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from images import Array
from peers import OURS, THEIRS, assert_equal, check, check_refused, refused, run

pytestmark = pytest.mark.usefixtures("nvidia")


def batch(*shapes: tuple[int, ...], dtype: str = "u1") -> list[Array]:
    return [np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype) + k for k, shape in enumerate(shapes)]


def numbers(*rows: object, dtype: str = "i4") -> list[Array]:
    return [np.array(row, dtype) for row in rows]


@pytest.mark.parametrize(
    "program",
    [
        "x[0]", "x[-1, 1]", "x[0, 1, 2]", "x[:, ::2]", "x[::-1]", "x[:, -2:, ::-1]", "x[i]", "x[:, i]", "x[i:]", "x[:i]", "x[:, :, k]", "x[:, :, k:]",
        "x[:, :, ::i + 1]", "x[i, k]", "x[k:i, :, i:k:i + 1]", "x[None]", "x[:, None, 0]", "x[newaxis]", "x[:, newaxis]", "x[newaxis('N')]", "x[0, newaxis('A'), 1]",
        "x[:, newaxis('A'), :, newaxis('B')]", "x[newaxis, 0]", "x[newaxis('A'), 0, newaxis('B')]", "x[:, :, :, newaxis]", "x[True]", "x[np.int64(1)]", "x[np.array(1)]",
        "x[types.Constant(1)]", "x[::types.Constant(2)]", "x[()]", "x[0:1.5]", "x[0][1]", "x[2**40:]", "x[:2**40]", "x[-2**40:]", "x[0, 0, 0, newaxis('A')]",
        "x[fn.cast(i, dtype=types.UINT64)]", "x.shape()[0]", "x[0:1].shape()", "x[x.shape()[0] - 1]",
        "x[:, fn.random.uniform(range=[0, 2], dtype=types.INT32)]",
    ],
)  # fmt: skip
def test_indices(program: str) -> None:
    data = {"x": (batch((2, 3, 4), (2, 3, 4)), "HWC"), "i": (numbers(1, 0), ""), "k": (numbers(-1, -2, dtype="i8"), "")}
    ours = run(OURS, program, data, names={"newaxis": __import__("dali_studio").newaxis})
    theirs = run(THEIRS, program, data, names={"newaxis": __import__("nvidia.dali").dali.newaxis})
    for mine, reference in zip(ours, theirs, strict=True):
        assert_equal(mine, reference, what=program)


def test_seeds_behind_an_index_are_handed_out_in_nvidia_dalis_order() -> None:
    draw = "fn.random.uniform(range=[0, 3], dtype=types.INT32)"
    check(f"x[:, {draw}:{draw}:1 + {draw}, {draw}], {draw}", {"x": (batch((3, 9, 4), (3, 9, 4), (3, 9, 4)), "HWC")}, iterations=3)


@pytest.mark.parametrize(
    "program",
    [
        "x[2]", "x[-3]", "x[0, 0, 0, 0]", "x[:, :, :, :]", "x[...]", "x[0.5]", "x['a']", "x[[0, 1]]", "x[:, :, ::0]", "x[:, :, ::i]", "x[i * 1.0]", "x[fn.cast(i, dtype=types.BOOL)]",
        "x[v]", "s[0]", "s[:]",
    ],
)  # fmt: skip
def test_indices_that_both_refuse(program: str) -> None:
    data = {"x": (batch((2, 3, 4), (2, 3, 4)), "HWC"), "i": (numbers(1, 0), ""), "v": (numbers([1], [1]), ""), "s": (numbers(1, 2), "")}
    check_refused(program, data)


def test_more_positions_than_letters_are_refused() -> None:
    data = {"x": (batch((2, 3, 4)), "HWC"), "i": (numbers(1), "")}
    assert "8 are accepted" in refused("x[i:i:i, i:i:i, i:i:i]", data)


@pytest.mark.parametrize(
    ("program", "rows"),
    [
        ("fn.reshape(x, shape=y)", ([6, 4], [3, 4])), ("fn.reshape(x, shape=y)", ([-1, 4], [3, -1])), ("fn.reshape(x, y)", ([6, 4], [3, 4])),
        ("fn.reshape(x, y)", ([-1, 4], [3, -1])), ("fn.reshape(x, shape=fn.cast(y, dtype=types.INT64))", ([6, 4], [3, 4])),
        ("fn.reshape(x, shape=y, layout='AB')", ([6, 4], [3, 4])), ("fn.reshape(x, rel_shape=fn.cast(y, dtype=types.FLOAT) * 0.5)", ([1, -2], [-2, 2])),
        ("fn.reshape(x, rel_shape=fn.cast(y, dtype=types.FLOAT), src_dims=[1, 0])", ([1, -1], [-1, 1])),
        ("fn.reinterpret(x, dtype=types.INT16, shape=y)", ([6, 2], [-1, 3])),
    ],
)  # fmt: skip
def test_fed_shapes(program: str, rows: tuple[list[int], list[int]]) -> None:
    check(program, {"x": (batch((4, 6), (2, 6)), ""), "y": (numbers(*rows), "")})


@pytest.mark.parametrize("program", ["fn.reshape(x, shape=y)", "fn.reshape(x, y)"])
@pytest.mark.parametrize("rows", [([-1, -1],) * 2, ([5, 5],) * 2, ([24], [4, 3]), ([0, 4], [0, 4])])
def test_fed_shapes_that_both_refuse(program: str, rows: tuple[list[int], list[int]]) -> None:
    check_refused(program, {"x": (batch((4, 6), (2, 6)), ""), "y": (numbers(*rows), "")})


def test_properties() -> None:
    data = {"x": (batch((2, 3, 4), (1, 3, 4)), "HWC"), "y": (batch((2, 3)), "")}
    check("x.property('layout'), x.property(key='source_info', device='cpu'), x.source_info(), y.property('layout')", {"x": data["x"]} | {"y": (batch((2,), (3,)), "")})
    check_refused("x.property('color')", {"x": data["x"]})


@pytest.mark.parametrize("dtype", ["i4", "u1", "f4"])
@pytest.mark.parametrize("arguments", ["", "axis_name='C'", "axis=0", "axis=-1, axis_name='C'", "axis=1"])
@pytest.mark.parametrize("rows", [([1], [0]), ([[2]], [[1]]), ([1], [2, 0]), ([[1, 0]], [[2, 1]])])
def test_one_hot_of_single_numbers(rows: tuple[list[int], list[int]], arguments: str, dtype: str) -> None:
    ndim = np.ndim(rows[0])
    check(f"fn.one_hot(x, num_classes=4, {arguments})", {"x": (numbers(*rows, dtype=dtype), "XY"[:ndim])})


@pytest.mark.parametrize(
    "call",
    ["reshape(x, shape=s)", "reshape(x, s)", "reshape(x, rel_shape=r)", "reshape(x, rel_shape=r, src_dims=[1, 0])", "reinterpret(x, shape=s)",
     "reshape(x, shape=s, layout='')", "reshape(x, shape=s, layout='AB')", "reshape(x, shape=types.Constant([24, -1]))"],
)  # fmt: skip
def test_a_fed_shape_of_as_many_axes_keeps_their_names(call: str) -> None:
    data = {"x": (batch((6, 4), (2, 12)), "HW"), "s": (numbers([4, 6], [8, 3]), ""), "r": (numbers([-1, 1], [1, 1], dtype="f4"), "")}
    check(f"fn.{call}", data)


@pytest.mark.parametrize("rows", [([1], [0]), ([1, 2], [2, 0])])
def test_what_follows_one_hot_of_numbers_of_known_axes(rows: tuple[list[int], list[int]]) -> None:
    """Whether they are single numbers is known when they are there."""
    perm = [0] if len(rows[0]) == 1 else [1, 0]
    check(f"fn.transpose(fn.one_hot(fn.reshape(x, shape=[-1]), num_classes=4), perm={perm})", {"x": (numbers(*rows), "")})


def test_filled_tensors_of_fed_shapes() -> None:
    data = {"s": (numbers([2, 3], [4, 3]), ""), "v": (numbers([1, 2, 3], [4, 5, 6], dtype="i2"), "")}
    check("fn.zeros(shape=s), fn.ones(shape=s, dtype=types.FLOAT16), fn.full(v, shape=s), fn.full(v, shape=s, layout='AB')", data, iterations=2)
    check("fn.full(5, shape=2), fn.full(True, shape=[]), fn.full(np.ones((2, 1), np.float32), shape=[2, 3]), fn.full([1, 2], shape=[2])")
    check("fn.full_like(v, 300.7), fn.full_like(fn.cast(v, dtype=types.UINT8), 300.7), fn.full_like(fn.cast(v, dtype=types.BOOL), 0.3)", data)


def test_written_images_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"x": (batch((2, 4, 3), (3, 2, 3)), "HWC")}
    found: list[dict[str, bytes]] = []
    for prefix in (OURS, THEIRS):
        folder = tmp_path / prefix
        folder.mkdir()
        monkeypatch.chdir(folder)
        # Batches made ahead would be written while the files are read.
        run(prefix, "fn.dump_image(x, suffix='a'), fn.dump_image(x[:, :, :1])", data, 2, exec_async=False, exec_pipelined=False)
        found.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert found[0] == found[1] and len(found[0]) == 4


def test_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"abc")
    (tmp_path / "b.bin").write_bytes(b"de")
    names = [np.frombuffer(str(tmp_path / name).encode(), np.uint8) for name in ("a.bin", "b.bin")]
    check("fn.io.file.read(x), fn.io.file.read(fn.reinterpret(x, dtype=types.INT8), dont_use_mmap=True)", {"x": (names, "")})
    check_refused("fn.io.file.read(x[1:])", {"x": (names, "")}, "DS302")

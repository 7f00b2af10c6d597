"""``types.Constant`` against nvidia.dali."""

from __future__ import annotations

import importlib

import pytest
from declared import declared
from images import pictures
from peers import OURS, THEIRS, check, check_refused, refused, run

from dali_studio import DaliStudioError

pytestmark = pytest.mark.usefixtures("nvidia")

VALUES = """
types.Constant(3)
types.Constant(3.5)
types.Constant(True)
types.Constant(-7, dtype=types.INT8)
types.Constant(3, dtype=types.FLOAT)
types.Constant(3, types.UINT8)
types.Constant(200, dtype=types.UINT8)
types.Constant(3).uint8(), types.Constant(3.5).int32(), types.Constant(-2).float32(), types.Constant(7).bool()
types.Constant(int(types.Constant(7))), float(types.Constant(2.5)), 5 if types.Constant(0) else 6
types.Constant(300, dtype=types.UINT8), types.Constant(-64).uint8(), types.Constant(-64).uint8().int32()
types.Constant([1, 2, 3])
types.Constant((1, 2, 3))
types.Constant([1.5, 2, 3])
types.Constant([True, False])
types.Constant([1, 2, 3], dtype=types.INT16)
types.Constant([1, 2, 3], dtype=types.FLOAT)
types.Constant([1, 2, 3, 4, 5, 6], shape=[2, 3])
types.Constant([1, 2, 3, 4, 5, 6], shape=(3, 2), dtype=types.UINT8)
types.Constant(5, shape=[2, 3])
types.Constant(5, shape=(4,))
types.Constant(5.5, shape=[1])
types.Constant(5, shape=[])
types.Constant(5, device="cpu")
types.Constant([1, 2, 3, 4], shape=[2, 2], layout="HW")
types.Constant(np.array([1, 2, 3], np.uint8))
types.Constant(np.array([[1.5, 2], [3, 4]], np.float32))
types.Constant(np.array([[1.5, 2], [3, 4]], np.float64))
types.Constant(np.array([1, 2, 3], np.int64))
types.Constant(np.array([1, 2], np.float16))
types.Constant(np.array([True, False]))
types.Constant(np.array(7))
types.Constant(np.float32(2.5))
types.Constant(np.int32(7))
types.Constant(np.arange(6, dtype=np.int16), shape=(2, 3))
types.Constant(np.arange(6), dtype=types.UINT8)
types.ConstantNode("cpu", 5, None, None, None)
types.ConstantNode("cpu", [1, 2], types.UINT8, (2, 1), "HW")
types.Constant(5, shape=[1])
types.Constant(5, shape=1)
types.Constant(5, shape=[1, 1])
types.Constant([5])
types.Constant([])
types.Constant(np.array([4], np.uint64))
types.Constant(np.array([4], np.uint32), shape=[1])
types.Constant(300, dtype=types.UINT8)
types.Constant(-3, dtype=types.UINT8)
types.Constant([300, -4], dtype=types.UINT8)
types.Constant(2.7, dtype=types.INT32)
types.Constant([2.7, -1.5, 2.5], dtype=types.INT32)
types.Constant(2**40, dtype=types.INT64)
types.Constant([1, 2.5])
types.Constant(np.int64(4))
types.Constant(np.int64(4), device="cpu")
types.Constant(np.float64(4), device="cpu")
types.Constant(np.array(4), dtype=types.UINT8, device="cpu")
""".strip().splitlines()


@pytest.mark.parametrize("program", VALUES)
def test_as_output(program: str) -> None:
    check(program, iterations=2)


@pytest.mark.parametrize(
    "program",
    [
        "5", "2.5", "True", "np.array([1, 2])", "np.array([[1.5]], np.float32)", "np.float32(3)", "(1, 2)",
        "np.int64(4)", "np.uint64(4)", "np.int8(-5)", "np.float64(2.5)", "np.array(4)",
    ],
)  # fmt: skip
def test_plain_values_as_output(program: str) -> None:
    check(f"x = fn.random.uniform()\nreturn x, {program}")


@pytest.mark.parametrize(
    "program",
    [
        "fn.rotate(x, angle=types.Constant(30))",
        "fn.rotate(x, angle=types.Constant(30.0), fill_value=types.Constant(3))",
        "fn.rotate(x, angle=types.Constant(30, dtype=types.FLOAT, shape=[]))",
        "fn.resize(x, size=types.Constant([20.0, 30.0]))",
        "fn.resize(x, size=types.Constant(np.array([20, 30], np.float32)))",
        "fn.cast(types.Constant([1, 2, 300]), dtype=types.UINT8)",
        "fn.crop_mirror_normalize(x, crop=(5, 5), mirror=types.Constant(1), mean=types.Constant([1.0, 2, 3]))",
        "fn.crop(x, crop=[np.int64(5), np.array(6)], crop_pos_x=np.float16(0.25))",
        "fn.crop_mirror_normalize(x, crop=(5, 5), mean=[np.float32(1.5), np.float64(2), np.uint8(3)], std=[types.Constant(2.0)] * 3)",
        "fn.pad(x, axes=(np.int32(0),), shape=[types.Constant(50)])",
    ],
)
def test_as_argument(program: str) -> None:
    check(program, {"x": pictures([(41, 53), (7, 9)])}, declared("rotate"))


@pytest.mark.parametrize(
    "program",
    [
        "fn.flip(x, horizontal=0) + types.Constant(300, dtype=types.UINT8)", "x & types.Constant(-64).uint8()",
        "types.Constant([1, 2], shape=[3])",
        "types.Constant('text')",
        "types.Constant(5, layout='X')",
        "types.Constant(np.array([2**40]))",
        "fn.rotate(x, angle=types.Constant([1, 2]))",
    ],
)
def test_refused_by_both(program: str) -> None:
    check_refused(program, {"x": pictures([(41, 53), (7, 9)])})


def test_results_in_a_list_are_told_how_they_become_one() -> None:
    said = refused("fn.transforms.scale(scale=[0.5, fn.random.uniform()])", codes="DS104", batch_size=1)
    assert "fn.stack(x, 0.5)" in said
    check("fn.transforms.scale(scale=fn.stack(fn.random.uniform(), 0.5))", batch_size=3)


@pytest.mark.parametrize("call", ["fn.cat(c, x)", "fn.stack(c, c)", "c + x", "c[0]", "fn.transpose(c)", "fn.reductions.sum(c)"])
def test_a_repeated_number_as_input(call: str) -> None:
    check(f"c = types.Constant(5, shape=[4, 5, 3], dtype=types.UINT8)\nreturn {call}", {"x": pictures([(4, 5), (4, 5)])})


def test_a_list_of_results_is_no_output() -> None:
    with pytest.raises(DaliStudioError, match=r"Output 0 is a list;.* one by one; \* before a list of results"):
        run(OURS, "return [fn.random.uniform(), 1], 5", batch_size=1)


def test_numbers_are_compared_and_shown_alike() -> None:
    shown: list[list[str]] = []
    for prefix in (OURS, THEIRS):
        types = importlib.import_module(f"{prefix}.types")
        three, real = types.Constant(3), types.Constant(3.0)
        alike = [three == types.Constant(3), three != types.Constant(3), three == real, three == 3, three == three.uint8()]
        shown.append([repr(three), str(real), f"{[three, real]}", str(three.shape), str(alike)])
    assert shown[0] == shown[1]

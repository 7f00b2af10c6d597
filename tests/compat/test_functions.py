"""Python functions of DLPack capsules, of tensors of PyTorch, and those that Numba compiles, against nvidia.dali."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from images import pictures
from peers import OURS, THEIRS, assert_equal, check, check_refused, run

from dali_studio import DaliStudioError, types
from dali_studio.core.optional import available

pytestmark = pytest.mark.usefixtures("nvidia")
OPTIONS: dict[str, Any] = {"exec_async": False, "exec_pipelined": False}


def halved(capsule: Any) -> Any:
    from torch.utils import dlpack

    return dlpack.to_dlpack(dlpack.from_dlpack(capsule) // 2)


def twice(capsule: Any) -> Any:
    from torch.utils import dlpack

    tensor = dlpack.from_dlpack(capsule)
    return dlpack.to_dlpack(tensor), dlpack.to_dlpack(tensor.float().mean(dim=(0, 1)))


def all_halved(batch: list[Any]) -> list[Any]:
    return [halved(one) for one in batch]


@pytest.mark.parametrize(
    "call",
    [
        "fn.dl_tensor_python_function(x, function=halved, batch_processing=False)",
        "fn.dl_tensor_python_function(x, function=halved, batch_processing=False, output_layouts='HWC')",
        "fn.dl_tensor_python_function(x, function=twice, num_outputs=2, output_layouts=['HWC'], batch_processing=False)",
        "fn.dl_tensor_python_function(x, function=all_halved)",
        "fn.dl_tensor_python_function(x, function=all_halved, synchronize_stream=False)",
    ],
)  # fmt: skip
def test_functions_of_capsules(call: str) -> None:
    pytest.importorskip("torch")
    names = {"halved": halved, "twice": twice, "all_halved": all_halved}
    check(f"made = {call}\nreturn tuple(made) if isinstance(made, (list, tuple)) else made", {"x": pictures()}, names=names, **OPTIONS)


def compare(plugin: str, function: str, program: str, data: dict[str, Any], names: dict[str, Any]) -> None:
    outputs: list[Any] = []
    for prefix in (OURS, THEIRS):
        called = getattr(importlib.import_module(f"{prefix}.plugin.{plugin}"), function)
        kinds = importlib.import_module(f"{prefix}.types")
        outputs.append(run(prefix, program, data, names={function: called, "kinds": kinds, **names}, **OPTIONS))
    for mine, reference in zip(*outputs, strict=True):
        assert_equal(mine, reference)


@pytest.mark.parametrize(
    ("function", "words", "expected"),
    [
        (lambda t: t * 2, {}, lambda a: a * 2), (lambda t: t.permute(2, 0, 1), {"output_layouts": "CHW"}, lambda a: a.transpose(2, 0, 1)),
        (lambda batch: [t[:1] for t in batch], {"batch_processing": True}, lambda a: a[:1]),
    ],
)  # fmt: skip
def test_functions_of_tensors(function: Any, words: dict[str, Any], expected: Any) -> None:
    """nvidia.dali's needs a GPU, whatever it computes on."""
    pytest.importorskip("torch")
    from dali_studio.plugin.pytorch.fn import torch_python_function

    names = {"call": lambda x: torch_python_function(x, function=function, **words)}
    ((made,),) = run(OURS, "call(x)", {"x": pictures()}, names=names, **OPTIONS)
    assert made.layout == words.get("output_layouts", "")
    for result, image in zip(made.samples, pictures(), strict=True):
        assert np.array_equal(result, expected(image))


def inverted(out: Any, source: Any) -> None:
    out[:] = 255 - source


def turned(out: Any, source: Any) -> None:
    for y in range(source.shape[0]):
        for x in range(source.shape[1]):
            out[x, y] = source[y, x, 0]


def turned_shapes(outs: Any, ins: Any) -> None:
    for sample in range(len(outs[0])):
        outs[0][sample][0], outs[0][sample][1] = ins[0][sample][1], ins[0][sample][0]


def all_inverted(outs: Any, sources: Any) -> None:
    for sample in range(len(sources)):
        outs[sample][:] = 255 - sources[sample]


@pytest.mark.skipif(not available("numba"), reason="Numba is not installed")
@pytest.mark.parametrize(
    "words",
    [
        "run_fn=inverted, out_types=[kinds.UINT8], outs_ndim=[3]", "run_fn=turned, out_types=[kinds.FLOAT], outs_ndim=[2], setup_fn=turned_shapes",
        "run_fn=all_inverted, out_types=[kinds.UINT8], outs_ndim=[3], batch_processing=True",
    ],
)  # fmt: skip
def test_functions_that_numba_compiles(words: str) -> None:
    program = f"return numba_function(x, in_types=[kinds.UINT8], ins_ndim=[3], {words})"
    names = {"inverted": inverted, "turned": turned, "turned_shapes": turned_shapes, "all_inverted": all_inverted}
    compare("numba.fn.experimental", "numba_function", program, {"x": pictures()}, names)


def test_numba_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from dali_studio.plugin.numba.fn import numba_function

    monkeypatch.setitem(importlib.import_module("sys").modules, "numba", None)
    with pytest.raises(DaliStudioError, match="pip install numba"):
        numba_function(run_fn=inverted, out_types=[], in_types=[], outs_ndim=[], ins_ndim=[])


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        ({"device": "mixed"}, "device"), ({"in_types": []}, "in_types"), ({"outs_ndim": []}, "outs_ndim"), ({"out_types": [types.UINT8] * 2, "outs_ndim": [1, 1]}, "setup_fn"),
        ({"in_types": [types.FLOAT16]}, "in_types"), ({"out_types": [types.FLOAT16]}, "out_types"), ({"device": "gpu"}, "blocks"),
        ({"device": "gpu", "blocks": [1, 1, 1], "threads_per_block": [8, 0, 1]}, "threads_per_block"), ({"device": "gpu", "blocks": [1, 1], "threads_per_block": [1, 1, 1]}, "blocks"),
        ({"device": "gpu", "blocks": [1, 1, 1], "threads_per_block": [1, 1, 1], "batch_processing": True}, "batch_processing"),
    ],
)  # fmt: skip
def test_wrong_declarations_are_refused(words: dict[str, Any], argument: str) -> None:
    from dali_studio.plugin.numba.fn import numba_function

    given = {"run_fn": inverted, "out_types": [types.UINT8], "in_types": [types.UINT8], "outs_ndim": [3], "ins_ndim": [3], **words}
    with pytest.raises(DaliStudioError) as caught:
        numba_function(np.zeros((2, 2, 3), np.uint8), **given)
    assert caught.value.diagnostics[0].argument == argument


def test_what_is_no_capsule_is_refused() -> None:
    check_refused("fn.dl_tensor_python_function(x, function=lambda a: 5)", {"x": pictures()}, **OPTIONS)

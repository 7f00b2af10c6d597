"""Outputs that the user holds stay as they are, threads end with their pipeline, and memory does not grow."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import dataset, pictures
from subjects import arrays

from dali_studio import DaliStudioError, Pipeline, fn
from dali_studio.schema.samples import SIZES


def counting(batch_size: int = 4, **options: Any) -> Pipeline:
    """Every pixel of sample i in iteration t is 16 t + i, after a resize to shapes that allow a dense batch."""
    made = Pipeline(batch_size=batch_size, num_threads=2, **options)
    with made:
        numbers = fn.external_source(source=lambda t: [np.full((5 + i, 7, 3), (16 * t + i) % 251, np.uint8) for i in range(batch_size)], layout="HWC")
        made.set_outputs(fn.resize(numbers, size=(30, 40)))
    return made


def expected(iteration: int, sample: int) -> int:
    return (16 * iteration + sample) % 251


HOLD: dict[str, Callable[[Any], list[np.ndarray[Any, Any]]]] = {
    "tensor list": lambda out: [np.asarray(out[i]) for i in range(len(out))],
    "arrays of at": lambda out: [out.at(i) for i in range(len(out))],
    "slices": lambda out: [out.at(i)[::3, 1:, :1] for i in range(len(out))],
    "array": lambda out: list(out.as_array()),
    "tensor": lambda out: list(np.asarray(out.as_tensor())),
    "tensor's array interface": lambda out: [np.asarray(Interface(out[i])) for i in range(len(out))],
    "dlpack": lambda out: [np.from_dlpack(out[i]) for i in range(len(out))],
    "dlpack of the batch": lambda out: list(np.from_dlpack(out.as_tensor())),
    "dlpack capsules": lambda out: [Capsule(out[i]).array() for i in range(len(out))],
    "reshaped tensor": lambda out: list(np.asarray(out.as_reshaped_tensor([len(out), 1200, 3]))),
    "iteration": lambda out: [np.asarray(tensor) for tensor in out],
}


class Interface:
    """Keeps nothing but what the array interface says, and the tensor itself."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.__array_interface__ = tensor.__array_interface__


class Capsule:
    """A DLPack capsule taken out at once, read later."""

    def __init__(self, tensor: Any) -> None:
        self.capsule, self.place = tensor.__dlpack__(), tensor.__dlpack_device__()

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> Any:
        return self.place

    def array(self) -> np.ndarray[Any, Any]:
        return np.from_dlpack(self)


@pytest.mark.parametrize("options", [{}, {"exec_async": False}, {"prefetch_queue_depth": 4}], ids=str)
@pytest.mark.parametrize("how", HOLD)
def test_what_is_held_stays(how: str, options: dict[str, Any]) -> None:
    made = counting(**options)
    held: list[list[np.ndarray[Any, Any]]] = []
    for _ in range(25):
        (out,) = made.run()
        held.append(HOLD[how](out))
        del out
    for iteration, samples in enumerate(held):
        for index, sample in enumerate(samples):
            assert (sample == expected(iteration, index)).all(), (iteration, index)


def test_tensor_lists_held_after_the_pipeline_is_gone() -> None:
    made = counting()
    held = [made.run()[0] for _ in range(20)]
    made.release()
    del made
    gc.collect()
    other = counting()
    for _ in range(20):
        other.run()
    assert all((batch.at(i) == expected(t, i)).all() for t, batch in enumerate(held) for i in range(4))


def test_fed_arrays_are_not_written_to() -> None:
    """Pointwise operators work in place, but never in the user's own arrays."""
    batch = pictures(SIZES, dtype=np.float32)
    before = [item.copy() for item in batch]
    made = Pipeline(batch_size=len(batch), num_threads=2)
    with made:
        image = fn.external_source(source=lambda: batch, layout="HWC")
        made.set_outputs(fn.brightness_contrast(fn.brightness_contrast(image, brightness=2.0), contrast=0.5), image)
    changed, same = made.run()
    assert all(np.array_equal(a, b) for a, b in zip(batch, before, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(arrays(same), before, strict=True))
    assert not np.array_equal(changed.at(0), before[0])


def own_threads() -> set[str]:
    names = {f"{thread.name}-{thread.ident}" for thread in threading.enumerate() if thread.name.startswith("dali-studio")}
    return {name for name in names if not name.startswith("dali-studio-closing")}  # which stays, for all pipelines


def wait_until_gone(before: set[str]) -> set[str]:
    """Threads that are still there after at most five seconds."""
    deadline = time.monotonic() + 5
    while own_threads() - before and time.monotonic() < deadline:
        time.sleep(0.01)
    return own_threads() - before


def used_up(how: str, tmp_path: Path) -> None:
    """A pipeline that is used and then let go of."""
    if how == "failed":
        made = Pipeline(batch_size=2, num_threads=3)
        with made:
            made.set_outputs(fn.decoders.image(fn.external_source(source=lambda: [np.zeros(5, np.uint8)] * 2)))
        try:
            made.run()
        except DaliStudioError:
            return
    made = counting()
    made.run()
    if how == "released":
        made.release()
    elif how == "reader":
        other = Pipeline(batch_size=4, num_threads=3)
        with other:
            other.set_outputs(fn.decoders.image(fn.readers.file(file_root=str(dataset(tmp_path / "files")))[0]))
        other.run()


@pytest.mark.parametrize("how", ["deleted", "released", "reader", "failed"])
def test_threads_end_with_their_pipeline(how: str, tmp_path: Path) -> None:
    gc.collect()
    before = own_threads()
    used_up(how, tmp_path)
    gc.collect()
    assert not wait_until_gone(before)


def test_threads_end_while_iterations_are_computed_ahead() -> None:
    """Twenty pipelines, let go of in the middle of their work."""
    gc.collect()
    before = own_threads()
    for _ in range(20):
        counting(prefetch_queue_depth=4).run()
    gc.collect()
    assert not wait_until_gone(before)


def test_a_released_pipeline_runs_again() -> None:
    made = Pipeline(batch_size=2, num_threads=2, seed=3)
    with made:
        made.set_outputs(fn.random.uniform())
    one = arrays(made.run()[0])
    made.release()
    assert arrays(made.run()[0])[0] == one[0]


def resident() -> int:
    """Bytes of this process that are in memory."""
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc, which only Linux has")
def test_memory_stays_flat(tmp_path: Path) -> None:
    root = dataset(tmp_path / "files", size=(150, 200))
    made = Pipeline(batch_size=8, num_threads=2, seed=1)
    with made:
        files, labels = fn.readers.file(file_root=str(root), random_shuffle=True)
        images = fn.decoders.image(files)
        turned = fn.rotate(images, angle=fn.random.uniform(range=(-90, 90)))
        made.set_outputs(turned, labels)
    for _ in range(40):
        made.run()
    gc.collect()
    before = resident()
    for _ in range(200):
        made.run()
    gc.collect()
    assert resident() - before < 16 << 20  # one batch has 1.5 MB

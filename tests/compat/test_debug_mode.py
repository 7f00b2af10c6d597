"""Debug mode. nvidia.dali's own runs no operator without a GPU: its pipelines are compared with, given the seeds that it draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from declared import PROGRAM
from peers import assert_equal, collect, pipeline

from dali_studio import DaliStudioError, fn, pipeline_def, types
from dali_studio.pipeline import experimental
from dali_studio.schema.sample_folders import class_folders

PICTURES = [np.random.default_rng(i).integers(0, 255, (20 + i, 31, 3), dtype=np.uint8) for i in range(3)]
OPTIONS = {"batch_size": 3, "num_threads": 2, "device_id": None, "seed": 42}
Source = Callable[[], Any]


def pictures() -> Any:
    return fn.external_source(source=lambda: PICTURES, layout="HWC")


@pytest.fixture
def folder(tmp_path: Any) -> str:
    for name, content in class_folders().files().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return str(tmp_path)


def test_numbers_are_those_of_nvidia_dali_with_the_seeds_of_its_debug_mode(nvidia: Any, folder: str) -> None:
    """One seed for each operator, in the order of calls, random or not."""
    seen: list[Any] = []

    @experimental.pipeline_def(**OPTIONS, debug=True)
    def program() -> Any:
        angle = fn.random.uniform(range=(-10.0, 10.0))
        flipped = fn.flip(pictures(), horizontal=fn.random.coin_flip())
        seen.append(np.asarray(flipped.get().at(0)).mean())
        noisy = fn.noise.gaussian(flipped * 1.5 + 1, stddev=4.0)
        first, second = fn.rotate([flipped, fn.cast(noisy, dtype=types.UINT8)], angle=angle, keep_size=True)
        files, labels = fn.readers.file(file_root=folder, random_shuffle=True)
        return angle, noisy, first, second, labels, files

    seeds = np.random.default_rng(42).integers((1 << 31) - 1, size=9).tolist()
    text = f"""
        angle = fn.random.uniform(range=(-10.0, 10.0), seed={seeds[0]})
        flipped = fn.flip(x, horizontal=fn.random.coin_flip(seed={seeds[1]}))
        noisy = fn.noise.gaussian(flipped * 1.5 + 1, stddev=4.0, seed={seeds[5]})
        first, second = fn.rotate([flipped, fn.cast(noisy, dtype=types.UINT8)], angle=angle, keep_size=True)
        files, labels = fn.readers.file(file_root="{folder}", random_shuffle=True, seed={seeds[8]})
        return angle, noisy, first, second, labels, files
    """
    ours, theirs = program(), pipeline("nvidia.dali", text, {"x": PICTURES}, **OPTIONS)
    for number in range(4):
        assert_equal(collect(ours.run()), collect(theirs.run()), PROGRAM, f"iteration {number}")
    assert len(seen) == 4


def test_results_are_values_that_python_may_look_at_and_change() -> None:
    @pipeline_def(**OPTIONS, debug=True)
    def program() -> Any:
        image = pictures()
        bright = [one for one in range(3) if np.asarray(image.get().at(one)).mean() > 0]
        changed = [np.asarray(image.get().at(i)) // 2 for i in bright]
        assert image.shape() == [one.shape for one in PICTURES]
        assert "DataNodeDebug" in str(image) and "dtype=" in repr(image)
        whole = fn.stack(fn.reductions.mean(changed), fn.reductions.mean(image))
        return whole[0], changed and fn.crop(changed, crop=(4, 5)), 7.5

    means, crops, constant = program().run()
    assert [float(means.at(i)) for i in range(3)] == pytest.approx([(one // 2).mean() for one in PICTURES], rel=1e-6)
    assert crops.shape() == [(4, 5, 3)] * 3
    assert [float(constant.at(i)) for i in range(3)] == [7.5] * 3


def test_sources_end_begin_again_and_are_fed() -> None:
    @pipeline_def(**OPTIONS, debug=True)
    def ending() -> Any:
        return fn.external_source(source=[PICTURES, PICTURES[::-1]], layout="HWC", cycle="raise") + 1

    pipe = ending()
    for _ in range(2):
        assert [pipe.run()[0].shape()[0] for _ in range(2)] == [PICTURES[0].shape, PICTURES[2].shape]
        with pytest.raises(StopIteration):
            pipe.run()
        pipe.reset()

    @pipeline_def(**OPTIONS, debug=True)
    def fed() -> Any:
        return fn.external_source(name="x")

    pipe = fed()
    pipe.feed_input("x", [np.full(2, 1), np.full(3, 2), np.full(1, 3)])
    assert [int(pipe.run()[0].at(i)[0]) for i in range(1)] == [1]
    pipe.feed_input("x", [np.full(2, 5)])
    pipe.schedule_run()
    (only,) = pipe.outputs()
    assert len(only) == 1 and pipe.empty()


def test_readers_tell_their_sizes(folder: str) -> None:
    @pipeline_def(**OPTIONS, debug=True)
    def program() -> Any:
        return fn.readers.file(file_root=folder, name="photos")[1]

    pipe = program()
    labels = [int(pipe.run()[0].at(0)[0]) for _ in range(3)]
    assert labels == [0, 1, 2]
    assert (pipe.epoch_size("photos"), pipe.reader_meta()["photos"]["epoch_size"]) == (9, 9)
    pipe.release()


def _other_order(state: list[int]) -> Any:
    state.append(1)
    return fn.flip(pictures()) if len(state) == 1 else fn.rotate(pictures(), angle=3)


def _other_value(state: list[int]) -> Any:
    state.append(1)
    return fn.rotate(pictures(), angle=len(state))


def _other_type(state: list[int]) -> Any:
    state.append(1)
    return fn.flip(fn.external_source(source=lambda: PICTURES if len(state) == 1 else [one / 255 for one in PICTURES], layout="HWC"))


def _on_gpu(state: list[int]) -> Any:
    state.append(1)
    return pictures() if len(state) == 1 else pictures().gpu()


@pytest.mark.parametrize(("definition", "code"), [(_other_order, "DS304"), (_other_value, "DS304"), (_other_type, "DS203"), (_on_gpu, "DS206")])
def test_what_may_not_change_is_refused_with_the_line(definition: Callable[[list[int]], Any], code: str) -> None:
    pipe = pipeline_def(definition, **OPTIONS, debug=True)([])
    pipe.run()
    with pytest.raises(DaliStudioError) as caught:
        pipe.run()
    (found,) = caught.value.diagnostics
    assert found.code == code and found.hint and found.source.startswith("test_debug_mode.py:"), str(found)


def test_errors_of_a_sample_name_it() -> None:
    @pipeline_def(**OPTIONS, debug=True)
    def program() -> Any:
        return fn.crop(pictures(), crop=(21, 10))

    with pytest.raises(DaliStudioError, match=r"crop.*sample 0") as caught:
        program().run()
    assert "test_debug_mode.py:" in str(caught.value)


def test_debug_mode_refuses_what_it_cannot_do() -> None:
    with pytest.raises(DaliStudioError, match="DS106"):
        pipeline_def(lambda: None, **OPTIONS, debug=True, enable_conditionals=True)()
    pipe = pipeline_def(lambda: None, **OPTIONS)(debug=True)
    assert pipe.run() == ()
    with pytest.raises(DaliStudioError, match="DS304"), pipe:
        pass
    with pytest.raises(DaliStudioError, match="DS304"):
        _ = pipe.graph
    with pytest.raises(DaliStudioError, match="DS304"):
        pipe.outputs()

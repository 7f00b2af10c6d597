"""After ``fork()`` a pipeline of the parent says that it cannot go on, and new ones work."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import dataset

from dali_studio import DaliStudioError, Pipeline, fn

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]
_TIMEOUT = 60.0


def in_child(act: Callable[[], str]) -> str:
    """What `act` returns, or raises, in a forked process."""
    end, begin = os.pipe()
    child = os.fork()
    if not child:
        try:
            text = act()
        except BaseException:  # noqa: BLE001 - it is told
            text = traceback.format_exc()
        os.write(begin, text.encode())
        os._exit(0)
    os.close(begin)
    limit = time.monotonic() + _TIMEOUT
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > limit:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "it hangs"
        time.sleep(0.01)
    with os.fdopen(end) as stream:
        return stream.read()


def decoding(root: Path, **options: Any) -> Pipeline:
    made = Pipeline(batch_size=3, num_threads=2, device_id=None, seed=4, **options)
    with made:
        files, _labels = fn.readers.file(file_root=str(root), name="reader", random_shuffle=True)
        made.set_outputs(fn.resize(fn.decoders.image(files), resize_x=10, resize_y=10))
    return made


def refusal(act: Callable[[], Any]) -> str:
    try:
        act()
    except DaliStudioError as error:
        (found,) = error.diagnostics
        return f"{found.code} {found.message} {found.hint}"
    return "it went on"


@pytest.mark.parametrize("options", [{}, {"exec_async": False, "exec_pipelined": False}])
@pytest.mark.parametrize("call", ["run", "schedule_run", "share_outputs"])
def test_a_pipeline_of_the_parent_says_what_to_do(tmp_path: Path, options: dict[str, Any], call: str) -> None:
    pipeline = decoding(dataset(tmp_path), **options)
    pipeline.run()
    text = in_child(lambda: refusal(getattr(pipeline, call)))
    assert text.startswith(f"DS304 The pipeline was built in process {os.getpid()}; this is process ")
    assert "Build a pipeline in this process" in text
    pipeline.run()


def test_nothing_is_fed_to_a_pipeline_of_the_parent() -> None:
    pipeline = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipeline:
        pipeline.set_outputs(fn.external_source(name="source"))
    pipeline.build()
    assert in_child(lambda: refusal(lambda: pipeline.feed_input("source", np.zeros((1, 2))))).startswith("DS304")


@pytest.mark.parametrize("how", ["new", "released", "not built"])
def test_a_pipeline_that_is_built_in_the_child_works(tmp_path: Path, how: str) -> None:
    root = dataset(tmp_path)
    expected = decoding(root).run()[0].as_array()
    parents = decoding(root)
    if how != "not built":
        parents.run()

    def act() -> str:
        pipeline = decoding(root) if how == "new" else parents
        if how == "released":
            pipeline.release()
        same = np.array_equal(pipeline.run()[0].as_array(), expected)
        pipeline.run()
        return f"same: {same}"

    assert in_child(act) == "same: True"


def test_the_child_ends_though_it_forgets_the_parents_pipeline(tmp_path: Path) -> None:
    pipelines = [decoding(dataset(tmp_path))]
    pipelines[0].run()

    def act() -> str:
        held = pipelines[0]._engine
        assert held is not None
        held.workers._lock.acquire()  # as if another thread had held it at that moment
        del held
        pipelines.clear()
        return "forgotten"

    assert in_child(act) == "forgotten"

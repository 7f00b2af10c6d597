"""``external_source(parallel=True)``: the data of nvidia.dali's, and what becomes of errors and processes."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import parallel_sources as sources
import pytest
from steps import Steps, define, same_steps

from dali_studio import DaliStudioError, Pipeline, fn
from dali_studio.api import by_value
from dali_studio.api.source_worker import FOLDERS

METHODS = ("fork", "spawn")
CASES: list[tuple[Any, dict[str, Any]]] = [
    (sources.by_sample, {"batch": False}), (sources.by_sample, {"batch": False, "prefetch_queue_depth": 3}), (sources.by_iteration, {"batch": True}),
    (sources.by_iteration, {"batch": True, "prefetch_queue_depth": 4}), (sources.by_info, {"batch": True, "batch_info": True}),
    (sources.pairs, {"batch": False, "num_outputs": 2}), (sources.batches_of_pairs, {"batch": True, "num_outputs": 2, "layout": "X"}),
    (sources.Source(3), {"batch": False}), (sources.growing, {"batch": True, "prefetch_queue_depth": 2}),
    *((sources.generator, {"batch": True, "cycle": cycle}) for cycle in (None, "quiet", "raise")),
    (list(sources.generator()), {"batch": True, "cycle": "raise", "prefetch_queue_depth": 3}),
]  # fmt: skip


# nvidia.dali gives up where one of its processes answers too late
@pytest.mark.flaky(reruns=2, only_rerun="Worker data receiving interrupted")
@pytest.mark.usefixtures("nvidia")
@pytest.mark.parametrize(("source", "options"), CASES, ids=lambda one: getattr(one, "__name__", type(one).__name__))
def test_the_data_of_processes_is_that_of_nvidia_dali(source: Any, options: dict[str, Any]) -> None:
    def act(steps: Steps) -> None:
        define(steps, source, parallel=True, **options)
        steps.run(11)

    same_steps(act, py_num_workers=2)


def pipeline(source: Any, method: str = "fork", workers: int = 2, options: dict[str, Any] | None = None, **settings: Any) -> Pipeline:
    made = Pipeline(batch_size=3, num_threads=1, device_id=None, py_num_workers=workers, py_start_method=method, **settings)
    with made:
        given = fn.external_source(source=source, parallel=True, **(options or {"batch": False}))
        made.set_outputs(*(given if isinstance(given, list) else [given]))
    return made


def run_often(made: Pipeline) -> None:
    for _ in range(3):
        made.run()


def values(made: Pipeline) -> list[Any]:
    return [[np.asarray(output.at(i)).tolist() for i in range(len(output))] for output in made.run()]


def ended(made: Pipeline) -> list[Any]:
    """The processes of a pipeline, to be asked once it is released."""
    assert made._workers is not None
    return [worker.process for worker in made._workers.pool._state.workers]


@pytest.mark.parametrize("method", METHODS)
def test_functions_of_any_kind_are_called_in_other_processes(method: str) -> None:
    factor = 5

    def local(info: Any) -> Any:
        return np.array(factor * times(info.idx_in_epoch))

    def times(number: int) -> int:
        return number if number < 2 else times(number - 1) + 1

    for source in (local, lambda info: np.array(factor * info.idx_in_epoch)):
        made = pipeline(source, method)
        assert [values(made) for _ in range(2)] == [[[0, 5, 10]], [[15, 20, 25]]]
        processes = ended(made)
        made.release()
        assert [process.exitcode for process in processes] == [0, 0]


@pytest.mark.parametrize("method", METHODS)
def test_the_trace_of_a_worker_is_told(method: str) -> None:
    made = pipeline(sources.failing, method)
    with pytest.raises(DaliStudioError, match="failed in a worker process with ValueError: no such number") as caught:
        run_often(made)
    assert 'raise ValueError("no such number")' in str(caught.value.__cause__)
    made.release()


def test_a_process_that_is_killed_is_noticed() -> None:
    made = pipeline(sources.dying)
    with pytest.raises(DaliStudioError, match=r"Worker process \d+ has ended with the code -9"):
        run_often(made)
    with pytest.raises(DaliStudioError, match="has ended"):
        made.run()
    assert made._workers is not None
    prefixes = [worker.prefix for worker in made._workers.pool._state.workers]
    made.release()
    assert not [path for folder in FOLDERS for prefix in prefixes for path in Path(folder).glob(f"{prefix}*")]


def test_a_process_that_does_not_end_is_ended() -> None:
    made = pipeline(sources.stuck, exec_pipelined=False)
    made.build()
    processes = ended(made)
    made.run()  # the next batch is asked for then, and never comes
    made.release()
    assert all(process.exitcode is not None for process in processes)


def test_pipelines_that_are_forgotten_end_their_processes() -> None:
    made = pipeline(sources.process)
    numbers = {number for (row,) in (values(made) for _ in range(4)) for number in row}
    assert len(numbers) == 2
    processes = ended(made)
    assert {process.pid for process in processes} == numbers
    assert made._workers is not None
    thread = made._workers.pool._state.thread
    del made
    gc.collect()
    thread.join(60)
    assert all(process.exitcode == 0 for process in processes)


def test_results_stay_as_they_are_while_somebody_has_them() -> None:
    made = pipeline(sources.growing, options={"batch": True})
    kept = [made.run()[0] for _ in range(9)]
    for iteration, output in enumerate(kept):
        assert {int(np.asarray(output.at(i)).min()) for i in range(3)} == {iteration}
        assert {int(np.asarray(output.at(i)).max()) for i in range(3)} == {iteration}
    assert made.external_source_shm_statistics()["capacities"]
    made.release()


def test_an_array_may_be_the_batch() -> None:
    made = pipeline(sources.whole, options={"batch": True})
    assert [values(made) for _ in range(2)] == [[[[0, 1], [2, 3], [4, 5]]], [[[1, 2], [3, 4], [5, 6]]]]
    made.release()


def test_a_run_goes_on_from_a_checkpoint() -> None:
    first = pipeline(sources.by_info, options={"batch": True, "batch_info": True}, enable_checkpointing=True)
    first.run()
    resumed = pipeline(sources.by_info, options={"batch": True, "batch_info": True}, enable_checkpointing=True, checkpoint=first.checkpoint())
    assert [values(resumed) for _ in range(2)] == [values(first) for _ in range(2)]
    for made in (first, resumed):
        made.release()


@pytest.mark.usefixtures("nvidia")
@pytest.mark.parametrize(("source", "options", "argument"), [
    (lambda: 1, {"batch": True}, "source"), (sources.generator, {"batch": False}, "batch"), ([1, 2], {"batch": False}, "batch"),
    (sources.by_sample, {"no_copy": False}, "no_copy"), (sources.by_sample, {"prefetch_queue_depth": 0}, "prefetch_queue_depth"),
])  # fmt: skip
def test_what_processes_cannot_do_is_refused(source: Any, options: dict[str, Any], argument: str) -> None:
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        define(Steps("nvidia.dali"), source, parallel=True, **options)
    with pytest.raises(DaliStudioError) as caught:
        pipeline(source, options=options).build()
    assert caught.value.diagnostics[0].argument == argument


@pytest.mark.parametrize(("options", "argument"), [({"workers": 0}, "py_num_workers"), ({"method": "thread"}, "py_start_method")])
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(DaliStudioError) as caught:
        pipeline(sources.by_sample, **options).build()
    assert (caught.value.diagnostics[0].code, caught.value.diagnostics[0].argument) == ("DS105", argument)


def test_what_cannot_be_sent_or_is_no_array_is_told() -> None:
    lock = threading.Lock()
    with pytest.raises(DaliStudioError, match="cannot be sent to another process"):
        pipeline(lambda info: lock, "spawn").build()
    made = pipeline(sources.objects)
    with pytest.raises(DaliStudioError, match="no array of numbers"):
        made.run()
    made.release()


def test_another_pickler_may_be_given() -> None:
    made = pipeline(sources.Source(2), "spawn", py_callback_pickler=(by_value, {}, {}))
    made.start_py_workers()
    assert values(made) == [[0, 2, 4]]
    made.release()


SCRIPT = """
import numpy as np
from dali_studio import Pipeline, fn

def source(info):
    return np.array(info.idx_in_epoch)

if __name__ == "__main__":
    pipe = Pipeline(batch_size=3, num_threads=1, device_id=None, py_start_method={method!r})
    with pipe:
        pipe.set_outputs(fn.external_source(source=source, parallel=True, batch=False))
    print(np.asarray(pipe.run()[0].as_array()).tolist(), flush=True)
"""


CLASSES = """
import abc, dataclasses, functools
import numpy as np
from dali_studio import Pipeline, fn

class Source(abc.ABC):
    @property
    def factor(self):
        return self.two * self.five()
    @functools.cached_property
    def two(self):
        return 2
    @staticmethod
    def five():
        return 5
    @abc.abstractmethod
    def value(self, index): ...
    def __call__(self, info):
        return np.array(self.value(info.idx_in_epoch))

@dataclasses.dataclass
class Shift:
    by: int
    seen: list[int] = dataclasses.field(default_factory=list)

class Numbers(Source):
    __slots__ = ("shift",)
    def __init__(self, by):
        super().__init__()
        self.shift = Shift(by)
    def value(self, index):
        self.shift.seen.append(index)
        assert [field.name for field in dataclasses.fields(self.shift)] == ["by", "seen"] and self.shift == Shift(self.shift.by, [index])
        self.shift = dataclasses.replace(self.shift, seen=[])
        return super().factor * index + self.shift.by

pipe = Pipeline(batch_size=3, num_threads=1, device_id=None, py_start_method="spawn")
with pipe:
    pipe.set_outputs(fn.external_source(source=Numbers(7), parallel=True, batch=False))
print(np.asarray(pipe.run()[0].as_array()).tolist(), flush=True)
"""


def test_classes_that_no_file_has_are_sent_with_their_code() -> None:
    """As those of a notebook's cells."""
    done = subprocess.run([sys.executable, "-c", CLASSES], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[7, 17, 27]", "")


@pytest.mark.parametrize("method", METHODS)
def test_a_program_ends_without_releasing_anything(method: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(SCRIPT.format(method=method))
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[0, 1, 2]", "")

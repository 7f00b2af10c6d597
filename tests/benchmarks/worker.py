"""One engine in one process, which measures when it is told to: lines of JSON come in, lines of JSON go out.

Two workers that take turns compare two engines without their threads, memory or libraries in each other's way.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import sys
import time
from collections import Counter
from typing import Any

from duel_programs import WORKS, Place
from gpu_trace import traced
from processors import watch
from resident import given, pictures

PREFIX = {"studio": "dali_studio", "nvidia": "nvidia.dali"}
#: Iterations and seconds, at least, before the clock starts: kernels load, queues, caches and pools fill, and hardware
#: decoders open, which ours do while it already runs.
_WARM_UP, _WARM_UP_SECONDS = 6, 1.5
#: The same of an operator on the CPU, whose kernels are there.
_WARM_UP_OPERATOR = 0.2
#: Samples that are computed ahead, at most, where batches are small, and seconds that it takes at most to have them.
_AHEAD, _AHEAD_SECONDS = 512, 0.1


class Measured:
    """The pipelines of one engine."""

    def __init__(self, engine: str) -> None:
        self._engine, self._prefix = engine, PREFIX[engine]
        self._pipe: Any = None
        self._gpu, self._batch_size, self._device_id = False, 0, 0
        #: Whether the result lies on the CPU whatever the device is.
        self._on_cpu = False

    def facts(self) -> dict[str, Any]:
        """Versions, and what our side says of the GPUs."""
        found: dict[str, Any] = {"engine": self._engine, "version": importlib.import_module(self._prefix).__version__}
        if self._engine == "studio":
            from dali_studio.kernels.cuda.device import describe

            found["gpu"] = dict(describe())
        return found

    def build(
        self, work: str, folder: str, batch_size: int, threads: int, gpu: bool, device_id: int = 0,
        reader: dict[str, Any] | None = None, warm_up: float = _WARM_UP_SECONDS,
    ) -> dict[str, Any]:  # fmt: skip
        """Make a pipeline and run its first iterations; returns the seconds until the first batch was there."""
        self.close()
        began = time.perf_counter()
        prefix = self._prefix
        fn, types = importlib.import_module(f"{prefix}.fn"), importlib.import_module(f"{prefix}.types")
        pipe = importlib.import_module(f"{prefix}.pipeline").Pipeline(
            batch_size=batch_size, num_threads=threads, device_id=device_id if gpu else None, seed=17
        )
        with pipe:
            sources = pictures(self._engine, fn, batch_size, gpu=gpu), given(fn, batch_size, gpu=gpu)
            decoder = WORKS[work].ours if self._engine == "studio" else WORKS[work].theirs
            outputs = WORKS[work].define(Place(fn, types, folder, gpu, *sources, decoder, reader or {}))
            pipe.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
        self._gpu, self._batch_size, self._device_id, self._on_cpu = gpu, batch_size, device_id, False
        return {"seconds": self._start(pipe, warm_up) - began}

    def build_operator(
        self, name: str, number: int, cases: int, batch: int, threads: int, large: bool, device: str = "cpu",
        ragged: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """Make a pipeline of one case of an operator and run its first iterations; returns the case's name."""
        import operator_cases

        self.close()
        subject = operator_cases.prepared(name, number, cases, batch, device, large=large, ragged=ragged)
        pipe = operator_cases.build(subject, self._engine, self._prefix, batch, threads, device)
        self._gpu, self._batch_size, self._device_id = device == "gpu", batch, 0
        self._on_cpu = subject.schema.outputs[0].on_cpu  # where nvidia.dali leaves it, it says nowhere
        self._start(pipe, _WARM_UP_OPERATOR)
        return {"case": subject.case.name()}

    def _start(self, pipe: Any, seconds: float) -> float:
        """Run the first iterations, for some seconds at least; returns when the first batch was there."""
        pipe.build()
        self._pipe = pipe
        self._check(pipe.run())
        count, first = 1, time.perf_counter()
        while count < _WARM_UP or time.perf_counter() - first < seconds:
            self._check(pipe.run())
            count += 1
        self._wait()
        return first

    def run(self) -> Any:
        """One iteration of the pipeline that was built last."""
        return self._pipe.run()

    def _check(self, outputs: Any) -> None:
        first = outputs[0]
        kinds = ("TensorListGPU",) if self._gpu else ("TensorListCPU",)
        if self._on_cpu:
            kinds = ("TensorListGPU", "TensorListCPU")
        assert type(first).__name__ in kinds, f"the result is a {type(first).__name__}, not a {' or '.join(kinds)}"
        assert len(first) == self._batch_size

    def measure(self, seconds: float) -> dict[str, Any]:
        """Run for some time; the last results must have been computed when the clock stops."""
        run = self._pipe.run
        asked, count = time.perf_counter(), 0
        while not count or (count * self._batch_size < _AHEAD and time.perf_counter() - asked < _AHEAD_SECONDS):
            run()  # what was computed ahead while the other engine had its turn
            count += 1
        self._wait()
        before, watched = self._decoded(), watch()
        count, began, busy = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - began < seconds or count < 5:
            run()
            count += 1
        self._wait()
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        processors = watched(seconds)
        decoded = self._decoded()
        decoded.subtract(before)
        share = {"decoded": {who: count / decoded.total() for who, count in decoded.items()}} if decoded.total() else {}
        measured = {
            "batches": count, "images": count * self._batch_size, "seconds": seconds, "busy": busy, "processors": processors,
        }  # fmt: skip
        return measured | share

    def profile(self, seconds: float) -> dict[str, Any]:
        """As `measure`, with what the GPU did under ``"gpu"``; see `gpu_trace`."""
        measured, gpu = traced(lambda: self.measure(seconds))
        return measured | {"gpu": gpu}

    def _decoded(self) -> Counter[str]:
        """Pictures decoded so far, by who has done it; only dali_studio says so."""
        return Counter(self._pipe.decoded_images() if hasattr(self._pipe, "decoded_images") else {})

    def _wait(self) -> None:
        if self._gpu:
            import cupy

            cupy.cuda.Device(self._device_id).synchronize()

    def close(self) -> dict[str, Any]:
        """Take the pipeline down."""
        if self._pipe is not None and hasattr(self._pipe, "release"):
            self._pipe.release()
        self._pipe = None
        gc.collect()
        return {}


def _said(error: Exception) -> str:
    """What went wrong: the first line and, where nvidia.dali wraps it into others, the one that says it."""
    lines = f"{type(error).__name__}: {error}".splitlines()
    inner = [line.strip() for line in lines[1:] if "Assert on" in line or line.lstrip().startswith("Error: ")]
    return " ".join([lines[0], *inner[-1:]])[:300]


def main() -> int:
    """Answer until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=sorted(PREFIX), required=True)
    options = parser.parse_args()
    # libraries print what they like; answers go out on a descriptor of their own
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    measured = Measured(options.engine)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = getattr(measured, asked.pop("do"))(**asked)
        except Exception as error:  # noqa: BLE001 - whatever one program fails with is its result
            answer = {"error": _said(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Steps of a segment that compiled calls compute for ranges of samples, in place of a task for each sample."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.storage import Packed, elements_of
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.failures import StepError
from dali_studio.runtime.loops import Loops
from dali_studio.runtime.memory import Scratch, SlabPool
from dali_studio.runtime.prepared import Output, Prepared
from dali_studio.runtime.probe import Recording, stopwatch, timed
from dali_studio.runtime.request import Store
from dali_studio.runtime.workers import Cancelled
from dali_studio.schema.declare import overrides

#: What computes a range of samples, and gives those that it leaves.
_Ranges = Callable[[int, int], Sequence[int] | None]
#: Elements of a result, on average, up to which all samples have a place of their own.
_FEW = 16


@dataclass(slots=True)
class RangeRunner:
    """Runs steps that work on the same samples.

    Parameters
    ----------
    view : callable
        What is known of a result, and the result where it exists.
    kept : mapping
        Where the results go that are kept.
    pool : SlabPool
        Memory of small results.
    scratch : Scratch
        Memory of those that only later steps read.
    """

    view: Callable[[PortRef], Batch]
    kept: Mapping[PortRef, Packed]
    pool: SlabPool
    scratch: Scratch

    def run(
        self, group: list[Prepared], loops: Loops, recording: Recording | None
    ) -> list[int] | None:  # fmt: skip
        """Run steps by compiled calls for ranges of samples; ``None`` if not all of them can be.

        Returns
        -------
        list of int
            Samples that are left.
        """
        item, count = group[0], len(group[0].work.shapes)
        if count < 2 or not all(
            one.frames is None and one.windows is None and overrides(one.operator, "cpu_ranges") for one in group
        ):
            return None
        if len(group) > 1 or any(one.port not in self.kept for one in item.outputs):
            return self._chained(group, loops, recording)
        inputs = [self.view(port) for port in item.step.inputs]
        if not all(len(batch.samples) == len(batch) for batch in inputs):
            return None
        made = [Batch(self.view(one.port).meta, one.shapes, self.kept[one.port]) for one in item.outputs]
        compute = item.operator.cpu_ranges(item.work, inputs, made)
        if compute is None:
            return None
        bounds, left = _bounds(count, loops.threads), list[int]()

        def some(piece: int) -> None:
            left.extend(compute(bounds[piece], bounds[piece + 1]) or ())

        try:
            loops.run(item.step.key, timed(recording, item.step.key, some), len(bounds) - 1)
        except Cancelled:
            raise
        except Exception as error:
            raise StepError(item.step, None, "", error) from error
        return sorted(left)

    def _chained(
        self, group: list[Prepared], loops: Loops, recording: Recording | None
    ) -> list[int] | None:  # fmt: skip
        """The same of several steps: what one hands on to the next lies in memory of the thread, sample by sample.

        Those that take longest come first, so that no thread is left with one of them alone in the end.
        """
        made = {output.port for item in group for output in item.outputs}
        given = [self.view(port) for item in group for port in item.step.inputs if port not in made]
        if not all(len(batch.samples) == len(batch) for batch in given):
            return None
        small: Store = {}
        first = self._calls(group, small)
        if first is None:
            return None
        bound = {threading.get_ident(): first}
        order: list[int] = np.argsort(-group[0].work.shapes.prod(axis=1), kind="stable").tolist()
        left: list[int] = []

        def one(turn: int) -> None:
            position, thread = order[turn], threading.get_ident()
            calls = bound.get(thread)
            if calls is None:
                calls = bound[thread] = self._calls(group, small) or []
            watch = stopwatch(recording)
            for item, call in zip(group, calls, strict=True):
                watch.start(item.step.key)
                try:
                    refused = call(position, position + 1)
                except Exception as error:
                    raise StepError(item.step, None, "", error) from error
                watch.stop(item.step.key, -1 if refused else position)
                if refused:
                    left.append(position)
                    break
            watch.report()

        loops.run(group[0].step.key, one, len(order))
        return sorted(left)

    def _calls(self, group: list[Prepared], small: Store) -> list[_Ranges] | None:
        """What computes the steps in this thread, if all can be computed so; `small` keeps what is as good shared."""
        results: Store = {}
        calls: list[_Ranges] = []
        for item in group:
            inputs = [results.get(port) or self.view(port) for port in item.step.inputs]
            outputs: list[Batch] = []
            for output in item.outputs:
                batch = small.get(output.port)
                if batch is None:
                    batch = Batch(self.view(output.port).meta, output.shapes, self._memory(item, output))
                    if elements_of(output.shapes) <= _FEW * len(output.shapes):
                        small[output.port] = batch
                results[output.port] = batch
                outputs.append(batch)
            call = item.operator.cpu_ranges(item.work, inputs, outputs)
            if call is None:
                return None
            calls.append(call)
        return calls

    def _memory(self, item: Prepared, output: Output) -> Packed:
        """Where a result goes: to its place, or, where only later steps read it, to where that of any sample goes."""
        kept = self.kept.get(output.port)
        if kept is not None:
            return kept
        if elements_of(output.shapes) <= _FEW * len(output.shapes):
            return self.pool.samples(output.shapes, output.dtype)
        largest = int(output.shapes.prod(axis=1).max())
        memory = self.scratch.array(f"{item.step.key}.{output.port.output}.range", (largest,), output.dtype)
        return Packed(memory.view(np.uint8), np.zeros(len(output.shapes), np.int64), output.shapes, output.dtype)


@lru_cache(maxsize=64)
def _bounds(count: int, threads: int) -> list[int]:
    """Where the ranges of a batch begin, and the end: each has half of what a thread would get of those that are left.

    There are few, so that threads seldom meet, and those that end last are short.
    """
    made = [0]
    while made[-1] < count:
        made.append(made[-1] + max((count - made[-1]) // (2 * threads), 1))
    return made

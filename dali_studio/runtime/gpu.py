"""Running the steps of a plan that are placed on a GPU: each works on the whole batch, in order on one stream."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import FusedStage, Step
from dali_studio.core.diagnostics import ArgumentError, DaliStudioError, Diagnostic
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.kernels.cuda.batch import DeviceBatch, elements, place
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.runtime.failures import StepError
from dali_studio.runtime.fusion import Fusion
from dali_studio.runtime.segment import view_of
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Batch, BatchView, Work
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import PerSample, ReadsData

Placed = dict[PortRef, DeviceBatch]


class GpuRunner:
    """Enqueues steps on a GPU.

    Nothing waits for the GPU except for staging memory of the iteration before last; who reads a result waits for
    its event.

    Parameters
    ----------
    registry : Registry
    workers : WorkerPool
        Decode on the CPU, and copy into staging memory.
    device_id : int
    """

    def __init__(self, registry: Registry, workers: WorkerPool, device_id: int) -> None:
        self._registry, self._workers = registry, workers
        self._stream = GpuStream(device_id)
        self._planned: dict[str, _Planned] = {}
        self._fusion = Fusion(registry, self._stream, self._plan)

    @contextmanager
    def iteration(self, placed: Placed) -> Generator[None]:
        """Enqueue the steps of one iteration; at its end the batches in `placed` get the event to wait for."""
        with self._stream.iteration():
            yield
            if placed:
                ready = self._stream.event()
                for batch in placed.values():
                    batch.ready = ready

    def synchronize(self) -> None:
        """Wait for everything enqueued so far (for measurements)."""
        self._stream.synchronize()

    # ------------------------------------------------------------------------------------------------------------ steps

    def upload(self, step: Step, batches: Sequence[Batch], placed: Placed) -> None:
        """Copy finished batches to the GPU, as the results of `step`."""
        with _failures(step, len(batches[0].samples) if batches else 0):
            for port, batch in zip(step.outputs, batches, strict=True):
                placed[port] = self._upload(batch)

    def _upload(self, batch: Batch) -> DeviceBatch:
        if not batch.samples:
            raise ValueError("the batch is empty; a GPU operator needs at least one sample")
        view = view_of(batch)
        dtype = batch.samples[0].dtype

        def fill(targets: list[NDArray[Any]]) -> None:
            if elements(view.shapes).sum() * dtype.itemsize < 1 << 16:
                for target, sample in zip(targets, batch.samples, strict=True):
                    target[...] = sample
            else:
                self._workers.map(lambda i: np.copyto(targets[i], batch.samples[i]), len(targets))

        return self._staged(view.shapes, dtype, batch.layout, batch.sources, fill)

    def _staged(
        self, shapes: NDArray[np.int64], dtype: np.dtype[Any], layout: str, sources: Sequence[str],
        fill: Callable[[list[NDArray[Any]]], None],
    ) -> DeviceBatch:  # fmt: skip
        """A batch on the GPU that `fill` writes into page-locked memory: one copy for all samples."""
        offsets, size = place(shapes, dtype)
        host = self._stream.pinned(size)
        rows = zip(shapes.tolist(), offsets.tolist(), strict=True)
        fill([np.ndarray(tuple(shape), dtype, host.data, offset) for shape, offset in rows])
        made = self._stream.empty(shapes, dtype, layout, sources)
        self._stream.copy(made.memory, host)
        return made

    def run(
        self,
        step: Step,
        args: Callable[[], Args],
        given: Sequence[Batch | DeviceBatch],
        indices: NDArray[np.int64],
        placed: Placed,
    ) -> None:
        """Enqueue a per-sample operator.

        Parameters
        ----------
        args : callable
            Makes its arguments for this batch, if they are needed.
        given : sequence
            Its inputs: on the GPU for the device "gpu", in host memory for "mixed".
        indices : ndarray
            Which samples of the batch they are, for messages.
        """
        operator = self._registry.operator(step.operator)
        views = [view_of(item) if isinstance(item, Batch) else _device_view(item) for item in given]
        sources = views[0].sources if views else ()
        with _failures(step, len(indices), indices, sources):
            meta, work = self._plan(step, args, views)
            assert meta.dtype is not None
            dtype, layout = to_numpy(meta.dtype), meta.layout or ""
            if step.device == "mixed":
                arrays = [item.samples for item in given if isinstance(item, Batch)]

                def decode(targets: list[NDArray[Any]]) -> None:
                    self._on_cpu(step, work, arrays, targets, indices, sources)

                made = self._staged(work.shapes, dtype, layout, sources, decode)
            else:
                made = self._stream.empty(work.shapes, dtype, layout, sources)
                operator.gpu(work, [item for item in given if isinstance(item, DeviceBatch)], made, self._stream)
        placed[step.outputs[0]] = made

    def run_fused(
        self, stage: FusedStage, args: Callable[[Step], Args], image: DeviceBatch, indices: NDArray[np.int64],
        placed: Placed,
    ) -> bool:  # fmt: skip
        """Enqueue per-sample operators as one kernel; ``False`` if this batch has to take other stages instead."""
        view = _device_view(image)
        made = self._fusion.run(
            stage, args, image, view, lambda step: _failures(step, len(indices), indices, view.sources)
        )
        if made is None:
            return False
        placed[stage.steps[-1].outputs[0]] = made
        return True

    def _plan(self, step: Step, arguments: Callable[[], Args], views: Sequence[BatchView]) -> tuple[TensorMeta, Work]:
        """Type and work of a batch; those of the iteration before, if nothing has changed that they depend on."""
        operator = self._registry.operator(step.operator)
        last = self._planned.get(step.key)
        if last is not None and last.holds(views):
            return last.meta, last.work
        args = arguments()
        (meta,) = self._registry.infer(step.operator, args, [view.meta for view in views])
        work = operator.plan(args, *views)
        if not step.argument_inputs and not operator.stateful and ReadsData not in operator.traits:
            self._planned[step.key] = _Planned([(view.meta, view.shapes) for view in views], meta, work)
        return meta, work

    def _on_cpu(
        self, step: Step, work: Work, arrays: Sequence[Sequence[NDArray[Any]]], targets: list[NDArray[Any]],
        indices: NDArray[np.int64], sources: Sequence[str],
    ) -> None:  # fmt: skip
        cpu = self._registry.operator(step.operator).cpu

        def one(position: int) -> None:
            try:
                made = cpu(work, position, *(samples[position] for samples in arrays), targets[position])
                if made is not None and made is not targets[position]:
                    np.copyto(targets[position], made)
            except Exception as error:
                raise StepError(step, int(indices[position]), sources[position] if sources else "", error) from error

        self._workers.map(one, len(targets))

    def per_sample(self, step: Step) -> bool:
        """Whether `run` takes the step; others run on the CPU, and their results are uploaded."""
        return self._registry.has_trait(step.operator, PerSample)


@dataclass(slots=True)
class _Planned:
    """What was planned for inputs of certain shapes, with arguments that are the same in every iteration."""

    inputs: list[tuple[TensorMeta, NDArray[np.int64]]]
    meta: TensorMeta
    work: Work

    def holds(self, views: Sequence[BatchView]) -> bool:
        pairs = zip(self.inputs, views, strict=True)
        return all(meta == view.meta and np.array_equal(shapes, view.shapes) for (meta, shapes), view in pairs)


def _device_view(batch: DeviceBatch) -> BatchView:
    meta = TensorMeta(from_numpy(batch.dtype), batch.shapes.shape[1], batch.layout, device="gpu")
    return BatchView(meta, batch.shapes, None, batch.sources)


@contextmanager
def _failures(
    step: Step, count: int, indices: NDArray[np.int64] | None = None, sources: Sequence[str] = ()
) -> Generator[None]:
    """Turn what fails into errors that name the step."""
    try:
        yield
    except (DaliStudioError, StepError):
        raise
    except ArgumentError as error:
        at = error.sample
        sample = at if at is None or indices is None else int(indices[at])
        raise StepError(step, sample, sources[at] if at is not None and sources else "", error) from error
    except Exception as error:
        if type(error).__name__ == "OutOfMemoryError":
            raise DaliStudioError(
                Diagnostic(
                    code="DS304",
                    node=step.key,
                    source=step.origin,
                    detail=str(error),
                    message=f"The memory of the GPU does not hold the result of {step.key} for a batch of {count}.",
                    hint=f"Try batch_size={max(count // 2, 1)}, or make the images smaller before this step.",
                )
            ) from error
        raise StepError(step, None, "", error) from error

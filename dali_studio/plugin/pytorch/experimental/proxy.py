"""A pipeline behind a DataLoader of PyTorch; same names as ``nvidia.dali.plugin.pytorch.experimental.proxy``.

Workers of the DataLoader collect a batch's inputs and hand out references; one pipeline, in a thread of the main
process, computes the batch, and its results take the references' places.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty
from threading import Condition, Thread
from types import FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.optional import require
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.dense import check_dense
from dali_studio.plugin.lent import shared_outputs
from dali_studio.plugin.pytorch.loans import Loans
from dali_studio.tensors import TensorGPU, TensorListCPU, TensorListGPU

__all__ = ["DALIServer", "DataLoader"]

_PURPOSE = "The proxy for DataLoader"
torch: Any = require("torch", purpose=_PURPOSE, install="torch")
_data: Any = require("torch.utils.data", purpose=_PURPOSE, install="torch")
_collating: Any = require("torch.utils.data._utils.collate", purpose=_PURPOSE, install="torch")


@dataclass(eq=False, slots=True)
class DALIPipelineRunRef:
    """A batch that the pipeline computes, or will."""

    batch_id: tuple[str, int]
    #: Samples by input; they are gone when the request is on its way.
    call_args: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    is_scheduled: bool = False
    is_complete: bool = False


@dataclass(eq=False, slots=True)
class DALIOutputSampleRef:
    """What a worker has in place of an output's sample."""

    proxy: Proxy
    pipe_run_ref: DALIPipelineRunRef
    output_idx: int
    sample_idx: int


@dataclass(eq=False, slots=True)
class DALIOutputBatchRef:
    """What a DataLoader has in place of an output's batch."""

    pipe_run_ref: DALIPipelineRunRef
    output_idx: int


class Proxy:
    """Takes a sample's inputs, in a worker or in the main process, and gives references to its outputs.

    Called with the value of the input, or, where a pipeline has several, with each by name.
    """

    def __init__(self, inputs: Sequence[str], outputs: int, requests: Any, *, deterministic: bool) -> None:
        self._inputs, self._outputs = tuple(inputs), outputs
        self._requests, self._deterministic = requests, deterministic
        self._run: DALIPipelineRunRef | None = None
        self._samples, self._batches, self._name = 0, 0, ""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_run": None, "_name": ""}  # a batch belongs to one process

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(self._inputs, args, strict=False)), **kwargs}
        positional = 1 if len(self._inputs) == 1 else 0
        if len(args) > positional or len(given) < len(args) + len(kwargs) or set(given) != set(self._inputs):
            names = ", ".join(self._inputs)
            raise _error(
                "DS105", f"The proxy takes {names}; it is called with {len(args)} values and {sorted(kwargs)}.",
                "Give the value alone." if positional else "Give each by name.",
            )  # fmt: skip
        if self._run is None or self._run.is_complete:
            self._name = self._name or uuid.uuid4().hex
            self._run, self._samples = DALIPipelineRunRef((self._name, self._batches)), 0
            self._batches += 1
        for name, value in given.items():
            self._run.call_args.setdefault(name, []).append(value)
        made = tuple(DALIOutputSampleRef(self, self._run, number, self._samples) for number in range(self._outputs))
        self._samples += 1
        return made[0] if len(made) == 1 else made

    def collated(self, samples: Sequence[DALIOutputSampleRef]) -> DALIOutputBatchRef:
        """The reference to the batch of these samples, which is asked for."""
        run, output = samples[0].pipe_run_ref, samples[0].output_idx
        for place, sample in enumerate(samples):
            if sample.pipe_run_ref is not run or sample.output_idx != output or sample.sample_idx != place:
                raise _error(
                    "DS304", "Samples are not collated in the order, or the batch, in which the proxy was called.",
                    "Call the proxy once for each sample of a batch, and collate all of them.",
                )  # fmt: skip
        run.is_complete = True
        if not self._deterministic:
            self.schedule(run)
        return DALIOutputBatchRef(run, output)

    def schedule(self, run: DALIPipelineRunRef) -> None:
        """Ask the pipeline for a batch, once."""
        if not run.is_scheduled:
            self._requests.put((run.batch_id, run.call_args))
            run.call_args, run.is_scheduled = {}, True


def _collate(samples: Any, *, collate_fn_map: Any = None) -> DALIOutputBatchRef:
    del collate_fn_map
    return samples[0].proxy.collated(samples)


_collating.default_collate_fn_map[DALIOutputSampleRef] = _collate


class DALIServer:
    """Runs a pipeline in a thread, for the batches that a proxy asks for.

    Parameters
    ----------
    pipeline : Pipeline
        Its inputs are its external sources without a source of their own.
    deterministic : bool
        Compute batches in the order in which they are consumed, so that random numbers come out alike in each run;
        workers then do not ask in advance.

    Raises
    ------
    DaliStudioError
        DS601 without PyTorch; DS105 for what is no pipeline, or for one without inputs.

    Examples
    --------
    >>> with DALIServer(pipe) as server:  # doctest: +SKIP
    ...     dataset = ImageFolder(root, transform=server.proxy, loader=read_bytes)
    ...     for images, labels in DataLoader(server, dataset, batch_size=64, num_workers=8):
    ...         ...
    """

    def __init__(self, pipeline: Pipeline, deterministic: bool = False) -> None:
        self._thread: Thread | None = None
        if not isinstance(pipeline, Pipeline):
            raise _error("DS105", f"{type(pipeline).__name__} is no pipeline.", "Give what pipeline_def makes.")
        self._pipe = pipeline
        pipeline.build()
        registry, nodes = default_registry(), pipeline.graph.nodes()
        sources = [node for node in nodes if registry.schema(node.operator).role == "external_source"]
        inputs = [node.key for node in sources if node.objects.get("source") is None]
        if not inputs:
            raise _error("DS105", "The pipeline has no inputs.", "Give it an external_source with a name.")
        self._shared, self._loans = shared_outputs(pipeline), Loans()
        self._requests = torch.multiprocessing.Queue()
        self._proxy = Proxy(inputs, pipeline.num_outputs, self._requests, deterministic=deterministic)
        #: What is computed and not yet consumed, or why it is not; guarded by `_changed`, as `_running` is.
        self._done: dict[tuple[str, int], tuple[Any, ...] | Exception] = {}
        self._changed, self._running = Condition(), False

    @property
    def proxy(self) -> Proxy:
        """What workers call, such as the transform of a data set."""
        return self._proxy

    @property
    def running(self) -> bool:
        """Whether batches are computed."""
        return self._running

    def start_thread(self) -> None:
        """Begin to compute; ``with`` does the same."""
        if self._thread is None:
            self._running = True
            self._thread = Thread(target=self._serve, name="dali_studio_proxy", daemon=True)
            self._thread.start()

    def stop_thread(self) -> None:
        """End, after the batches that were asked for."""
        if self._thread is not None:
            self._requests.put(None)
            self._thread.join()
            self._thread = None

    def __enter__(self) -> DALIServer:
        self.start_thread()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop_thread()

    def produce_data(self, obj: Any) -> Any:
        """Put data in the place of references: in lists, dictionaries and other objects, or in new tuples.

        Raises
        ------
        DaliStudioError
            What the pipeline raised for a batch; DS304 if the server does not run.
        """
        return self._replaced(obj, {}, set())

    # ----------------------------------------------------------------------------------------------------- main process

    def _replaced(self, value: Any, runs: dict[tuple[str, int], tuple[Any, ...]], seen: set[int]) -> Any:
        if isinstance(value, DALIOutputBatchRef):
            run = value.pipe_run_ref
            if run.batch_id not in runs:
                self._proxy.schedule(run)
                runs[run.batch_id] = self._taken(run.batch_id)
            return runs[run.batch_id][value.output_idx]
        if isinstance(value, tuple):
            items = cast("tuple[Any, ...]", value)
            made = [self._replaced(item, runs, seen) for item in items]
            if all(new is old for new, old in zip(made, items, strict=True)):
                return items
            return type(items)(*made) if hasattr(items, "_fields") else type(items)(made)
        if id(value) in seen or isinstance(value, type | ModuleType | FunctionType):
            return value
        seen.add(id(value))
        if isinstance(value, list):
            several = cast("list[Any]", value)
            several[:] = [self._replaced(item, runs, seen) for item in several]
        elif isinstance(value, dict):
            named = cast("dict[Any, Any]", value)
            named.update({name: self._replaced(item, runs, seen) for name, item in named.items()})
        elif hasattr(value, "__dict__"):
            fields = cast("dict[str, Any]", vars(value))
            for name, item in list(fields.items()):
                if (new := self._replaced(item, runs, seen)) is not item:
                    setattr(value, name, new)
        return cast("Any", value)

    def _taken(self, batch_id: tuple[str, int]) -> tuple[Any, ...]:
        with self._changed:
            self._changed.wait_for(lambda: batch_id in self._done or not self._running)
            if batch_id not in self._done:
                raise _error("DS304", "The server does not run.", "Use it by `with`, or call start_thread().")
            found = self._done.pop(batch_id)
        if isinstance(found, Exception):
            raise found
        return tuple(self._handed(one, shared=shared) for one, shared in zip(found, self._shared, strict=True))

    def _handed(self, result: Any, *, shared: bool) -> Any:
        if not isinstance(result, TensorGPU):
            return result
        self._loans.collect()
        tensor = self._loans.lend(result)
        return tensor.clone() if shared else tensor

    # ------------------------------------------------------------------------------------------------------ its thread

    def _serve(self) -> None:
        fed: deque[tuple[str, int]] = deque()
        stopping = False
        while fed or not stopping:
            while not stopping and len(fed) < self._pipe.prefetch_queue_depth:
                try:
                    request = self._requests.get(block=not fed)
                except Empty:
                    break
                if request is None:
                    stopping = True
                elif self._fed(*request):
                    fed.append(request[0])
            if fed:
                self._finish(fed.popleft())
        with self._changed:
            self._running = False
            self._changed.notify_all()

    def _fed(self, batch_id: tuple[str, int], inputs: Mapping[str, list[Any]]) -> bool:
        try:
            # all inputs before the first is fed: one that is no batch must not leave the others behind
            batches = {name: TensorListCPU(samples) for name, samples in inputs.items()}
            for name, batch in batches.items():
                self._pipe.feed_input(name, batch)
            self._pipe.schedule_run()
        except Exception as error:  # noqa: BLE001 - for whoever asks for the batch
            self._keep(batch_id, error)
            return False
        return True

    def _finish(self, batch_id: tuple[str, int]) -> None:
        try:
            outputs = zip(self._pipe.share_outputs(), self._shared, strict=True)
            made = tuple(_result(number, batch, shared=shared) for number, (batch, shared) in enumerate(outputs))
        except Exception as error:  # noqa: BLE001 - likewise
            self._keep(batch_id, error)
        else:
            self._keep(batch_id, made)
        self._pipe.release_outputs()

    def _keep(self, batch_id: tuple[str, int], result: tuple[Any, ...] | Exception) -> None:
        with self._changed:
            self._done[batch_id] = result
            self._changed.notify_all()


class DataLoader(_data.DataLoader):
    """A DataLoader whose batches hold data in the place of references.

    Parameters
    ----------
    dali_server : DALIServer
        Started with the first batch, if it does not run; whoever starts it stops it.
    *args, **kwargs
        As of ``torch.utils.data.DataLoader``.
    """

    def __init__(self, dali_server: DALIServer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dali_server = dali_server

    def __iter__(self) -> Iterator[Any]:
        started = not self.dali_server.running
        self.dali_server.start_thread()
        try:
            batches = cast("Iterator[Any]", super().__iter__())
            yield from map(self.dali_server.produce_data, batches)
        finally:
            if started:
                self.dali_server.stop_thread()


def _result(number: int, batch: TensorListCPU | TensorListGPU, *, shared: bool) -> Any:
    """A tensor of PyTorch; of a batch on a GPU, one of ours, which becomes one for the stream of whoever takes it."""
    check_dense(f"output {number}", batch, "PyTorch")
    if isinstance(batch, TensorListGPU):
        return batch.as_tensor()
    array = batch.as_array()
    return torch.from_numpy(np.array(array) if shared else array)


def _error(code: str, message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code=code, message=message, hint=hint))

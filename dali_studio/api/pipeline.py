"""``Pipeline``: the façade over tracing and the engine."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dali_studio.api import trace
from dali_studio.api.branches import Branches
from dali_studio.api.checkpoints import decode
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.api.expected import ExpectedOutputs
from dali_studio.api.pipeline_files import PipelineFiles
from dali_studio.api.placement import check_devices
from dali_studio.api.rewriting import rewritten
from dali_studio.api.settings import ANSWERS, Settings, bad_option, check_options, graph_options, unknown_name
from dali_studio.api.source_pool import Workers, start_workers
from dali_studio.api.support import PIPELINE_METHODS, refusal
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode, output_port, outputs_of
from dali_studio.api.waiting import told
from dali_studio.compiler.explain import described, explain
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.tensors import TensorListCPU
from dali_studio.core.tensors_gpu import TensorListGPU
from dali_studio.graph.bypass import rerouted
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import Validation, refusals, validate
from dali_studio.runtime.failures import FailedSample
from dali_studio.runtime.forecast import forecast
from dali_studio.types import CPU_ONLY_DEVICE_ID

_UNSET = -1


class Pipeline(PipelineFiles):
    """A graph of operators with the options under which it runs.

    Make one with a function decorated by ``pipeline_def``, or inside ``with pipeline:`` and `set_outputs`, or by a
    subclass with `define_graph`.

    Parameters
    ----------
    batch_size : int
        Samples of an iteration, at least 1.
    num_threads : int
        Worker threads, at least 1; 2 if unset.
    device_id : int or None
        GPU to use; ``None`` for the CPU. Without a GPU a number is accepted as long as no operator needs one.
    seed : int or None
        Source of all random numbers; equal seeds give equal numbers. ``None`` or a negative number: a fresh one.
    exec_pipelined, exec_async : bool
        If either is false, iterations are computed when they are asked for, in the caller's thread.
    prefetch_queue_depth : int
        Iterations that are computed ahead. Small ones may be more, which are computed together; not with 1.
    output_dtype, output_ndim, output_layout : value or sequence, optional
        What the outputs must be; checked when the pipeline is built, or at the first run where types are not known.
    fuse_warps : bool
        Compute rotations, flips and plain resizes on a GPU that follow each other as one resampling. It is faster, and
        approximate: pixels are interpolated once, and borders of the steps between do not show.
    device_memory_limit : int, optional
        Bytes of device memory that the pipeline takes at most; a step that would need more is an error (DS304).
    enable_checkpointing : bool
        Let `checkpoint` give the place in the run. ``shuffle_after_epoch`` of readers gives another order then, as in
        nvidia.dali.
    checkpoint : bytes, optional
        What `checkpoint` of such a pipeline gave: the run goes on there.
    **options
        The other arguments of nvidia.dali's Pipeline, which have no effect here or are refused; ``dali-studio support``
        lists them.

    Raises
    ------
    DaliStudioError
        DS102, DS105 or DS106 for unknown, senseless or refused options.
    """

    def __init__(
        self,
        batch_size: int = _UNSET,
        num_threads: int = _UNSET,
        device_id: int | None = _UNSET,
        seed: int | None = None,
        exec_pipelined: bool = True,
        prefetch_queue_depth: int | dict[str, int] = 2,
        exec_async: bool = True,
        *,
        output_dtype: DALIDataType | Sequence[DALIDataType | None] | None = None,
        output_ndim: int | Sequence[int | None] | None = None,
        output_layout: str | Sequence[str | None] | None = None,
        name: str = "pipeline",
        fuse_warps: bool = False,
        device_memory_limit: int | None = None,
        enable_checkpointing: bool = False,
        checkpoint: bytes | None = None,
        **options: Any,
    ) -> None:
        check_options(options)
        several = isinstance(prefetch_queue_depth, dict)
        depth = max(prefetch_queue_depth.values(), default=0) if several else prefetch_queue_depth
        self._options = graph_options(
            name=name, batch_size=1 if batch_size == _UNSET else batch_size,
            num_threads=2 if num_threads == _UNSET else num_threads,
            device_id=None if device_id in (_UNSET, CPU_ONLY_DEVICE_ID) else device_id,
            seed=None if isinstance(seed, int) and seed < 0 else seed, prefetch_queue_depth=depth,
        )  # fmt: skip
        self._has_batch_size = batch_size != _UNSET
        self._background = bool(exec_pipelined and exec_async)
        if device_memory_limit is not None and device_memory_limit < 1:
            raise bad_option("device_memory_limit", device_memory_limit, "a number of bytes from 1")
        self._fuse_warps, self._memory_limit, self._may_write = fuse_warps, device_memory_limit, True
        self._checkpointing = bool(enable_checkpointing)
        self._checkpoint = None if checkpoint is None else decode(checkpoint)
        if checkpoint is not None and not enable_checkpointing:
            raise bad_option("enable_checkpointing", enable_checkpointing, "True, since checkpoint is given,")
        self._settings = Settings(self._options, bool(exec_pipelined), bool(exec_async), dict(options))
        self._expected = ExpectedOutputs(output_dtype, output_ndim, output_layout)
        self._trace = Trace(self._options)
        self._definition: Callable[[], Any] | None = None
        self._engine: Engine | None = None
        self._workers: Workers | None = None
        self._validation: Validation | None = None
        self._held: tuple[TensorListCPU | TensorListGPU, ...] | None = None

    # ------------------------------------------------------------------------------------------------------ definition

    @classmethod
    def from_graph(cls, graph: Graph) -> Pipeline:
        """A pipeline that runs `graph` (which is copied), without the nodes that are left out in it."""
        graph, options = rerouted(graph), graph.options
        made = cls(options.batch_size, options.num_threads, options.device_id, options.seed,
                   prefetch_queue_depth=options.prefetch_queue_depth, name=options.name)  # fmt: skip
        made._trace.graph, made._may_write = graph.copy(), False  # the graph may be a stranger's document
        made._trace.names = {key: key for key in graph}
        return made

    def remade(self, graph: Graph) -> Pipeline:
        """A pipeline that runs `graph`, which was made of this one's, with the settings that are no part of a graph."""
        made = Pipeline.from_graph(graph)
        for name in ("_fuse_warps", "_memory_limit", "_may_write"):
            setattr(made, name, getattr(self, name))
        return made

    def define_graph(self) -> Any:
        """Define the operators and return the outputs; subclasses override it."""
        return None if self._definition is None else self._definition()

    def define(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Let a function define the operators; the outputs are what it returns."""
        with self:
            result = function(*args, **kwargs)
        if result is not None:
            self.set_outputs(*outputs_of(result))

    def define_with_conditionals(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """The same for a function whose conditions may be operator results."""
        branches = self._trace.branches = Branches(self._trace)
        self.define(rewritten(function), *args, **kwargs)
        branches.drop_unused()

    def set_outputs(self, *output_data_nodes: Any) -> None:
        """Choose what the pipeline returns: DataNodes, or values that become constants."""
        with self._trace.active():
            ports = [output_port(self._trace, item, i) for i, item in enumerate(output_data_nodes)]
        self._trace.graph.set_outputs(ports)

    def add_sink(self, edge: DataNode) -> None:
        """Keep the operator that gives `edge` in the run, even if no output depends on it."""
        node = self._trace.graph.node(edge.port.node)
        self._trace.graph.replace_node(replace(node, arguments={**node.arguments, "preserve": True}))

    def __enter__(self) -> Pipeline:
        trace.push(self._trace)
        _pipelines.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _pipelines.pop()
        trace.pop()

    @staticmethod
    def current() -> Pipeline | None:
        """The pipeline that is being defined."""
        return _pipelines[-1] if _pipelines else None

    @staticmethod
    def push_current(pipeline: Pipeline) -> None:
        """Make `pipeline` the current one."""
        pipeline.__enter__()

    @staticmethod
    def pop_current() -> None:
        """Undo the last `push_current`."""
        _pipelines[-1].__exit__()

    @property
    def graph(self) -> Graph:
        """A copy of the graph (the definition runs if it has not)."""
        self._define()
        return self._trace.graph.copy()

    def node_key(self, name: str) -> str:
        """The key of the node to which the program gave a name."""
        return self._trace.names.get(name, name)

    def _define(self) -> None:
        if len(self._trace.graph):
            return
        self.define(self.define_graph)

    def build(self) -> None:
        """Check the definition, compile it and open its sources; `run` does it if need be.

        Raises
        ------
        DaliStudioError
            With every finding that prevents a run.
        """
        if self._engine is not None:
            return
        if not self._has_batch_size:
            raise bad_option("batch_size", None, "a whole number from 1")
        self._define()
        with told(f"Building {self._options.name}"):
            self._engine = self._built_engine()

    def _built_engine(self) -> Engine:
        graph, registry = self._trace.graph, default_registry()
        self._validation = validate(graph, registry)
        found = refusals(graph, registry, self._validation)
        if found:
            raise DaliStudioError(found)
        check_devices(graph, registry)
        self._start_workers()  # before there are threads, which a fork does not copy
        metas = [self._validation.metas[port] for port in graph.outputs]
        self._expected.check([(meta.dtype, meta.ndim, meta.layout) for meta in metas])
        return Engine(graph, registry, background=self._background, fuse_warps=self._fuse_warps,
                      device_memory_limit=self._memory_limit, checkpointing=self._checkpointing,
                      restored=self._checkpoint, may_write=self._may_write, sources=self._workers)  # fmt: skip

    def _start_workers(self) -> None:
        if self._workers is None:
            self._workers = start_workers(self._trace.graph, self._settings.extra)

    def explain(self, *, as_json: bool = False) -> str:
        """The plan of an iteration, and the memory that the first one will take for each node.

        Nothing is computed for it but numbers that are arguments; the files of one batch are read.

        Parameters
        ----------
        as_json : bool
            As JSON, with bytes, instead of text (docs/measuring.md).
        """
        engine = self._built()
        memory = forecast(engine.plan, engine.registry, engine.seed, engine.graph.options.batch_size)
        return json.dumps(described(engine.plan, memory), indent=2) if as_json else explain(engine.plan, memory)

    def _built(self) -> Engine:
        self.build()
        assert self._engine is not None
        return self._engine

    # --------------------------------------------------------------------------------------------------------- running

    def run(self, cuda_stream: object = None, /, **pipeline_inputs: Any) -> tuple[TensorListCPU | TensorListGPU, ...]:
        """Run one iteration.

        Parameters
        ----------
        cuda_stream
            Accepted without effect.
        **pipeline_inputs
            Data for external sources without a source of their own, by name.

        Returns
        -------
        tuple of TensorListCPU or TensorListGPU
            They stay valid as long as they are held.

        Raises
        ------
        StopIteration
            At the end of an external source's data.
        DaliStudioError
            If a sample cannot be processed; the next call goes on with the next iteration.
        """
        del cuda_stream
        engine = self._engine or self._built()
        for name, data in pipeline_inputs.items():
            self.feed_input(name, data)
        engine.prefetch(self.iter_setup)
        return self._result(engine)

    def schedule_run(self) -> None:
        """Ask for an iteration; `outputs` or `share_outputs` returns it. The first one of an epoch fills the queue."""
        engine = self._built()
        if engine.begun:
            engine.set_up(self.iter_setup)
            engine.schedule()
        else:
            engine.prefetch(self.iter_setup)

    def share_outputs(self, cuda_stream: object = None) -> tuple[TensorListCPU | TensorListGPU, ...]:
        """The oldest scheduled iteration."""
        del cuda_stream
        self._held = self._result(self._built())
        return self._held

    def release_outputs(self) -> None:
        """Let go of what `share_outputs` returned."""
        self._held = None

    def outputs(self, cuda_stream: object = None) -> tuple[TensorListCPU | TensorListGPU, ...]:
        """The oldest scheduled iteration."""
        return self.share_outputs(cuda_stream)

    def iter_setup(self) -> None:
        """Called before every iteration; subclasses feed their inputs here."""

    def feed_input(
        self, data_node: DataNode | str, data: Any, layout: str | None = None, cuda_stream: object = None,
        use_copy_kernel: bool = False,
    ) -> None:  # fmt: skip
        """Give an external source a batch.

        Parameters
        ----------
        data_node : DataNode or str
            The source, or its name.
        data : array_like, list of array_like or TensorList
        layout : str, optional
            Layout of a sample.
        cuda_stream : stream or int, optional
            On which arrays on a GPU are ready, and later work on which may change them: a stream of CuPy or PyTorch,
            its address, 0 for the default stream, -1 for data that is complete. Unset: the library's current stream.
        use_copy_kernel : bool
            Accepted without effect.
        """
        del use_copy_kernel
        name = data_node.name if isinstance(data_node, DataNode) else self.node_key(data_node)
        engine = self._built()
        engine.check_process()
        feeders = engine.feeders
        if name not in feeders:
            raise unknown_name("external source", name, feeders)
        feeders[name].feed(data, layout, cuda_stream)

    def input_feed_count(self, input_name: str) -> int:
        """How many batches nvidia.dali needs before the first run: all that are computed ahead. Here one is enough."""
        self._trace.graph.node(self.node_key(input_name))
        return self._options.prefetch_queue_depth

    def reset(self) -> None:
        """Begin the next epoch after the end of the data."""
        if self._engine is not None:
            self._engine.reset()

    def empty(self) -> bool:
        """Whether no scheduled iteration waits to be read."""
        return self._engine is None or self._engine.pending == 0

    def release(self) -> None:
        """End the threads and give memory back; the next run builds the pipeline anew."""
        if self._engine is not None:
            self._engine.close()
            self._engine = self._workers = None

    # ------------------------------------------------------------------------------------------------------- questions

    def reader_meta(self, name: str | None = None) -> dict[str, Any]:
        """Sizes of the data sets by reader, or those of the reader `name`."""
        found = self._built().reader_meta()
        named = {user: found[key] for user, key in self._trace.names.items() if key in found}
        named.update({key: meta for key, meta in found.items() if key not in self._trace.names.values()})
        if name is None:
            return named
        if name not in named:
            raise unknown_name("reader", name, named)
        return named[name]

    def epoch_size(self, name: str | None = None) -> Any:
        """Number of samples of an epoch, padding included, by reader, or that of the reader `name`."""
        meta = self.reader_meta(name)
        return _epoch_size(meta) if name is not None else {key: _epoch_size(value) for key, value in meta.items()}

    def failed_samples(self) -> tuple[FailedSample, ...]:
        """What could not be read or decoded so far, where readers or decoders go on (`on_error`); the newest last.

        Iterations that are computed ahead count as well; ten thousand samples are remembered at most.
        """
        return () if self._engine is None else self._engine.failed_samples()

    def decoded_images(self) -> dict[str, int]:
        """How many pictures decoders on the device "mixed" have decoded, by who has done it.

        Returns
        -------
        dict
            ``kernels`` and ``hardware`` (the GPU), and ``threads`` (the CPU); empty for a pipeline without a GPU, or
            before its first run. Iterations that are computed ahead count as well.
        """
        return {} if self._engine is None else self._engine.executor.decoded

    def executor_statistics(self) -> dict[str, Any]:
        """Memory by operator; empty, since memory statistics are not collected."""
        return {}

    def external_source_shm_statistics(self) -> dict[str, Any]:
        """Bytes of each piece of memory that is shared with worker processes, and bytes for each sample of a batch."""
        sizes = [] if self._workers is None else self._workers.pool.capacities
        size = self._options.batch_size
        return {"capacities": sizes, "per_sample_capacities": [one // size for one in sizes]}

    def start_py_workers(self) -> None:
        """Start the processes of parallel external sources now, not when the pipeline is built."""
        self._define()
        self._start_workers()

    def enable_api_check(self, enable: bool) -> None:
        """Accepted without effect: the ways to run a pipeline can be mixed."""

    def output_dtype(self) -> list[DALIDataType | None]:
        """The element types that were demanded of the outputs."""
        return self._expected.of("dtype", self.num_outputs)

    def output_ndim(self) -> list[int | None]:
        """The ranks that were demanded of the outputs."""
        return self._expected.of("ndim", self.num_outputs)

    def output_layout(self) -> list[str | None]:
        """The layouts that were demanded of the outputs."""
        return self._expected.of("layout", self.num_outputs)

    def _result(self, engine: Engine) -> tuple[TensorListCPU | TensorListGPU, ...]:
        made = engine.result(
            lambda after: told(f"Computing a batch of {self._options.name}", engine.executor.place, after)
        )
        if self._expected.anything:
            self._expected.check([(batch.dtype, batch.ndim(), batch.layout()) for batch in made])
        return made

    @property
    def num_outputs(self) -> int:
        """Number of outputs."""
        self._define()
        return len(self._trace.graph.outputs)

    @property
    def seed(self) -> int | None:
        """The seed that was given."""
        return self._options.seed

    def __getattr__(self, name: str) -> Any:
        if name in PIPELINE_METHODS and PIPELINE_METHODS[name].status == "refused":
            return functools.partial(_refuse, name)
        if name in ANSWERS:
            return ANSWERS[name](self._settings)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


_pipelines: list[Pipeline] = []


def _epoch_size(meta: dict[str, int]) -> int:
    return meta["epoch_size_padded" if meta["pad_last_batch"] else "epoch_size"]


def _refuse(name: str, *args: Any, **kwargs: Any) -> None:
    del args, kwargs
    raise refusal(f"Pipeline.{name}", PIPELINE_METHODS[name])

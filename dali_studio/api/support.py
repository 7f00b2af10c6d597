"""Which parts of nvidia.dali's Pipeline API have their effect here: one table, which tests and documents read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


@dataclass(frozen=True, slots=True)
class Support:
    """How a name is supported, and why not fully.

    Attributes
    ----------
    status
        ``used``: has its effect. ``ignored``: accepted without effect. ``refused``: raises with `reason`.
    reason
        One clause that completes "... because".
    """

    status: Literal["used", "ignored", "refused"]
    reason: str = ""


_USED = Support("used")
_SCHEDULER = Support("ignored", "the executor decides by itself")
_STREAMS = Support("ignored", "a pipeline has one CUDA stream for kernels and one for copies")
_LEGACY = Support("refused", "it belongs to the ops-style API that DALI has retired")

#: Options of a pipeline that nvidia.dali does not have.
OWN_OPTIONS = ("fuse_warps", "device_memory_limit")

PIPELINE_ARGUMENTS: dict[str, Support] = {
    "batch_size": _USED,
    "num_threads": _USED,
    "device_id": _USED,
    "seed": _USED,
    "exec_pipelined": _USED,
    "exec_async": _USED,
    "prefetch_queue_depth": _USED,
    "output_dtype": _USED,
    "output_ndim": _USED,
    "output_layout": _USED,
    "enable_conditionals": _USED,
    "bytes_per_sample": Support("ignored", "memory is recycled between iterations, so that no hint is needed"),
    "set_affinity": Support("ignored", "threads are not pinned to cores"),
    "max_streams": _STREAMS,
    "default_cuda_stream_priority": _STREAMS,
    "stream_policy": _STREAMS,
    "concurrency": _SCHEDULER,
    "exec_dynamic": _SCHEDULER,
    "experimental_exec_dynamic": _SCHEDULER,
    "enable_memory_stats": Support("ignored", "memory statistics are not collected"),
    "enable_checkpointing": _USED,
    "checkpoint": _USED,
    "py_num_workers": _USED,
    "py_start_method": _USED,
    "py_callback_pickler": _USED,
}

PIPELINE_METHODS: dict[str, Support] = {
    **dict.fromkeys(
        (
            "batch_size", "build", "checkpoint", "cpu_queue_size", "current", "define_graph", "device_id", "empty",
            "epoch_size",
            "exec_async", "exec_pipelined", "feed_input", "gpu_queue_size", "input_feed_count",
            "is_restored_from_checkpoint", "iter_setup", "max_batch_size", "num_outputs", "num_threads", "output_dtype",
            "output_ndim", "output_layout", "outputs", "pop_current", "prefetch_queue_depth", "push_current",
            "reader_meta", "release_outputs", "reset", "run", "schedule_run", "seed", "set_outputs", "share_outputs",
            "executor_statistics", "concurrency", "default_cuda_stream_priority", "enable_memory_stats", "exec_dynamic",
            "exec_separated", "max_streams", "py_num_workers", "py_start_method", "set_affinity", "stream_policy",
            "external_source_shm_statistics", "start_py_workers", "enable_api_check", "add_sink",
            "deserialize", "deserialize_and_build", "serialize", "save_graph_to_dot_file",
        ),
        _USED,
    ),
    "output_stream": Support("refused", "results are complete when they are handed out, so that no stream is needed"),
}  # fmt: skip

DATA_NODE_METHODS: dict[str, Support] = {
    "gpu": _USED,
    "cpu": _USED,
    "shape": _USED,
    "property": _USED,
    "source_info": _USED,
    "arithmetic": _USED,
    "indexing": _USED,
    "iteration": Support("refused", "how many elements there are is not known before a run; take them by x[0], x[1]"),
    "bool": Support(
        "refused",
        "it has a value for each sample; `if`, `and`, `or` and `not` take it in a function that is decorated by "
        "pipeline_def(enable_conditionals=True), `while`, `assert` and `x if c else y` do not",
    ),
}

#: Names of nvidia.dali's ``types`` that are missing here.
TYPE_NAMES: dict[str, Support] = {
    "CUDAStream": Support("refused", "arguments take streams of CuPy and PyTorch, or their addresses")
}


def refusal(name: str, support: Support, *, origin: str = "", node: str = "") -> DaliStudioError:
    """The error for something that is refused."""
    return DaliStudioError(
        Diagnostic(
            code="DS106", message=f"{name} is not available: {support.reason}.", source=origin, node=node,
            hint="`dali-studio support` lists what is.",
        )
    )

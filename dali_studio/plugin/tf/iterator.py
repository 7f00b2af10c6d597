"""The operator of a graph of TensorFlow 1 that gives a pipeline's batches; the names are those of nvidia.dali."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from numpy.typing import NDArray

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.lent import shared_outputs
from dali_studio.plugin.tf.dataset import arrays, bad, checked, remade, tensorflow

#: The pipeline that runs for a pipeline and the options of a call: calls go on with its next batch.
_running: WeakKeyDictionary[Pipeline, dict[tuple[Any, ...], Pipeline]] = WeakKeyDictionary()
_lock = threading.Lock()


def DALIIterator() -> Callable[..., list[Any]]:  # noqa: N802 - nvidia.dali's name
    """`DALIIteratorWrapper`."""
    return DALIIteratorWrapper


def DALIIteratorWrapper(  # noqa: N802 - nvidia.dali's name
    pipeline: Pipeline | None = None,
    serialized_pipeline: Any = None,
    sparse: Sequence[bool] = (),
    shapes: Sequence[Any] = (),
    dtypes: Sequence[Any] = (),
    batch_size: int = -1,
    prefetch_queue_depth: int | dict[str, int] = 2,
    exec_dynamic: bool | None = None,
    **options: Any,
) -> list[Any]:
    """The next batch of a pipeline: a tensor for each output.

    In a graph (``tf.compat.v1``), each run of a session gives the next one; otherwise each call does.

    Parameters
    ----------
    pipeline : Pipeline
    serialized_pipeline, sparse
        Refused: give the pipeline itself, and dense outputs.
    shapes : sequence of shapes
        Shapes of the batches; the first extent of the first is the batch size, unless `batch_size` is given.
    dtypes : sequence of tf.DType
        Types of the outputs.
    batch_size : int
        Samples of a batch; -1: what `shapes` says.
    prefetch_queue_depth : int or dict
        As of `Pipeline`.
    exec_dynamic : bool, optional
        Accepted without effect.
    **options
        ``num_threads`` and ``device_id``, as of `Pipeline`; ``enable_memory_stats`` has no effect.

    Raises
    ------
    DaliStudioError
        DS601 without TensorFlow, DS102, DS105 or DS106 for arguments that do not fit.
    """
    tf = tensorflow()
    del exec_dynamic
    if serialized_pipeline is not None or any(sparse):
        name = "sparse" if serialized_pipeline is None else "serialized_pipeline"
        raise DaliStudioError(
            Diagnostic(
                code="DS106", argument=name, message=f"{name} is not supported.",
                hint="Pad the samples to one shape with fn.pad." if any(sparse) else "Give pipeline.",
            )
        )  # fmt: skip
    unknown = set(options) - {"num_threads", "device_id", "enable_memory_stats"}
    if unknown:
        raise bad(min(unknown), f"DALIIterator has no option {min(unknown)!r}.", "Take it away.")
    promised = [tf.TensorShape(one) for one in shapes] or [tf.TensorShape(None)] * len(dtypes)
    size = promised[0].as_list()[0] if batch_size == -1 and promised and promised[0].rank else batch_size
    if size is None or size < 1 or len(promised) != len(dtypes):
        raise bad(
            "shapes", f"shapes is {list(shapes)}, dtypes {list(dtypes)} and batch_size {batch_size}.",
            "Give a shape and a type for each output, and batch_size if the first shape does not begin with it.",
        )  # fmt: skip
    depth = max(prefetch_queue_depth.values()) if isinstance(prefetch_queue_depth, dict) else prefetch_queue_depth
    used = {"batch_size": size, "prefetch_queue_depth": depth}
    used |= {name: options[name] for name in ("num_threads", "device_id") if options.get(name, -1) != -1}
    specs: list[Any] = [tf.TensorSpec(shape, dtype) for shape, dtype in zip(promised, dtypes, strict=True)]
    key = tuple(sorted(used.items()))
    pipe = checked(pipeline)
    shared = shared_outputs(pipe)

    def batch() -> list[NDArray[Any]]:
        with _lock:
            of = _running.setdefault(pipe, {})
            if key not in of:
                of[key] = remade(pipe, used)
            outputs = of[key].run()
        return list(arrays(outputs, shared, specs, size))

    made = tf.numpy_function(batch, [], list(dtypes), stateful=True)
    for tensor, spec in zip(made, specs, strict=True):
        tensor.set_shape(spec.shape)
    return list(made)

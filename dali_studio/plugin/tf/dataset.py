"""``tf.data.Dataset`` objects that run a pipeline for each of their iterators."""

from __future__ import annotations

import dataclasses
import importlib
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import short_name, to_numpy
from dali_studio.core.optional import require
from dali_studio.graph.node import Node
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.dense import check_dense
from dali_studio.plugin.lent import shared_outputs
from dali_studio.tensors import TensorListCPU, TensorListGPU


def tensorflow() -> Any:
    """The package.

    Raises
    ------
    DaliStudioError
        DS601 without TensorFlow.
    """
    return require("tensorflow", purpose="Handing batches to TensorFlow", install="tensorflow")


def bad(argument: str, message: str, hint: str) -> DaliStudioError:
    """An argument that is not accepted."""
    return DaliStudioError(Diagnostic(code="DS105", argument=argument, message=message, hint=hint))


def DALIDataset(  # noqa: N802 - nvidia.dali's name
    pipeline: Pipeline,
    output_dtypes: Any = None,
    output_shapes: Any = None,
    fail_on_device_mismatch: bool = True,
    *,
    batch_size: int = 1,
    num_threads: int = 4,
    device_id: int | None = 0,
    exec_separated: bool = False,
    exec_dynamic: bool = False,
    prefetch_queue_depth: int = 2,
    cpu_prefetch_queue_depth: int = 2,
    gpu_prefetch_queue_depth: int = 2,
    dtypes: Any = None,
    shapes: Any = None,
) -> Any:
    """A ``tf.data.Dataset`` whose elements are the batches of a pipeline: tuples with a tensor for each output.

    Each iterator runs a pipeline of its own from the beginning. Readers go on with the next epoch without an end, as
    in nvidia.dali: bound them with ``take``, or ``steps_per_epoch`` of ``model.fit``.

    Parameters
    ----------
    pipeline : Pipeline
        What is computed. Of its options, those below take the place of its own.
    output_dtypes : tf.DType or tuple of tf.DType
        Types of the outputs, which are checked.
    output_shapes : shape or tuple of shapes, optional
        Shapes of the batches, where ``None`` is any extent. Axes of one element that are not in them are left out.
    fail_on_device_mismatch : bool
        Refuse outputs on a GPU in a data set that was made for the CPU (``with tf.device``), and the other way round.
    batch_size, num_threads, device_id, prefetch_queue_depth
        As of `Pipeline`.
    exec_separated : bool
        Take the larger one of `cpu_prefetch_queue_depth` and `gpu_prefetch_queue_depth` as the depth.
    exec_dynamic : bool
        Accepted without effect.
    dtypes, shapes
        Former names of `output_dtypes` and `output_shapes`.

    Raises
    ------
    DaliStudioError
        DS601 without TensorFlow, DS105 for arguments that do not fit, sources from the program among them. What is
        found while a batch is computed is raised by TensorFlow, with the same text.
    """
    found = sorted(sources(checked(pipeline)))
    if found:
        raise bad(
            "pipeline", f"The pipeline has an external_source ({', '.join(found)}); DALIDataset takes none.",
            "Call experimental.DALIDatasetWithInputs.",
        )  # fmt: skip
    tf = tensorflow()
    depth = max(cpu_prefetch_queue_depth, gpu_prefetch_queue_depth) if exec_separated else prefetch_queue_depth
    del exec_dynamic
    return dataset(
        tf, pipeline, renamed("dtypes", output_dtypes, dtypes), renamed("shapes", output_shapes, shapes),
        {"batch_size": batch_size, "num_threads": num_threads, "device_id": device_id, "prefetch_queue_depth": depth},
        fail_on_device_mismatch=fail_on_device_mismatch, inputs={},
    ).apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))  # fmt: skip


def dataset(
    tf: Any, pipeline: Pipeline, output_dtypes: Any, output_shapes: Any, options: Mapping[str, Any], *,
    fail_on_device_mismatch: bool, inputs: Mapping[str, Mapping[str, Any]],
) -> Any:  # fmt: skip
    """The data set; `inputs` are arguments of external sources in place of their own."""
    types = types_of(tf, output_dtypes)
    if pipeline.num_outputs != len(types):
        raise bad(
            "output_dtypes", f"output_dtypes has {len(types)} types; the pipeline has {pipeline.num_outputs} outputs.",
            "Give a tuple with the type of each output.",
        )  # fmt: skip
    shapes = _shapes(tf, output_shapes, len(types), several=isinstance(output_dtypes, tuple))
    specs: list[Any] = [tf.TensorSpec(*each) for each in zip(shapes, types, strict=True)]
    device = _device()
    shared = shared_outputs(pipeline)

    def batches() -> Iterator[tuple[NDArray[Any], ...]]:
        made = remade(pipeline, options, inputs)
        try:
            while True:
                try:
                    outputs = made.run()
                except StopIteration:
                    return
                _check_devices(outputs, "GPU" in device, fail_on_device_mismatch)
                yield arrays(outputs, shared, specs, options["batch_size"])
        finally:
            made.release()

    with tf.device("/cpu:0"):
        made = tf.data.Dataset.from_generator(batches, output_signature=tuple(specs))
    return made.apply(tf.data.experimental.copy_to_device(device)) if "GPU" in device else made


def remade(
    pipeline: Pipeline, options: Mapping[str, Any], inputs: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> Pipeline:  # fmt: skip
    """A pipeline of the same definition with other options, and other sources behind external sources."""
    graph = pipeline.graph
    graph.options = msgspec.structs.replace(graph.options, **options)
    for key, given in inputs.items():
        node = graph.node(key)
        arguments = {**node.arguments, **{name: value for name, value in given.items() if name != "source"}}
        objects = {**node.objects, "source": given["source"]}
        graph.replace_node(dataclasses.replace(node, arguments=arguments, objects=objects))
    return pipeline.remade(graph)


def arrays(
    outputs: Sequence[TensorListCPU | TensorListGPU], shared: Sequence[bool], specs: Sequence[Any], batch_size: int
) -> tuple[NDArray[Any], ...]:
    """Outputs as TensorFlow takes them, of the types and shapes that were promised; copies of what is `shared`.

    Raises
    ------
    DaliStudioError
        DS304 for samples that differ in shape, DS203 for another type or shape.
    """
    made = (_array(number, outputs[number], spec, batch_size) for number, spec in enumerate(specs))
    return tuple(np.array(one) if copied else one for one, copied in zip(made, shared, strict=True))


def _array(number: int, batch: TensorListCPU | TensorListGPU, spec: Any, batch_size: int) -> NDArray[Any]:
    name = f"output {number}"
    check_dense(name, batch, "TensorFlow")
    given = to_numpy(batch.dtype)
    if given != spec.dtype.as_numpy_dtype:
        raise DaliStudioError(
            Diagnostic(
                code="DS203", argument="output_dtypes",
                message=f"Output {number} is {short_name(batch.dtype)}; output_dtypes says {spec.dtype.name}.",
                hint="Change output_dtypes, or cast the output in the pipeline.",
            )
        )  # fmt: skip
    made = batch.as_cpu().as_array()
    fitted = _fitted(spec.shape, made.shape, batch_size)
    if fitted is None:
        raise DaliStudioError(
            Diagnostic(
                code="DS203", argument="output_shapes",
                message=f"Output {number} has the shape {made.shape}; output_shapes says {spec.shape}"
                f", and batch_size is {batch_size}.",
                hint="Change output_shapes; None is any extent, and axes of one element may be left out.",
            )
        )  # fmt: skip
    return made.reshape(fitted)


def _fitted(wanted: Any, given: tuple[int, ...], batch_size: int) -> Sequence[int] | None:
    """`given` without axes of one element, so that it is as `wanted`; ``None`` unless there is one way to do so."""
    if wanted.is_compatible_with(given):
        return given
    extents = wanted.as_list()
    if len(extents) >= len(given):
        return None
    if batch_size != 1 and (given[0] != batch_size or not extents or extents[0] not in (None, batch_size)):
        return None
    if wanted.num_elements() == math.prod(given) == 1:
        return extents
    ways = _ways(extents, given)
    return ways[0] if len(ways) == 1 else None


def _ways(wanted: list[int | None], given: tuple[int, ...]) -> list[tuple[int, ...]]:
    if not given:
        return [] if wanted else [()]
    first, *rest = given
    skipping = _ways(wanted, tuple(rest)) if first == 1 else []
    if not wanted or wanted[0] not in (None, first):
        return skipping
    return [(first, *way) for way in _ways(wanted[1:], tuple(rest))] + skipping


def _check_devices(outputs: Sequence[TensorListCPU | TensorListGPU], on_gpu: bool, fails: bool) -> None:
    for number, batch in enumerate(outputs):
        if fails and isinstance(batch, TensorListGPU) != on_gpu:
            there, here = ("CPU", "GPU") if on_gpu else ("GPU", "CPU")
            raise DaliStudioError(
                Diagnostic(
                    code="DS304", argument="fail_on_device_mismatch",
                    message=f"Output {number} lies on the {there}; the data set was made for the {here}.",
                    hint=f"Make it within tf.device('/{there.lower()}:0'), or give fail_on_device_mismatch=False.",
                )
            )  # fmt: skip


def _device() -> str:
    """The device that ``with tf.device`` asks for, or an empty text."""
    context = importlib.import_module("tensorflow.python.eager.context")  # the public API does not say
    return str(context.context().device_name or "")


def checked(given: Any) -> Pipeline:
    """What is given for `pipeline` (DS105 for anything else)."""
    if isinstance(given, Pipeline):
        return given
    raise bad(
        "pipeline", f"{type(given).__name__} is no pipeline.",
        "Give what a function decorated by pipeline_def returns when it is called.",
    )  # fmt: skip


def sources(pipeline: Pipeline) -> dict[str, Node]:
    """The external sources of the pipeline."""
    graph = pipeline.graph
    return {key: graph.node(key) for key in graph if graph.node(key).operator == "external_source"}


def renamed(name: str, given: Any, former: Any) -> Any:
    """What is given for an argument, under its name or the former one."""
    if former is None:
        return given
    if given is not None:
        raise bad(name, f"{name} and output_{name} are both given.", f"Take {name} away.")
    warnings.warn(f"{name} is deprecated; give output_{name}.", UserWarning, stacklevel=3)
    return tuple(cast("list[Any]", former)) if isinstance(former, list) else former


def types_of(tf: Any, given: Any) -> tuple[Any, ...]:
    """The types of the outputs."""
    types = cast("tuple[Any, ...]", given) if isinstance(given, tuple) else (given,)
    if all(isinstance(one, tf.DType) for one in types):
        return types
    raise bad(
        "output_dtypes", f"output_dtypes is {given!r}; a tf.DType or a tuple of them is accepted.",
        "Give a tuple such as (tf.float32, tf.int32).",
    )  # fmt: skip


def _shapes(tf: Any, given: Any, count: int, *, several: bool) -> list[Any]:
    if given is None:
        return [tf.TensorShape(None)] * count
    shapes = list(given) if several else [given]
    if len(shapes) != count:
        raise bad("output_shapes", f"output_shapes has {len(shapes)} shapes, output_dtypes {count} types.",
                  "Give a tuple with the shape of each output, or None.")  # fmt: skip
    return [tf.TensorShape(one) for one in shapes]

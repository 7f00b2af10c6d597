"""The functions of dynamic mode, made from the registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from dali_studio.api.default import default_registry
from dali_studio.api.dynamic.arrays import converted, exports_memory
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.device import Device, DeviceLike
from dali_studio.api.dynamic.device import device as device_of
from dali_studio.api.dynamic.dtype import DType, storable
from dali_studio.api.dynamic.invocation import call, frozen
from dali_studio.api.dynamic.rng import stream_from
from dali_studio.api.dynamic.tensor import Tensor, as_tensor
from dali_studio.api.dynamic.values import Value, batch_size_of, wrap
from dali_studio.api.reference import signature_doc
from dali_studio.api.tracing import DataNode, trace_operator
from dali_studio.core.dtypes import ENUMERATIONS
from dali_studio.core.enums import DALIDataType
from dali_studio.core.tensors import TensorListCPU
from dali_studio.core.tensors_gpu import TensorListGPU
from dali_studio.schema.model import ArgumentSchema, OperatorSchema
from dali_studio.schema.values import wire_dtype

_CONSTANTS = (bool, int, float, str)


def offered(schema: OperatorSchema) -> bool:
    """Whether dynamic mode has an operator: there are no nodes to split, to merge, or to feed."""
    hidden = schema.role in ("constant", "external_source", "split", "merge") or schema.name.startswith("_")
    return not hidden and not schema.deprecated and not any(one.type == "object" for one in schema.arguments)


def function_for(schema: OperatorSchema) -> Callable[..., Any]:
    """The function of an operator."""
    arguments = {argument.name: argument for argument in schema.arguments}

    def function(*inputs: Any, batch_size: int | None = None, device: Any = None, rng: Any = None, **given: Any) -> Any:
        values = [value_of(one) for one in inputs if one is not None]
        constants, wires = sorted_arguments(arguments, given)
        size = batch_size_of([*values, *wires.values()]) if batch_size is None else batch_size
        stream = None
        if schema.seeded:
            if "seed" in given:
                raise TypeError(f"{schema.name} has no argument seed here; give rng=random.RNG(seed).")
            stream = stream_from(rng)
        elif rng is not None:
            raise TypeError(f"{schema.name} draws no random numbers; leave rng away.")
        return called(schema, values, constants, wires, size, stream, device)

    function.__name__ = function.__qualname__ = schema.name.rpartition(".")[2]
    function.__doc__ = signature_doc(schema).replace("DataNode", "Tensor or Batch")
    vars(function)["__signature__"] = _signature(schema)
    return function


def _signature(schema: OperatorSchema) -> inspect.Signature:
    kinds = inspect.Parameter
    taken = {argument.name for argument in schema.arguments}  # an input may be called as an argument is
    inputs = [
        kinds(name, kinds.VAR_POSITIONAL)
        if entry.repeated is not None
        else kinds(name, kinds.POSITIONAL_ONLY, default=None if entry.optional else kinds.empty)
        for entry in schema.inputs
        for name in [f"{entry.name}_input" if entry.name in taken else entry.name]
    ]
    words = ["batch_size", "device", *(["rng"] if schema.seeded else [])]
    keywords = {argument.name: kinds.empty if argument.required else None for argument in schema.arguments
                if argument.support != "refused" and argument.name != "seed"}  # fmt: skip
    return inspect.Signature(
        [*inputs, *(kinds(name, kinds.KEYWORD_ONLY, default=None) for name in words),
         *(kinds(name, kinds.KEYWORD_ONLY, default=default) for name, default in keywords.items())]
    )  # fmt: skip


def value_of(given: Any) -> Value:
    """An input as a tensor or a batch."""
    if isinstance(given, Value):
        return given
    return Batch(given) if isinstance(given, TensorListCPU | TensorListGPU) else as_tensor(given)


def sorted_arguments(
    arguments: Mapping[str, ArgumentSchema], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Value]]:
    """Constants, and what is fed by tensors and batches, in the type that the argument takes, on the CPU."""
    constants: dict[str, Any] = {}
    wires: dict[str, Value] = {}
    for name, value in given.items():
        if value is None:
            continue
        if type(value) in _CONSTANTS:
            constants[name] = value
        elif isinstance(value, Value | TensorListCPU | TensorListGPU) or (exports_memory(value) and not _scalar(value)):
            argument = arguments.get(name)
            one = value_of(value).cpu()
            if argument is not None and not argument.tensor and isinstance(one, Tensor):
                constants[name] = one.array.tolist()
            else:
                wires[name] = one if argument is None else _typed(one, wire_dtype(argument))
        else:
            constants[name] = _constant(value)
    return constants, wires


def _scalar(value: Any) -> bool:
    return isinstance(value, np.generic)


def _constant(value: Any) -> Any:
    """A constant as operators know it."""
    if isinstance(value, DType):
        return value.type_id
    if isinstance(value, Device):
        return value.device_type
    if isinstance(value, np.generic):
        return cast(Any, value).item()
    if isinstance(value, list | tuple):
        return [_constant(one) for one in cast("Sequence[Any]", value)]
    named = {bool: DALIDataType.BOOL, str: DALIDataType.STRING}
    if isinstance(value, type) and value in (*named, int, float):
        if value not in named:
            raise ValueError(f"{value.__name__} has no size; give int32, float32 or the like.")
        return named[value]
    return cast(Any, value)


def _typed(value: Value, wanted: DALIDataType | None) -> Value:
    if wanted is None or value.meta.dtype == wanted:
        return value
    if isinstance(value, Tensor) and wanted not in ENUMERATIONS:
        array = converted(value.array, wanted)
        if array is not None:
            return as_tensor(array, layout=value.layout)
    return cast_to(value, wanted)


def called(
    schema: OperatorSchema, values: Sequence[Value], constants: Mapping[str, Any], wires: Mapping[str, Value],
    batch_size: int | None, stream: tuple[int, int, int] | None = None, device: DeviceLike | None = None,
) -> Any:  # fmt: skip
    """Call an operator; where no device is given, on the first GPU on which an input lies, or else on the CPU."""
    count = len(values)
    names = tuple(wires)
    backend, device_id = _placed(schema, values, device)
    if backend != "cpu" or any(one.device_id is not None for one in values):
        values = [_at_hand(schema, i, one, backend, device_id) for i, one in enumerate(values)]
    key = (schema.name, backend, count, names, tuple([(name, frozen(one)) for name, one in constants.items()]))
    named = [(schema.input_name(i), one) for i, one in enumerate(values)]

    def build(nodes: Sequence[DataNode]) -> Any:
        arguments = {**constants, **dict(zip(names, nodes[count:], strict=True)), "device": backend}
        return trace_operator(schema.name, nodes[:count], arguments)

    return wrap(call(key, build, [*named, *wires.items()], batch_size, stream, device_id))


def _placed(
    schema: OperatorSchema, values: Sequence[Value], device: DeviceLike | None
) -> tuple[str, int | None]:  # fmt: skip
    """The backend of an operator, and the GPU that it runs on, by nvidia.dali's rules.

    A decoder that runs on a GPU is one of the device "mixed".
    """
    wanted: Device | None = device_of(device)
    found = wanted or next((one.device for one in values if one.device_id is not None), Device.CPU)
    backend = found.device_type
    if backend == "gpu" and backend not in schema.devices:
        if "mixed" in schema.devices:
            backend = "mixed"
        elif wanted is None:  # what has no kernel of the GPU runs on the CPU
            return "cpu", None
    return backend, found.device_id


def _at_hand(schema: OperatorSchema, index: int, value: Value, backend: str, device_id: int | None) -> Value:
    """An input where the operator reads it."""
    declared = schema.input(index)
    if declared is not None and (declared.shape_only or (declared.either_device and backend == "gpu")):
        return value
    return value.to_device(Device("gpu", device_id) if backend == "gpu" else Device.CPU)


@cache
def _schema(name: str) -> OperatorSchema:
    return default_registry().schema(name)


def cast_to(value: Any, dtype: Any) -> Any:
    """The numbers of a tensor or batch in another type, rounded and cut as ``cast`` does."""
    return called(_schema("cast"), [value], {"dtype": storable(dtype)}, {}, batch_size_of([value]))


def padded(value: Batch) -> Batch:
    """The samples of a batch filled with zeros up to one shape."""
    return called(_schema("pad"), [value], {}, {}, value.batch_size)


def imread(filepaths: Any, /, *, device: Any = "cpu", **options: Any) -> Any:
    """Read and decode pictures.

    Parameters
    ----------
    filepaths : path, list of paths, Tensor or Batch
        A list gives a batch. Tensors hold the bytes of a path.
    device : str
        Where it is decoded.
    **options
        Arguments of ``decoders.image``.

    Returns
    -------
    Tensor or Batch
    """
    if isinstance(filepaths, Value):
        paths: Value = filepaths
    elif isinstance(filepaths, list | tuple):
        items = cast("Sequence[Any]", filepaths)
        paths = Batch([one if isinstance(one, Tensor) else _bytes_of(one) for one in items])
    else:
        paths = _bytes_of(filepaths)
    size = batch_size_of([paths])
    files = called(_schema("io.file.read"), [paths], {}, {}, size)
    constants, _ = sorted_arguments({}, options)
    return called(_schema("decoders.image"), [files], constants, {}, size, None, device)


def _bytes_of(path: Any) -> Tensor:
    return as_tensor(np.frombuffer(str(path).encode(), np.uint8).copy())

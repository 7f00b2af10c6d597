"""Cases in dynamic mode, under both import prefixes."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
from peers import OURS, THEIRS, Output
from subjects import BATCH, Subject, path, samples

from dali_studio.api.dynamic.functions import offered
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.schema.samples import Data, Folder
from dali_studio.schema.values import ENUMS

#: Of the generator that random operators draw from.
SEED = 0x1234_5678_9ABC_DEF0


def module(prefix: str) -> Any:
    """The module under an import prefix."""
    return importlib.import_module(f"{prefix}.experimental.dynamic")


def found(name: str, prefix: str) -> Any:
    """The function of an operator; ``None`` where there is none."""
    one: Any = module(prefix)
    for part in name.split("."):
        one = getattr(one, part, None)
    return one


def tried(subject: Subject) -> bool:
    """Whether dynamic mode has a function for the case: readers are classes."""
    schema = subject.schema
    return schema.role in ("arithmetic", "subscript") or (offered(schema) and schema.role != "reader")


def has_peer(subject: Subject) -> bool:
    """Whether nvidia.dali has it, too."""
    return subject.peer and (subject.schema.role in ("arithmetic", "subscript") or found(subject.operator, THEIRS) is not None)


def computed(subject: Subject, prefix: str = OURS, *, alone: int | None = None, device: str = "cpu") -> list[Output]:
    """The results of a call on the batches of a case, or on the tensors of the sample `alone`, on a device."""
    ndd, case = module(prefix), subject.case
    given = dict(case.arguments)
    seed = given.pop("seed", SEED) if subject.schema.seeded else None
    inputs = [_value(ndd, data, alone).to_device(device) for data in case.inputs]
    words = {name: _argument(prefix, subject, name, value, alone) for name, value in given.items()}
    if seed is not None:
        words["rng"] = ndd.random.RNG(seed=seed)
    fed = [data for data in (*case.inputs, *given.values()) if isinstance(data, Data)]
    if alone is None and not fed:
        words["batch_size"] = BATCH
    if device != "cpu" and not inputs:
        words["device"] = device
    made = _called(prefix, subject, inputs, words)
    return [_output(ndd, one, alone) for one in (made if isinstance(made, tuple | list) else [made])]


def _called(prefix: str, subject: Subject, inputs: list[Any], words: dict[str, Any]) -> Any:
    ndd = module(prefix)
    if subject.schema.role == "arithmetic":
        kinds = {kind.name: functools.partial(_typed, ndd, kind) for kind in NUMERIC}
        functions = {name: one for name, one in vars(ndd.math).items() if callable(one) and not name.startswith("_")}
        return eval(words["expression"], {**functions, **kinds, **dict(zip("abc", inputs, strict=False))})
    if subject.schema.role == "subscript":
        many = ".slice" if hasattr(inputs[0], "slice") else ""
        return eval(f"data{many}[{words['index']}]", {"data": inputs[0], **words})
    return found(subject.operator, prefix)(*inputs, **words)


def _typed(ndd: Any, kind: Any, value: Any) -> Any:
    return ndd.as_tensor(np.array(value, to_numpy(kind)))


def _value(ndd: Any, data: Data, alone: int | None) -> Any:
    whole, layout = samples(data), data.layout or None
    return ndd.as_batch(whole, layout=layout) if alone is None else ndd.as_tensor(whole[alone], layout=layout)


def _argument(prefix: str, subject: Subject, name: str, value: Any, alone: int | None) -> Any:
    types = importlib.import_module(f"{prefix}.types")
    argument = subject.schema.argument(name)
    if isinstance(value, Data):
        return _value(module(prefix), value, alone)
    if isinstance(value, Folder):
        return str(path(value))
    if isinstance(value, tuple):
        return [_argument(prefix, subject, name, item, alone) for item in value]
    if argument is not None and argument.type in ENUMS and isinstance(value, str):
        return getattr(types, value, value)
    return value


def _output(ndd: Any, value: Any, alone: int | None) -> Output:
    value, dtype = value.cpu(), str(value.dtype)
    members = dtype in ("DataType", "ImageType", "InterpType")
    if members:  # nvidia.dali shows them as numbers alone
        value = ndd.cast(value, dtype=ndd.int64)
    tensors = [value] if alone is not None else list(value.tensors)
    arrays = [np.array(one).astype(np.uint32) if members else np.array(one) for one in tensors]
    return Output(dtype, value.layout or "", arrays)

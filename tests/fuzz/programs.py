"""The pipelines that cases run, written once for both import prefixes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Member:
    """A member of an enumeration of the module ``types``: ``Member("FLOAT")``."""

    name: str


@dataclass(frozen=True)
class Call:
    """One operator with its data.

    Attributes
    ----------
    operator : str
        Path under ``fn``.
    arguments : mapping
        By name; a `Member` stands for the member of that name, an array of shape (samples, ...) for a wire.
    batch : sequence of arrays, optional
        Its first input.
    layout : str
        Of `batch`.
    """

    operator: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    batch: Sequence[Array] | None = None
    layout: str = ""


def _modules(prefix: str) -> tuple[Any, Any, Any]:
    return tuple(importlib.import_module(name) for name in (prefix, f"{prefix}.fn", f"{prefix}.types"))


def decoder(prefix: str, call: Call, batch_size: int) -> Any:
    """A pipeline that decodes what is fed to its source ``files``."""
    package, fn, types = _modules(prefix)
    pipe = package.Pipeline(batch_size=batch_size, num_threads=1, device_id=None, seed=7, prefetch_queue_depth=1)
    with pipe:
        files = fn.external_source(name="files", ndim=1, dtype=types.UINT8)
        pipe.set_outputs(_function(fn, call.operator)(files, **_given(types, call.arguments)))
    pipe.build()
    return pipe


def run(prefix: str, call: Call) -> list[list[Array]]:
    """The outputs of one iteration, as arrays by output and sample."""
    package, fn, types = _modules(prefix)
    wired = [value for value in call.arguments.values() if isinstance(value, np.ndarray)]
    size = len(call.batch) if call.batch is not None else len(wired[0]) if wired else 3
    pipe = package.Pipeline(batch_size=size, num_threads=1, device_id=None, seed=7, prefetch_queue_depth=1)
    with pipe:
        arguments = {
            name: fn.external_source(source=lambda rows=list(value): rows) if isinstance(value, np.ndarray) else value
            for name, value in _given(types, call.arguments).items()
        }
        inputs = []
        if call.batch is not None:
            batch, layout = list(call.batch), {"layout": call.layout} if call.layout else {}
            inputs = [fn.external_source(source=lambda: batch, **layout)]
        made = _function(fn, call.operator)(*inputs, **arguments)
        pipe.set_outputs(*(made if isinstance(made, list | tuple) else (made,)))
    pipe.build()
    return arrays(pipe.run())


class TooLargeError(Exception):
    """A result has no room beside its copy: the search's own limit, nobody's fault."""


def arrays(outputs: Sequence[Any]) -> list[list[Array]]:
    """Copies of what an iteration returned; raises `TooLargeError`."""
    try:
        return [[np.array(batch.at(i)) for i in range(len(batch))] for batch in outputs]
    except MemoryError as error:
        raise TooLargeError("the result is too large to be copied") from error


def _function(fn: Any, path: str) -> Any:
    for part in path.split("."):
        fn = getattr(fn, part)
    return fn


def _given(types: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: getattr(types, value.name) if isinstance(value, Member) else value for name, value in arguments.items()}

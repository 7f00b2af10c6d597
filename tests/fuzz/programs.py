"""The pipelines that cases run, written once for both import prefixes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from members import as_numbers

Array = np.ndarray[Any, Any]
#: Their squares are beyond single floats.
_HUGE = 1e18


@dataclass(frozen=True)
class Member:
    """A member of an enumeration of the module ``types``: ``Member("FLOAT")``."""

    name: str


@dataclass(frozen=True)
class Fed:
    """A batch on a wire, for an input or an argument."""

    samples: Sequence[Array]
    layout: str = ""

    def __repr__(self) -> str:
        told = " ".join(f"{item.dtype}{list(item.shape)}{item.ravel()[:3].tolist()}" for item in self.samples)
        odd = any(item.dtype.kind == "f" and not (np.abs(item.astype(np.float64)) < _HUGE).all() for item in self.samples)
        return f"<{told}{f' {self.layout!r}' if self.layout else ''}{' not finite' if odd else ''}>"


@dataclass(frozen=True)
class Call:
    """One operator with its data.

    Attributes
    ----------
    operator : str
        Path under ``fn``.
    arguments : mapping
        By name; a `Member` stands for the member of that name, a `Fed` for a wire, also as an item of a list.
    inputs : sequence of Fed
    branch : sequence of bool, optional
        Which samples come to the operator, as in a branch of an ``if``; ``None``: all, without a condition.
    iterations : int
    """

    operator: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    inputs: Sequence[Fed] = ()
    branch: Sequence[bool] | None = None
    iterations: int = 1

    def fed(self) -> Iterator[Fed]:
        """All batches that it is given."""
        yield from self.inputs
        for value in self.arguments.values():
            yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Fed))


def _modules(prefix: str) -> tuple[Any, Any, Any]:
    return tuple(importlib.import_module(name) for name in (prefix, f"{prefix}.fn", f"{prefix}.types"))


def decoder(prefix: str, call: Call, batch_size: int) -> Any:
    """A pipeline that decodes what is fed to its source ``files``."""
    package, fn, types = _modules(prefix)
    pipe = package.Pipeline(batch_size=batch_size, num_threads=1, device_id=None, seed=7, prefetch_queue_depth=1)
    with pipe:
        files = fn.external_source(name="files", ndim=1, dtype=types.UINT8)
        pipe.set_outputs(_function(fn, call.operator)(files, **{name: _value(types, value) for name, value in call.arguments.items()}))
    pipe.build()
    return pipe


def run(prefix: str, call: Call) -> list[list[Array]]:
    """The outputs of the iterations, as arrays by output and sample."""
    package, fn, types = _modules(prefix)
    sizes = [len(batch.samples) for batch in call.fed()]
    pipe = package.Pipeline(batch_size=max(sizes, default=3), num_threads=1, device_id=None, seed=7, prefetch_queue_depth=1)
    with pipe:
        taken = [np.array(is_taken) for is_taken in call.branch or ()]
        predicate = fn.external_source(source=_source_of(taken)) if taken else None

        def wired(value: Any) -> Any:
            if isinstance(value, list):
                return [wired(item) for item in value]
            if not isinstance(value, Fed):
                return _value(types, value)
            layout = {"layout": value.layout} if value.layout else {}
            source = fn.external_source(source=_source_of(list(value.samples)), **layout)
            return source if predicate is None else fn._conditional.split(source, predicate=predicate)[0]

        inputs = [wired(batch) for batch in call.inputs]
        made = _function(fn, call.operator)(*inputs, **{name: wired(value) for name, value in call.arguments.items()})
        pipe.set_outputs(*(made if isinstance(made, list | tuple) else (made,)))
    try:
        pipe.build()
        return [output for _ in range(call.iterations) for output in arrays(pipe.run())]
    finally:
        if (engine := getattr(pipe, "_engine", None)) is not None:
            engine.close()  # readers go on in threads otherwise


def _source_of(rows: list[Array]) -> Callable[[], list[Array]]:
    """A function without arguments, as both take it: any argument, also with a default, would get the iteration."""
    return lambda: rows


class TooLargeError(Exception):
    """A result has no room beside its copy: the search's own limit, nobody's fault."""


def arrays(outputs: Sequence[Any]) -> list[list[Array]]:
    """Copies of what an iteration returned; raises `TooLargeError`."""
    try:
        return [[np.array(batch.at(i)) for i in range(len(batch))] for batch in map(as_numbers, outputs)]
    except MemoryError as error:
        raise TooLargeError("the result is too large to be copied") from error


def _function(fn: Any, path: str) -> Any:
    for part in path.split("."):
        fn = getattr(fn, part)
    return fn


def _value(types: Any, value: Any) -> Any:
    return getattr(types, value.name) if isinstance(value, Member) else value

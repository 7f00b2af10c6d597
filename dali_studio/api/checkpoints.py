"""Checkpoints: where a pipeline stands, as bytes, and whether they fit another one.

Everything that a run gives follows from the graph, the seed and the place in the run: readers find their place by
arithmetic, random numbers are addressed. So a checkpoint is a place, what tells one graph from another, and what
operators save that know more (`Operator.save`).
"""

from __future__ import annotations

import base64
import warnings
from collections.abc import Mapping
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from dali_studio.api.source_arguments import argument_count, is_iterable
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry

FORMAT, VERSION = "dali_studio.checkpoint", 1
_ARRAY = "__array__"


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a run.

    Attributes
    ----------
    iteration, samples : int
        How many iterations, and samples, lie before it.
    epoch, epoch_iteration : int
        The same place as external sources count: epochs end where their data did.
    """

    iteration: int = 0
    samples: int = 0
    epoch: int = 0
    epoch_iteration: int = 0

    def advanced(self, samples: int) -> Position:
        """Behind one more iteration."""
        return Position(
            iteration=self.iteration + 1, samples=self.samples + samples, epoch=self.epoch,
            epoch_iteration=self.epoch_iteration + 1,
        )  # fmt: skip

    def next_epoch(self) -> Position:
        """The same place, at which an epoch begins."""
        return Position(iteration=self.iteration, samples=self.samples, epoch=self.epoch + 1)


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What a place alone does not tell of operators, by node.

    Attributes
    ----------
    draws : dict
        For how many samples random operators in branches have drawn.
    saved : dict
        What operators have saved.
    """

    draws: dict[str, int] = {}
    saved: dict[str, dict[str, Any]] = {}


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """A node, as far as it decides what a run gives.

    Attributes
    ----------
    operator : str
    inputs : dict
        Ports, by position or argument.
    arguments : dict
        Numbers and switches of operators that have a state or draw random numbers. Paths may change: data moves.
    epoch_size : int
        Samples of the data set, for readers.
    """

    operator: str
    inputs: dict[str, str] = {}
    arguments: dict[str, Any] = {}
    epoch_size: int | None = None


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the run of a pipeline, as the next iteration finds it.

    Attributes
    ----------
    batch_size, seed : int
    operations : dict
        What is computed, by node.
    outputs : list
        Ports.
    iterator : dict or None
        What an iterator adds (`plugin.base_iterator`).
    """

    format: str = FORMAT
    version: int = VERSION
    position: Position
    state: State
    batch_size: int
    seed: int
    operations: dict[str, Operation]
    outputs: list[str]
    iterator: dict[str, Any] | None = None

    def encode(self) -> bytes:
        """As JSON."""
        return msgspec.json.encode(self, enc_hook=_encoded)


def decode(data: Any) -> Checkpoint:
    """Read what `Checkpoint.encode` gave.

    Raises
    ------
    DaliStudioError
        DS105 for what is no checkpoint, DS402 for one of a newer version.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        hint = "Give what Pipeline.checkpoint() returned, or the contents of its file: open(path, 'rb').read()."
        raise _error("DS105", f"checkpoint is a {type(data).__name__}; bytes are accepted.", hint)
    hint = "Give the bytes that Pipeline.checkpoint() or an iterator's checkpoints() gave."
    data = bytes(cast(bytes, data))
    try:
        head = msgspec.json.decode(data, type=_Head)
    except msgspec.DecodeError as error:
        raise _error("DS105", f"The checkpoint cannot be read: {error}.", hint) from error
    if head.format != FORMAT:
        raise _error("DS105", f"The bytes are no checkpoint of dali_studio: their format is {head.format!r}.", hint)
    if head.version > VERSION:
        raise _error(
            "DS402", f"The checkpoint has version {head.version}; this dali_studio reads versions up to {VERSION}.",
            "Resume with the version of dali_studio that made it, or a later one.",
        )  # fmt: skip
    try:
        found = msgspec.json.decode(data, type=Checkpoint)
        saved = {node: _restored(values) for node, values in found.state.saved.items()}
    except (msgspec.DecodeError, ValueError, TypeError, KeyError) as error:
        raise _error("DS105", f"The checkpoint cannot be read: {error}.", hint) from error
    return msgspec.structs.replace(found, state=State(draws=found.state.draws, saved=saved))


class _Head(msgspec.Struct):
    format: str
    version: int


def operations_of(graph: Graph, registry: Registry, metas: Mapping[str, Mapping[str, int]]) -> dict[str, Operation]:
    """What a graph computes; `metas` are those of its readers."""
    found: dict[str, Operation] = {}
    live = graph.reachable(registry=registry)
    for key in graph.order():
        if key not in live:
            continue
        node, schema = graph.node(key), registry.schema(graph.node(key).operator)
        ports = {str(i): port for i, port in enumerate(graph.inputs(key)) if port is not None}
        ports.update(graph.argument_inputs(key))
        given: dict[str, Any] = {}
        if schema.stateful or schema.seeded:
            for name, value in sorted(node.arguments.items()):
                argument = schema.argument(name)
                if argument is None or argument.support != "used" or "string" in argument.type:
                    continue
                if value != argument.default:  # a default that is written out is none that counts
                    given[name] = list(value) if isinstance(value, tuple) else value
        size = metas[key]["epoch_size"] if key in metas else None
        inputs = {name: f"{port.node}[{port.output}]" for name, port in ports.items()}
        found[key] = Operation(operator=node.operator, inputs=inputs, arguments=given, epoch_size=size)
    return found


def check_fits(checkpoint: Checkpoint, made: Checkpoint) -> None:
    """Refuse a checkpoint of another pipeline; `made` is one of this pipeline.

    Raises
    ------
    DaliStudioError
        DS304; it says what differs.
    """
    found = _difference(checkpoint, made)
    if found:
        node, what = found
        raise DaliStudioError(
            Diagnostic(
                code="DS304", message=f"The checkpoint is of another pipeline: {what}.", node=node,
                argument="checkpoint", hint="Define the pipeline as it was when the checkpoint was made.",
            )
        )  # fmt: skip


def _difference(old: Checkpoint, new: Checkpoint) -> tuple[str, str] | None:
    """The node that differs first, if it is a node, and how."""
    if old.batch_size != new.batch_size:
        return "", f"its batch_size is {old.batch_size}, here it is {new.batch_size}"
    for key in [*old.operations, *new.operations]:
        before, now = old.operations.get(key), new.operations.get(key)
        if before is None:
            return key, f"it has no operator {key}"
        if now is None:
            return key, f"it has an operator {key} ({before.operator}), which is missing here"
        if before.operator != now.operator:
            return key, f"{key} is {before.operator} in it, and {now.operator} here"
        for name in sorted({*before.inputs, *now.inputs}):
            one, other = before.inputs.get(name, "nothing"), now.inputs.get(name, "nothing")
            if one != other:
                which = f"input {name}" if name.isdigit() else name
                return key, f"{which} of {key} is fed by {one} in it, and by {other} here"
        for name in sorted({*before.arguments, *now.arguments}):
            one, other = (which.arguments.get(name, "unset") for which in (before, now))
            if one != other:
                return key, f"{name} of {key} is {one} in it, and {other} here"
        if before.epoch_size != now.epoch_size:
            return key, f"{key} read a data set of {before.epoch_size} samples, here there are {now.epoch_size}"
    if old.outputs != new.outputs:
        return "", f"its outputs are {', '.join(old.outputs)}, here they are {', '.join(new.outputs)}"
    return None


def warn_of_sources(graph: Graph, registry: Registry) -> None:
    """Warn of external sources whose place in their data nobody knows but they themselves."""
    for key in sorted(graph.reachable(registry=registry)):
        source: Any = graph.node(key).objects.get("source")
        if registry.schema(graph.node(key).operator).role != "external_source" or source is None:
            continue
        if is_iterable(source) or not argument_count(source):
            what = "an iterable" if is_iterable(source) else "a callable without parameters"
            warnings.warn(
                f"enable_checkpointing: the source of {key} is {what}, the state of which is not part of checkpoints. "
                "Bring it to the right place yourself when a checkpoint is restored, or give a callable that takes "
                "the number of the iteration, a BatchInfo or a SampleInfo.",
                UserWarning, stacklevel=6,
            )  # fmt: skip


def _encoded(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        data = base64.b64encode(array.tobytes()).decode()
        return {_ARRAY: array.dtype.str, "shape": list(array.shape), "data": data}
    if isinstance(value, np.generic):
        return cast(Any, value).item()
    raise TypeError(f"an operator saved a {type(value).__name__}; plain values and arrays are accepted")


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        items: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        if _ARRAY in items:
            flat = np.frombuffer(base64.b64decode(items["data"]), np.dtype(items[_ARRAY]))
            return flat.reshape(items["shape"]).copy()
        return {key: _restored(inner) for key, inner in items.items()}
    if isinstance(value, list):
        inner: list[Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        return [_restored(one) for one in inner]
    return value


def _error(code: str, message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code=code, message=message, hint=hint, argument="checkpoint"))

"""The readers of dynamic mode: classes whose objects are iterated."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec

from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.context import EvalContext
from dali_studio.api.dynamic.device import Device
from dali_studio.api.dynamic.device import device as device_of
from dali_studio.api.dynamic.functions import function_for, sorted_arguments
from dali_studio.api.dynamic.invocation import Invocation
from dali_studio.api.dynamic.plans import StepPlan
from dali_studio.api.dynamic.tensor import Tensor
from dali_studio.api.dynamic.values import Value, wrap
from dali_studio.api.reference import signature_doc
from dali_studio.api.tracing import DataNode, trace_operator
from dali_studio.schema.model import OperatorSchema

#: The ways to read; one reader is read in one of them.
_CALLS, _BATCHES, _SAMPLES = "calls", "batches", "samples"


_Size = Annotated[int, msgspec.Meta(ge=1)]


class _State(msgspec.Struct):
    """Where a reader is: what it has given, as pairs of a batch's size and how many of it came in a row."""

    operator: str
    shard: int
    batches: list[tuple[_Size, _Size]]


class ReaderState:
    """Where a reader is; ``str`` gives a text that `Reader.set_state` takes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"ReaderState({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return str(other) == self._text if isinstance(other, ReaderState | str) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)


class Reader:
    """Base of the readers.

    Parameters
    ----------
    max_batch_size : int, optional
        Size of the batches where `next_epoch` is told none.
    name : str, optional
        For messages.
    device : str
        Where its results lie.
    num_inputs : None
        Accepted without effect.
    enable_checkpointing : bool
        Let `get_state` tell where the reader is.
    **arguments
        Of the operator.
    """

    schema: ClassVar[OperatorSchema]

    def __init__(
        self, max_batch_size: int | None = None, name: str | None = None, device: Any = "cpu", num_inputs: Any = None,
        *, enable_checkpointing: bool = False, **arguments: Any,
    ) -> None:  # fmt: skip
        self._device: Device = device_of(device) or Device.CPU
        self._batch_size, self._name, self._checkpointing = max_batch_size, name, enable_checkpointing
        known = {argument.name: argument for argument in self.schema.arguments}
        self._constants, wires = sorted_arguments(known, arguments)
        for argument, value in wires.items():
            if isinstance(value, Batch):
                raise ValueError(f"{argument} is a batch; a reader is made with single values.")
            self._constants[argument] = value.cpu().held.samples[0].tolist()
        self._constants.setdefault("seed", -1)  # as there: without a seed, the order is the same in each run
        shards = {"num_shards": 1, "shard_id": 0, "stick_to_shard": False} | self._constants
        self._shards, self._shard, self._sticks = (shards[k] for k in ("num_shards", "shard_id", "stick_to_shard"))
        self._plan: StepPlan | None = None
        self._way = ""
        #: The samples of a batch, once the reader has begun.
        self._size: int | None = None
        self._last: Invocation | None = None
        self._pending: list[tuple[_Size, _Size]] | None = None

    # ------------------------------------------------------------------------------------------------------- reading

    def __call__(self, *, batch_size: int | None = None, **arguments: Any) -> Any:
        """The next sample, or the next batch if a size is given: one tensor or batch for each output.

        Parameters
        ----------
        batch_size : int, optional
        **arguments
            Per-sample arguments of the operator that were not given to the reader.
        """
        self._go(_CALLS)
        known = {argument.name: argument for argument in self.schema.arguments}
        constants, wires = sorted_arguments(known, arguments)
        for twice in {*constants, *wires} & {*self._constants}:
            raise ValueError(f"{twice} was given to the reader; a call cannot change it.")
        for name, value in constants.items():
            wires[name] = Tensor(value)
        return wrap(self._next(batch_size, wires))

    def next_epoch(self, batch_size: int | None = None, ctx: EvalContext | None = None, capture: bool = False) -> Any:
        """What the data set, or the shard, has until its end.

        Parameters
        ----------
        batch_size : int, optional
            Unset: that of the reader; if it has none either, single samples are given.
        ctx : EvalContext, optional
            What the reader runs with.
        capture : bool
            Accepted without effect: the loop is run as it is written.

        Returns
        -------
        iterator of tuple of Tensor or Batch
            To be read to its end before the next epoch begins. The last batch is filled with the samples that follow,
            as in pipelines.
        """
        size = self._batch_size if batch_size is None else batch_size
        return self._epoch(size, EvalContext.current() if ctx is None else ctx)

    def _epoch(self, batch_size: int | None, context: EvalContext) -> Iterator[tuple[Any, ...]]:
        self._go(_SAMPLES if batch_size is None else _BATCHES)
        size = batch_size or 1
        if self._size not in (None, size):
            raise ValueError(f"The reader has begun with batches of {self._size} samples; {size} are asked for now.")
        self._size = size
        with context:
            epoch = _share(self._opened({}).reader_meta()["epoch_size_padded"], self._shard, self._shards)
            for _ in range(0, epoch, size):
                made = wrap(self._next(batch_size, {}))
                yield made if isinstance(made, tuple) else (made,)
        if not self._sticks:
            self._shard = (self._shard + 1) % self._shards

    def _next(self, batch_size: int | None, wires: Mapping[str, Value]) -> Invocation:
        plan = self._opened(wires)
        self._last = Invocation(plan, list(wires.values()), batch_size, before=self._last)
        return self._last

    def _opened(self, wires: Mapping[str, Value]) -> StepPlan:
        if self._plan is None:
            names, schema = tuple(wires), self.schema

            def build(nodes: Sequence[DataNode]) -> Any:
                fed = dict(zip(names, nodes, strict=True))
                return trace_operator(
                    schema.name, (), {**self._constants, **fed, "name": self._name, "device": self._device.device_type}
                )

            inputs = [(name, value.meta) for name, value in wires.items()]
            context, device_id = EvalContext.current(), self._device.device_id
            self._plan = StepPlan(
                build, inputs, context.thread_pool.workers, checkpointing=self._checkpointing, device_id=device_id,
                stream=None if device_id is None else context.stream_of(device_id),
            )  # fmt: skip
            if self._pending is not None:
                self._plan.skip(self._pending)
        return self._plan

    def _go(self, way: str) -> None:
        if self._way not in ("", way):
            raise RuntimeError(f"The reader has been read by {self._way}; it cannot be read by {way} now.")
        self._way = way

    # ------------------------------------------------------------------------------------------------- questions

    def get_metadata(self, batch_size: int | None = None) -> dict[str, int]:
        """Sizes of the data set and its shards."""
        return dict(self._opened({}).reader_meta())

    def get_state(self, *, cuda_stream: Any = None) -> ReaderState:
        """Where the reader is, behind what it has given.

        Raises
        ------
        RuntimeError
            Before anything was read, and without ``enable_checkpointing=True``.
        """
        if not self._checkpointing:
            raise RuntimeError("The reader keeps no state; make it with enable_checkpointing=True.")
        if self._last is None or self._plan is None:
            raise RuntimeError("Nothing was read so far, so that there is no state; read first.")
        self._last.results()
        state = _State(operator=self.schema.name, shard=self._shard, batches=self._plan.batches())
        return ReaderState(base64.b64encode(msgspec.json.encode(state)).decode("ascii"))

    def set_state(self, state: Any) -> None:
        """Go where a reader was; before anything is read.

        Raises
        ------
        RuntimeError
            If something was read.
        TypeError, ValueError
            For what is no state of such a reader.
        """
        if not isinstance(state, ReaderState | str | bytes):
            raise TypeError(f"a {type(state).__name__} is no state of a reader; give that of get_state(), or its text")
        if self._last is not None:
            raise RuntimeError("The reader has begun; give the state to a new one.")
        text = state if isinstance(state, bytes) else str(state).encode("ascii")
        try:
            found = msgspec.json.decode(base64.b64decode(text, validate=True), type=_State)
        except (ValueError, msgspec.DecodeError) as error:
            raise ValueError("the text is no state of a reader; give what get_state() gave") from error
        if found.operator != self.schema.name or not 0 <= found.shard < self._shards:
            raise ValueError(
                f"the state is one of {found.operator}, shard {found.shard}; the reader is {self.schema.name} with "
                f"{self._shards} shards"
            )
        self.keep_state()
        self._pending, self._shard = found.batches, found.shard
        if self._plan is not None:
            self._plan.skip(found.batches)

    def keep_state(self) -> None:
        """From now on `get_state` can tell where the reader is.

        Raises
        ------
        RuntimeError
            If something was read without.
        """
        if not self._checkpointing and self._last is not None:
            raise RuntimeError("The reader has begun without a state; make it with enable_checkpointing=True.")
        if not self._checkpointing:
            self._checkpointing, self._plan = True, None  # a plan that has only told sizes is made anew


def _share(samples: int, shard: int, shards: int) -> int:
    return samples * (shard + 1) // shards - samples * shard // shards


def class_for(schema: OperatorSchema) -> type[Reader]:
    """The class of a reader."""
    name = schema.class_name.rpartition(".")[2]
    doc = signature_doc(schema).replace("DataNode", "Tensor or Batch")
    return type(name, (Reader,), {"schema": schema, "__doc__": doc})


def entry_for(schema: OperatorSchema) -> Any:
    """What the module has for an operator: a class for a reader, a function for another."""
    return class_for(schema) if schema.role == "reader" else function_for(schema)


def path_of(schema: OperatorSchema) -> str:
    """What it is called."""
    return schema.class_name if schema.role == "reader" else schema.name

"""Where an iterator is in its epoch: which batches belong to it, and how much of the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, unique
from itertools import pairwise
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


@unique
class LastBatchPolicy(Enum):
    """What becomes of a last batch that the data of the epoch does not fill.

    FILL hands it out full: with repeated samples if the reader pads, else with the first samples of the next epoch.
    DROP leaves it out. PARTIAL hands out the part that belongs to the epoch.
    """

    FILL = 0
    DROP = 1
    PARTIAL = 2


class Epoch:
    """An epoch whose size the user gives, or that lasts as long as there is data.

    Parameters
    ----------
    size : int
        Samples of an epoch, of all pipelines together; -1: until the pipeline raises StopIteration.
    batch_size : int
        Samples that one pipeline gives in an iteration.
    pipelines : int
    policy : LastBatchPolicy
    padded : bool
        The data source repeats samples at the end of an epoch, so that the next epoch begins with its first sample.

    Attributes
    ----------
    position : int
        Samples that were read since the epoch began.
    step : int
        How far an iteration moves `position`.
    endless : bool
        Only the data says where the epoch ends.
    """

    #: What changes from epoch to epoch.
    _kept_names: tuple[str, ...] = ("position", "size")

    def __init__(self, size: int, batch_size: int, pipelines: int, policy: LastBatchPolicy, padded: bool) -> None:
        self.endless = size < 0
        self.size, self.batch_size = size, batch_size
        self.policy = LastBatchPolicy.FILL if self.endless else policy
        self.padded = padded and not self.endless
        self.step = batch_size * pipelines
        self.position = 0

    def __len__(self) -> int:
        whole, rest = divmod(max(self.size, 0), self.step)
        return whole + (rest > 0 and self.policy is not LastBatchPolicy.DROP)

    @property
    def ended(self) -> bool:
        """Whether all batches of the epoch were read."""
        return not self.endless and self.position >= self.size

    @property
    def drops_next(self) -> bool:
        """Whether the next batch is the incomplete one that the policy DROP leaves out."""
        return self.policy is LastBatchPolicy.DROP and self.position + self.step > self.size

    def advance(self) -> None:
        """Count one iteration."""
        self.position += self.step

    def kept(self) -> list[int] | None:
        """How many samples of each pipeline's latest batch belong to the epoch; ``None`` for all.

        The list is shorter than that of the pipelines where nothing is left of the batches of the last ones.
        """
        if self.policy is not LastBatchPolicy.PARTIAL or self.position <= self.size:
            return None
        left = self.step - (self.position - self.size)
        return [min(self.batch_size, left - begin) for begin in range(0, left, self.batch_size)]

    def counts(self, pipelines: int) -> list[int]:
        """How many samples of each pipeline's latest batch belong to the epoch, whatever the policy is."""
        if self.endless:
            return [self.batch_size] * pipelines
        left = self.step - (self.position - self.size)
        return [min(max(left - number * self.batch_size, 0), self.batch_size) for number in range(pipelines)]

    def save(self) -> dict[str, Any]:
        """Where the epoch stands, as plain values."""
        return {name: getattr(self, name) for name in self._kept_names}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on where another one was saved."""
        for name in self._kept_names:
            setattr(self, name, saved[name])

    def restart(self) -> None:
        """Begin the next epoch."""
        wraps = self.policy is LastBatchPolicy.FILL and not self.padded and not self.endless
        self.position = self.position % self.size if wraps else 0


class ReaderEpoch(Epoch):
    """An epoch whose size, shards and padding the readers tell.

    Shards differ in size by one sample, and without padding a batch may reach into the next shard; then what a
    pipeline has read ahead shortens its next epoch. Lengths over the epochs are nvidia.dali's.

    Parameters
    ----------
    metas : sequence of mapping
        What ``Pipeline.reader_meta`` says, for each pipeline.
    batch_size : int
    policy : LastBatchPolicy

    Raises
    ------
    DaliStudioError
        DS304 if the readers of the pipelines disagree on what divides the data set.
    """

    _kept_names = ("position", "size", "_reading", "_current", "_ahead")

    def __init__(self, metas: Sequence[Mapping[str, Any]], batch_size: int, policy: LastBatchPolicy) -> None:
        self._shards: int = _common(metas, "number_of_shards", "num_shards")
        total: int = _common(metas, "epoch_size", "number of samples")
        padded = bool(_common(metas, "pad_last_batch", "pad_last_batch"))
        self._sticks = bool(_common(metas, "stick_to_shard", "stick_to_shard"))
        bounds = [index * total // self._shards for index in range(self._shards + 1)]
        self._sizes = [end - begin for begin, end in pairwise(bounds)]
        if policy is LastBatchPolicy.DROP:
            size = total // self._shards
        elif padded:
            size = int(metas[0]["epoch_size_padded"]) // self._shards
        else:
            size = _rounded_up(max(self._sizes), batch_size)
        super().__init__(size, batch_size, 1, policy, padded)
        #: The shard that each pipeline reads now.
        self._reading = [int(meta["shard_id"]) for meta in metas]
        #: By reader of the data set: the size of its shard in this epoch, and what it had read of it before.
        self._current = list(self._sizes)
        self._ahead = [0] * self._shards

    @property
    def drops_next(self) -> bool:
        return self.policy is LastBatchPolicy.DROP and self.position + self.step > min(self._sizes)

    def kept(self) -> list[int] | None:
        if self.policy is not LastBatchPolicy.PARTIAL:
            return None
        left = self._left()
        return left if min(left) < self.step else None

    def counts(self, pipelines: int) -> list[int]:
        return [min(max(left, 0), self.batch_size) for left in self._left()]

    def _left(self) -> list[int]:
        return [self.step - (self.position - self._sizes[shard]) for shard in self._reading]

    def restart(self) -> None:
        if not self._sticks:
            self._reading = [(shard + 1) % self._shards for shard in self._reading]
        if self.policy is not LastBatchPolicy.FILL or self.padded:
            self.position = 0
            return
        read = self.position - min(self._ahead)
        self._ahead = [ahead + read - size for ahead, size in zip(self._ahead, self._current, strict=True)]
        self.position = min(self._ahead)
        if not self._sticks:
            self._turn()
        missing = max(size - ahead for ahead, size in zip(self._ahead, self._current, strict=True))
        self.size = _rounded_up(missing, self.batch_size)
        if self.size == 0:  # the coming shards have been read entirely: the epoch after them begins
            self._ahead = [0] * self._shards
            self.position = 0
            self._turn()
            self.size = _rounded_up(max(self._current), self.batch_size)

    def _turn(self) -> None:
        self._current = [self._current[-1], *self._current[:-1]]


def _rounded_up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


def _common(metas: Sequence[Mapping[str, Any]], key: str, name: str) -> Any:
    values = [meta[key] for meta in metas]
    for number, value in enumerate(values):
        if value != values[0]:
            raise DaliStudioError(
                Diagnostic(
                    code="DS304",
                    argument=name,
                    message=f"The readers of the pipelines differ in {name}: {values[0]} in pipeline 0, {value} in "
                    f"pipeline {number}.",
                    hint="Let them read the same files with the same arguments, except for shard_id.",
                )
            )
    return values[0]

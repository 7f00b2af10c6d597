"""Sequences for operators that work on frames: taken apart before they are planned, and put together afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Operator
from dali_studio.schema.sequences import frame_of, is_sequence
from dali_studio.schema.traits import PerFrame


class Frames:
    """Where the frames of a batch of sequences are.

    Parameters
    ----------
    counts : ndarray
        int64, (N,): frames of each sample.
    shapes : ndarray, optional
        (N, ndim): of the sequences.

    Attributes
    ----------
    starts : ndarray
        int64, (N + 1,): position of the first frame of each sample among all frames, and their number.
    """

    def __init__(self, counts: NDArray[np.int64], shapes: NDArray[np.int64] | None = None) -> None:
        self.counts, self._shapes = counts, shapes
        self.starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])

    @classmethod
    def of(cls, inputs: Sequence[Batch]) -> Frames | None:
        """The frames of the first input that has some; ``None`` if there is none.

        Raises
        ------
        ArgumentError
            DS203 where a sample of another input has another number of frames.
        """
        sequences = [one for one in inputs if is_sequence(one.meta)]
        if not sequences:
            return None
        made = cls(sequences[0].shapes[:, 0], sequences[0].shapes)
        for other in sequences[1:]:
            made.check(other.shapes[:, 0], "")
        return made

    @classmethod
    def seen(
        cls, operator: type[Operator], args: Callable[[Frames | None], Args], inputs: Sequence[Batch]
    ) -> Frames | None:
        """The frames of the sequences that an operator computes one by one, if it does."""
        if PerFrame not in operator.traits:
            return None
        frames = cls.of(inputs)
        whole = frames is not None and not operator.by_frame(args(None), *(one.meta for one in inputs))
        return None if whole else frames

    def check(self, counts: NDArray[np.int64], argument: str) -> None:
        """Refuse what has another number of frames than the sequences."""
        wrong = np.flatnonzero(counts != self.counts)
        if len(wrong):
            at = int(wrong[0])
            raise ArgumentError(
                f"{counts[at]} values are given for a sequence of {self.counts[at]} frames.",
                hint="Give one for each frame.", argument=argument, sample=at, code="DS203",
            )  # fmt: skip

    def __len__(self) -> int:
        return int(self.starts[-1])

    def of_sample(self, position: int) -> range:
        """The frames of one sample."""
        return range(int(self.starts[position]), int(self.starts[position + 1]))

    def sample_of(self, frame: int) -> int:
        """The sample that a frame belongs to."""
        return int(np.searchsorted(self.starts, frame, "right")) - 1

    def apart(self, batch: Batch) -> Batch:
        """The frames as samples of their own; what is no sequence is repeated for each frame of its sample."""
        positions = np.repeat(np.arange(len(self.counts)), self.counts)
        sources = [batch.sources[i] for i in positions.tolist()] if len(batch.sources) else ()
        sequence = is_sequence(batch.meta)
        shapes = batch.shapes[positions, 1:] if sequence else batch.shapes[positions]
        offsets = batch.offsets
        if batch.memory is not None:
            offsets = batch.offsets[positions]
            if sequence:
                within = np.arange(len(positions)) - self.starts[:-1][positions]
                offsets = offsets + within * (shapes.prod(axis=1, dtype=np.int64) * batch.dtype.itemsize)
        return replace(
            batch, meta=frame_of(batch.meta), shapes=shapes, samples=(), offsets=offsets, sources=sources, indices=None
        )

    def plan(self, operator: type[Operator], args: Args, inputs: Sequence[Batch]) -> Work:
        """The work of an operator for all frames; what it finds wrong with a frame is said of the sample."""
        try:
            return operator.plan(args, *map(self.apart, inputs))
        except ArgumentError as error:
            if error.sample is not None:
                error.sample = self.sample_of(error.sample)
            raise

    def values(self, name: str, batch: Batch) -> Sequence[NDArray[Any]]:
        """The values of an argument input for each frame: those of ``per_frame`` one by one, others repeated."""
        if not is_sequence(batch.meta):
            return [batch.samples[i] for i in np.repeat(np.arange(len(batch)), self.counts).tolist()]
        counts = batch.shapes[:, 0]
        # one value for all frames of a sample is as good as one each
        self.check(np.where(counts == 1, self.counts, counts), name)
        return [
            sample[frame if len(sample) > 1 else 0]
            for sample, count in zip(batch.samples, self.counts.tolist(), strict=True)
            for frame in range(count)
        ]

    def arguments(self, batches: Mapping[str, Batch]) -> dict[str, Sequence[NDArray[Any]]]:
        """The values of all argument inputs for each frame."""
        return {name: self.values(name, batch) for name, batch in batches.items()}

    def together(self, shapes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Shapes of the sequences, from those of their frames.

        A sequence without frames has those that came in, as in nvidia.dali, where that holds for all others as well.

        Raises
        ------
        ArgumentError
            DS203 if the frames of a sequence differ in shape.
        """
        firsts = np.zeros((len(self.counts), shapes.shape[1]), np.int64)
        some = self.counts > 0
        firsts[some] = shapes[self.starts[:-1][some]]
        given = self._shapes
        fits = not some.all() and given is not None and given.shape[1] == shapes.shape[1] + 1
        if fits and given is not None and (given[some, 1:] == firsts[some]).all():
            firsts[~some] = given[~some, 1:]
        different = (shapes != np.repeat(firsts, self.counts, axis=0)).any(axis=1)
        if different.any():
            frame = int(np.argmax(different))
            at = self.sample_of(frame)
            raise ArgumentError(
                f"the frames of one sequence would differ in shape: {tuple(firsts[at])} and {tuple(shapes[frame])}.",
                hint="Give one size for all frames of a sequence.", sample=at, code="DS203",
            )  # fmt: skip
        return np.concatenate([self.counts[:, None], firsts], axis=1)

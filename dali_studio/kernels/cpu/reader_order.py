"""The order in which readers deliver their samples: sharding, padding and both kinds of shuffling.

The numbers are those of nvidia.dali 2.4. A reader reads a stream of *epochs*; epoch k is one shard of the file list.
``random_shuffle`` first permutes the list once (``std::mt19937`` seeded with 524287 and ``std::shuffle``), then picks
at random from a buffer of the next ``initial_fill`` entries of the stream, but never past the end of the epoch (so it
never needs to be larger than one).
``shuffle_after_epoch`` permutes the whole list before every epoch with a generator that knows the epoch's number.
Readers of archives do neither: their list is not permuted once, and ``shuffle_after_epoch`` permutes the archives.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random_stream import seed_sequence
from dali_studio.kernels.cpu.cxx_random import shuffle_mt19937, shuffle_mt19937_64
from dali_studio.kernels.cpu.file_discovery import DEFAULT_FILE_FILTERS, FileList, discover_files
from dali_studio.kernels.cpu.native import kernel

__all__ = ["DEFAULT_FILE_FILTERS", "FileList", "ReaderOrder", "ReaderState", "discover_files"]

PERMUTATION_SEED = 524287
"""Seed of the fixed permutation of ``random_shuffle`` and default of ``shuffle_after_epoch_seed``."""

_MINSTD_MODULUS = 2147483647

#: What one call of `ReaderOrder.skip` draws at most.
_SKIPPED_PICKS, _SKIPPED_EPOCHS = 1 << 20, 1 << 12


# --------------------------------------------------------------------------------------------------------- the order


@dataclass(frozen=True)
class ReaderState:
    """What `ReaderOrder.get_state` saves: a few integers and, with ``random_shuffle``, the buffer of picks."""

    epoch: int
    position: int
    returned: int
    last: int
    engine: int
    buffer: tuple[int, ...]
    read_epoch: int
    read_position: int


class ReaderOrder:
    """Which samples a reader delivers, batch after batch.

    Parameters
    ----------
    n_files : int
        Number of samples in the data set.
    shard_id, num_shards : int
        Shard i of n starts at ``floor(i * n_files / n)``.
    random_shuffle : bool
        Permute the list once, then pick from a buffer of ``initial_fill`` samples.
    initial_fill : int
        Size of that buffer, at least 1.
    seed : int
        Seed of the picks (the operator's seed); only the low 32 bits count.
    stick_to_shard : bool
        Stay on the shard for all epochs instead of moving to the next one.
    pad_last_batch : bool
        Repeat the last sample of the epoch until the batch is full and every shard has delivered equally many.
    shuffle_after_epoch : bool
        Permute the whole list before every epoch; the shard stays. Excludes the other two.
    shuffle_after_epoch_seed : int, optional
        Seed of these permutations (default 524287); pipelines that share the data need the same one.
    checkpointing : bool
        With ``shuffle_after_epoch``: every epoch permutes the original list (as nvidia.dali does in pipelines with
        checkpoints enabled) instead of the list of the epoch before.
    permuted : bool
        Whether ``random_shuffle`` permutes the list.
    archives : sequence of int, optional
        Numbers of samples that lie side by side: ``shuffle_after_epoch`` permutes these alone, and may go together
        with ``random_shuffle``.

    Raises
    ------
    ValueError
        For an empty data set, shards that do not exist, or options that exclude each other.

    Notes
    -----
    How samples are read (``dont_use_mmap``, ``read_ahead``, ``prefetch_queue_depth``, ``lazy_init``,
    ``tensor_init_bytes``, ``skip_cached_images``) has no influence on the order.
    """

    def __init__(
        self,
        n_files: int,
        *,
        shard_id: int = 0,
        num_shards: int = 1,
        random_shuffle: bool = False,
        initial_fill: int = 1024,
        seed: int = 0,
        stick_to_shard: bool = False,
        pad_last_batch: bool = False,
        shuffle_after_epoch: bool = False,
        shuffle_after_epoch_seed: int | None = None,
        checkpointing: bool = False,
        permuted: bool = True,
        archives: Sequence[int] | None = None,
    ) -> None:
        both = archives is not None  # of the shuffles may go together
        _check_options(
            n_files, shard_id, num_shards, random_shuffle, initial_fill, stick_to_shard, shuffle_after_epoch, both
        )
        self._size = n_files
        self._shard = shard_id
        self._starts = [i * n_files // num_shards for i in range(num_shards + 1)]
        self._stick = stick_to_shard or shuffle_after_epoch
        self._pad = pad_last_batch
        self._reshuffle = shuffle_after_epoch
        self._reshuffle_seed = PERMUTATION_SEED if shuffle_after_epoch_seed is None else shuffle_after_epoch_seed
        self._keep_original = checkpointing
        #: The list before the latest epochs that were permuted, two at most: a batch may reach over an epoch's end.
        self._orders: dict[int, NDArray[np.int64]] = {}
        # picks never reach past the end of an epoch: what a larger buffer holds beside it has no influence
        self._fill = min(initial_fill, -(-n_files // num_shards)) if random_shuffle else 0
        self._stream = np.arange(n_files if random_shuffle else 0, dtype=np.int64)
        if permuted:
            shuffle_mt19937(self._stream, PERMUTATION_SEED)
        self._archives = None if archives is None else np.asarray(archives, np.int64)
        self._seed = seed
        self.reset()

    @property
    def num_shards(self) -> int:
        """Number of shards."""
        return len(self._starts) - 1

    def reader_meta(self) -> dict[str, int]:
        """Sizes of the epoch with the keys and values of nvidia.dali's ``Pipeline.reader_meta``."""
        shards = self.num_shards
        padded = -(-self._size // shards) * shards if self._pad else self._size
        return {
            "epoch_size": self._size,
            "epoch_size_padded": padded,
            "number_of_shards": shards,
            "shard_id": self._shard,
            "pad_last_batch": int(self._pad),
            "stick_to_shard": int(self._stick),
        }

    def shard_bounds(self, epoch: int) -> tuple[int, int]:
        """First position, and one past the last, of the part of the list that an epoch delivers."""
        shard = self._shard if self._stick else (self._shard + epoch) % self.num_shards
        return self._starts[shard], self._starts[shard + 1]

    # ------------------------------------------------------------------------------------------------------- state

    def reset(self) -> None:
        """Go back to the very first batch."""
        self._epoch = self._position = self._returned = self._last = 0
        self._read_epoch = self._read_position = 0
        self._read_bounds: tuple[int, int] = self.shard_bounds(0)
        # std::default_random_engine is minstd_rand0, here seeded through a std::seed_seq of the low 32 bits.
        self._engine = seed_sequence([self._seed], 4)[3] % _MINSTD_MODULUS or 1
        self._buffer = self._fill_buffer()

    def get_state(self) -> ReaderState:
        """Everything needed to go on from here in another `ReaderOrder` with the same arguments."""
        return ReaderState(
            self._epoch,
            self._position,
            self._returned,
            self._last,
            self._engine,
            tuple(self._buffer.tolist()),
            self._read_epoch,
            self._read_position,
        )

    def set_state(self, state: ReaderState) -> None:
        """Go on from a saved state.

        Raises
        ------
        ValueError
            If the state was saved with another ``initial_fill`` or ``random_shuffle``.
        """
        if len(state.buffer) != self._fill:
            raise ValueError(
                f"the saved state has a shuffling buffer of {len(state.buffer)} samples, this reader one of "
                f"{self._fill}; restore it into a reader with the same random_shuffle and initial_fill"
            )
        self._epoch, self._position, self._returned = state.epoch, state.position, state.returned
        self._last, self._engine, self._buffer = state.last, state.engine, np.array(state.buffer, np.int64)
        self._read_epoch, self._read_position = state.read_epoch, state.read_position
        self._read_bounds = self.shard_bounds(self._read_epoch)

    # ------------------------------------------------------------------------------------------------------- picks

    def next_batch(self, batch_size: int, count: int = 1) -> list[int]:
        """Indices into the file list of the next batch, or of the next ones.

        Parameters
        ----------
        batch_size : int
            Number of samples, at least 1.
        count : int
            Number of batches.

        Returns
        -------
        list of int
            ``batch_size`` indices for each batch. A batch runs on into the next epoch unless ``pad_last_batch`` fills
            it with repetitions of the epoch's last sample.
        """
        if count > 1:
            if self._pad:
                return [index for _ in range(count) for index in self.next_batch(batch_size)]
            batch_size *= count  # batches run on
        picked: list[int] = []
        while len(picked) < batch_size:
            begin, end = self.shard_bounds(self._epoch)
            left = end - begin - self._position
            if left:
                picked += self._run(begin, end, min(left, batch_size - len(picked)))
                self._last = picked[-1]
            elif self._pad and (picked or self._returned < -(-self._size // self.num_shards)):
                picked.append(self._last)
                self._returned += 1
            else:
                self._epoch, self._position, self._returned = self._epoch + 1, 0, 0
        return picked

    def _run(self, begin: int, end: int, count: int) -> Sequence[int]:
        """The next entries of the epoch whose part of the list is given."""
        first = begin + self._position
        picked: Sequence[int] = range(first, first + count)
        if self._fill:
            picked = self._picks(end - begin, count).tolist()
        elif self._reshuffle:
            picked = self._order_of(self._epoch)[first : first + count].tolist()
        self._position += count
        self._returned += count
        return picked

    def _picks(self, epoch_size: int, count: int) -> NDArray[np.int64]:
        """Random picks among the epoch's buffered samples; a sample's slot is its place in the stream mod size."""
        picked = np.empty(count, np.int64)
        oldest, done = self._oldest_slot(), 0
        while done < count:
            begin, end = self._read_bounds
            some = min(count - done, end - begin - self._read_position)
            self._engine = kernel("pick_samples")(
                self._buffer, self._stream_of(self._read_epoch)[begin + self._read_position :],
                picked[done : done + some], self._engine, (oldest + done) % self._fill,
                epoch_size - self._position - done,
            )  # fmt: skip
            done += some
            self._advance(some)
        return picked

    def _oldest_slot(self) -> int:
        """Slot of the oldest sample: the number of picks so far, modulo the buffer's size."""
        return self._stream_position(self._epoch, self._position) % self._fill

    def _stream_position(self, epoch: int, position: int) -> int:
        """Samples that the stream holds before a position of an epoch."""
        if self._stick:
            begin, end = self.shard_bounds(epoch)
            return epoch * (end - begin) + position
        rounds, part = divmod(epoch, self.num_shards)
        shard = (self._shard + part) % self.num_shards
        passed = self._starts[shard] - self._starts[self._shard]
        if shard < self._shard:
            passed += self._size
        return rounds * self._size + passed + position

    def _fill_buffer(self) -> NDArray[np.int64]:
        """The first samples of the stream."""
        parts: list[NDArray[np.int64]] = []
        left = self._fill
        while left:
            begin, end = self._read_bounds
            some = min(left, end - begin - self._read_position)
            parts.append(self._stream_of(self._read_epoch)[begin + self._read_position :][:some])
            left -= some
            self._advance(some)
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def _advance(self, count: int) -> None:
        """So many more samples of the stream that fills the buffer were read, up to the end of an epoch at most."""
        begin, end = self._read_bounds
        self._read_position += count
        if self._read_position == end - begin:
            self._read_epoch, self._read_position = self._read_epoch + 1, 0
            self._read_bounds = self.shard_bounds(self._read_epoch)

    def _stream_of(self, epoch: int) -> NDArray[np.int64]:
        """The list that the buffer is filled from in an epoch."""
        return self._order_of(epoch) if self._reshuffle else self._stream

    def _archives_of(self, epoch: int) -> NDArray[np.int64]:
        """The list of an epoch where archives are permuted."""
        assert self._archives is not None
        order = np.arange(len(self._archives), dtype=np.int64)
        shuffle_mt19937_64(order, self._reshuffle_seed + (epoch + 1 << 32))
        ends: NDArray[np.int64] = np.cumsum(self._archives)
        numbers: list[int] = order.tolist()
        parts: list[NDArray[np.int64]] = [np.arange(ends[i] - self._archives[i], ends[i]) for i in numbers]
        return np.concatenate(parts)

    def _order_of(self, epoch: int) -> NDArray[np.int64]:
        """The list as an epoch reads it, where epochs are permuted."""
        found = self._orders.get(epoch)
        if found is None and self._archives is not None:
            found = self._archives_of(epoch)
            self._orders = {k: kept for k, kept in self._orders.items() if abs(k - epoch) == 1}
            self._orders[epoch] = found
        if found is None:
            earlier = [] if self._keep_original else [k for k in self._orders if k < epoch]
            begin = max(earlier) + 1 if earlier else epoch if self._keep_original else 0
            found = self._orders[begin - 1].copy() if earlier else np.arange(self._size, dtype=np.int64)
            for k in range(begin, epoch + 1):
                shuffle_mt19937_64(found, self._reshuffle_seed + (k + 1 << 32))
            self._orders = {k: kept for k, kept in self._orders.items() if k == epoch - 1}
            self._orders[epoch] = found
        return found

    # ------------------------------------------------------------------------------------------------------- skipping

    def skip(self, batch_size: int, count: int) -> int:
        """Pass over batches.

        Parameters
        ----------
        batch_size, count : int
            At least 1.

        Returns
        -------
        int
            How many batches were passed over. All of them, at once, unless the order is random: there each pick, or
            each permutation, follows from the one before, and a call does what takes a fraction of a second.
        """
        shortest = self._size // self.num_shards
        if self._reshuffle:
            count = min(count, max(1, shortest // batch_size))
        elif self._fill:
            count = min(count, max(1, min(_SKIPPED_PICKS, _SKIPPED_EPOCHS * shortest) // batch_size))
        epoch, returned = self._place_after(batch_size, count)
        if self._fill:
            self._pick_until(epoch, returned)
        begin, end = self.shard_bounds(epoch)
        self._epoch, self._returned, self._position = epoch, returned, min(returned, end - begin)
        if self._position and not self._fill:
            place = begin + self._position - 1
            self._last = int(self._order_of(epoch)[place]) if self._reshuffle else place
        return count

    def _place_after(self, batch_size: int, count: int) -> tuple[int, int]:
        """The epoch, and how many samples of it have been returned, after so many batches."""
        begin, end = self.shard_bounds(self._epoch)
        if self._pad:  # batches end with their epoch
            size = -(-self._size // self.num_shards)
            left = -(-max(size - self._returned, 0) // batch_size)
            if count <= left:
                return self._epoch, self._returned + count * batch_size
            epochs, batches = divmod(count - left, -(-size // batch_size))
            return self._epoch + 1 + epochs, batches * batch_size
        passed = self._stream_position(self._epoch, self._position) + batch_size * count
        if self._stick:
            return divmod(passed, end - begin)
        rounds, part = divmod(passed, self._size)
        place = (self._starts[self._shard] + part) % self._size
        shard = bisect_right(self._starts, place) - 1
        epoch = rounds * self.num_shards + (shard - self._shard) % self.num_shards
        return epoch, place - self._starts[shard]

    def _pick_until(self, epoch: int, returned: int) -> None:
        """Draw what lies before a place, and forget it."""
        while True:
            begin, end = self.shard_bounds(self._epoch)
            stop = end - begin if self._epoch < epoch else min(returned, end - begin)
            if stop > self._position:
                self._last = int(self._picks(end - begin, stop - self._position)[-1])
            if self._epoch == epoch:
                return
            self._epoch, self._position = self._epoch + 1, 0


def _check_options(
    n_files: int,
    shard_id: int,
    num_shards: int,
    random_shuffle: bool,
    initial_fill: int,
    stick_to_shard: bool,
    shuffle_after_epoch: bool,
    both: bool,
) -> None:
    if n_files < 1:
        raise ValueError("the data set is empty; a reader needs at least one sample")
    if num_shards < 1 or not 0 <= shard_id < num_shards:
        raise ValueError(f"shard_id is {shard_id} and num_shards {num_shards}; expected 0 <= shard_id < num_shards")
    if num_shards > n_files:
        raise ValueError(f"num_shards is {num_shards}, but there are only {n_files} samples; use at most {n_files}")
    if random_shuffle and initial_fill < 1:
        raise ValueError(f"initial_fill is {initial_fill}; the shuffling buffer needs room for 1 sample or more")
    for other, name in ((random_shuffle and not both, "random_shuffle"), (stick_to_shard, "stick_to_shard")):
        if shuffle_after_epoch and other:
            raise ValueError(
                f"shuffle_after_epoch and {name} exclude each other; shuffle_after_epoch already shuffles the whole "
                "list before every epoch and keeps its shard. Switch one of them off"
            )

"""Random numbers of dynamic mode: generators with a state, equal to those of nvidia.dali."""

from __future__ import annotations

import operator
import re
import secrets
import threading
from typing import Any

import numpy as np

from dali_studio.core.random_stream import philox

_MASK64 = 0xFFFFFFFFFFFFFFFF
_STATE = re.compile(r"Philox_([0-9A-F]{16})_([0-9A-F]{16}):([0-9A-F]{16})_([0-3])")
#: Numbers of 32 bits that an operator's call takes: a key of 64 bits, a counter of 128, and the place in its words.
_WORDS_OF_CALL = 7


class RNG:
    """A generator of random numbers; operators draw where their streams begin from it.

    Parameters
    ----------
    seed : int, optional
        Of 64 bits; unset: a fresh one.
    state : str or state, optional
        What the property `state` of a generator gave, in place of `seed`.
    """

    def __init__(self, seed: int | None = None, state: Any = None) -> None:
        if seed is not None and state is not None:
            raise ValueError("seed and state exclude each other.")
        #: Key, and how many numbers were drawn.
        self._key, self._drawn = 0, 0
        if state is not None:
            self.set_state(state)
        else:
            self._key = secrets.randbits(64) if seed is None else seed & _MASK64

    def __call__(self) -> int:
        """The next number, of 32 bits without a sign."""
        return self.draw(1)[0]

    def draw(self, count: int) -> list[int]:
        """The next numbers."""
        first, last = self._drawn >> 2, self._drawn + count - 1 >> 2
        counters = np.arange(last - first + 1, dtype=np.uint64) + np.uint64(first & _MASK64)
        words: list[int] = philox(counters, np.uint64(first >> 64 & _MASK64), self._key).T.ravel().tolist()
        at = self._drawn & 3
        self._drawn += count
        return words[at : at + count]

    def _set_seed(self, value: int) -> None:
        self._key, self._drawn = operator.index(value) & _MASK64, 0

    def _no_seed(self) -> Any:
        raise AttributeError("The seed can be set, not read; the property state tells where the generator is.")

    seed = property(_no_seed, _set_seed, doc="Begin anew with a seed.")

    def advance(self, n: Any) -> None:
        """Skip `n` numbers."""
        count = operator.index(n)
        if count < 0:
            raise ValueError(f"{count} numbers cannot be skipped; give 0 or more.")
        self._drawn += count

    def clone(self) -> RNG:
        """A generator that goes on as this one does."""
        return RNG(state=self.state)

    def get_state(self, *, cuda_stream: Any = None) -> str:
        """Where the generator is, as a text."""
        counter = self._drawn >> 2
        return f"Philox_{self._key:016X}_{counter >> 64 & _MASK64:016X}:{counter & _MASK64:016X}_{self._drawn & 3}"

    def set_state(self, value: Any) -> None:
        """Go where a generator was when `state` was asked for.

        Raises
        ------
        ValueError
            For what is no such text.
        """
        found = _STATE.fullmatch(str(value))
        if found is None:
            raise ValueError(f"{value!r} is no state of a generator; give what its property state was.")
        key, high, low = (int(word, 16) for word in found.groups()[:3])
        self._key, self._drawn = key, (high << 64 | low) << 2 | int(found[4])

    state = property(get_state, set_state, doc="Where the generator is.")

    def __repr__(self) -> str:
        return f"RNG(state='{self.state}')"


class _Local(threading.local):
    generator: RNG | None = None


_local = _Local()


def get_default_rng() -> RNG:
    """The generator that operators of the calling thread draw from unless they are given one."""
    if _local.generator is None:
        _local.generator = RNG()
    return _local.generator


def set_seed(seed: int) -> None:
    """Begin the calling thread's default generator anew."""
    get_default_rng().seed = seed


def stream_from(rng: Any) -> tuple[int, int, int]:
    """Draw where an operator's numbers come from: the key, and the upper half of the first counter and the number of
    draws below it.

    Raises
    ------
    ValueError
        If `rng` is no `RNG`.
    """  # noqa: D205 - one sentence
    generator = get_default_rng() if rng is None else rng
    if not isinstance(generator, RNG):
        raise ValueError(f"rng is a {type(generator).__name__}; give a random.RNG.")
    words = generator.draw(_WORDS_OF_CALL)
    key, low, high = (words[i] | words[i + 1] << 32 for i in (0, 2, 4))
    return key, high, low << 2 | words[6] & 3

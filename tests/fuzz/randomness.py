"""Where the numbers of a case come from, and the values that find mistakes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

#: Integers at the edges of what files, arguments and machines hold.
EDGES = (
    -(2**63), -(2**31) - 1, -(2**31), -32769, -129, -2, -1, 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 127, 128, 255, 256, 257, 4095,
    32767, 32768, 65535, 65536, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**12,
)  # fmt: skip
#: Texts that names, paths and layouts must survive.
TEXTS = (
    "", " ", "a", "HWC", "CHW", "hwc", "FHWC", "None", "class", "def", "a²", "\ufb01", "fi", "\uff46\uff4e", "fn", "types", "pipe", "self",
    "\0", "\n", '"', "'", "\\", "../x", "a.b", "_b.os.system", "__import__", "\ud800", "\U0001f600", "é", "e\u0301", "x" * 300, "*", "?",
    "1", "-1", "nan", "true", "null", "FLOAT", "UINT8", "RGB", "INTERP_LINEAR", "raise", "skip", "no", "$HOME", "%s", "{}",
)  # fmt: skip
FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e-10, 255.0, 256.0, 1e6, 3.4e38, 1e39, 1e308, -1e308, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip


def of_case(family: str, seed: int, number: int) -> random.Random:
    """The numbers of one case: the same wherever and in whatever company it runs."""
    return random.Random(f"{family}/{seed}/{number}")


def integer(rng: random.Random, bits: int) -> int:
    """An unsigned integer of so many bits: an edge, a small one, or any."""
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(EDGES) % 2**bits
    return rng.randrange(16) if kind < 0.75 else rng.randrange(2**bits)


def some(rng: random.Random, mutations: Sequence[Callable[[random.Random, T], T]], subject: T, most: int = 3) -> T:
    """The subject after one or more of the mutations."""
    for _ in range(rng.choice((1, 1, 2, most))):
        subject = rng.choice(mutations)(rng, subject)
    return subject

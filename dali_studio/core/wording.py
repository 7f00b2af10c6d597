"""What messages say of values and names that are wrong."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import lru_cache

#: No name is as long as this; to compare long ones takes long.
_LONGEST = 60


def nearest(word: str, known: Iterable[str]) -> str:
    """The name among `known` that is most like `word`; empty if none is."""
    return _nearest(word, tuple(known)) if len(word) < _LONGEST else ""


@lru_cache(maxsize=1024)  # what is wrong once is often wrong in many places, and is asked for with every edit
def _nearest(word: str, known: tuple[str, ...]) -> str:
    return next(iter(difflib.get_close_matches(word, known, n=1)), "")


def plural(count: int, what: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def size_words(height: int, width: int) -> str:
    """The size of a picture, which cannot be read the wrong way round: ``300 rows of 451 pixels``."""
    return f"{plural(height, 'row')} of {plural(width, 'pixel')}"


def shortened(value: object, length: int = 60) -> str:
    """A value as messages show it: as Python writes it, and cut if it is long."""
    if isinstance(value, str | bytes) and len(value) > length:
        return f"{value[: length // 2]!r}... ({len(value)} characters)"
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= length else f"{text[: length - 3]}..."


def time_words(milliseconds: float) -> str:
    """A time in three figures, as the designer has it beside: "11 µs", "0.42 ms", "28.0 ms", "1.24 s"."""
    if milliseconds < 0.0995:
        return f"{1000 * milliseconds:.0f} µs"
    value, unit = (milliseconds, "ms") if milliseconds < 999.5 else (milliseconds / 1000, "s")
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


_UNITS = ("kB", "MB", "GB", "TB", "PB", "EB")


def byte_count(n: int) -> str:
    """Size in words, with three figures: "812 bytes", "113 kB", "3.4 MB", "1.5 TB"."""
    value, unit = float(n), "bytes"
    for larger in _UNITS:
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    whole = unit == "bytes" or 99.95 <= value < 999.5
    return f"{value:.{0 if whole else 1}f} {unit}"

"""Lists of videos, read as nvidia.dali reads them: by C++ streams."""

from __future__ import annotations

import math
import os
import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

#: Of a label, a begin and an end: how each is written, and the largest one.
_PATTERNS = (
    (re.compile(rb"[+-]?\d+"), np.iinfo(np.int32).max),
    *[(re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d*)?"), float(np.finfo(np.float32).max))] * 2,
)


class ListedVideo(NamedTuple):
    """A line of a list.

    Attributes
    ----------
    path : str
    label : int
    begin, end : float32
        Of the range that is meant: both 0 for the whole video, as for a line without them.
    """

    path: str
    label: int
    begin: np.float32
    end: np.float32


def read_list(path: str) -> list[ListedVideo]:
    """The videos of a list.

    On each line are a path, a label, and perhaps begin and end. What is not a number, or too large for one, is passed
    over with all that follows it, and counts as 0 or as the largest number. Lines on which a range ends where it begins
    are left out. Of both there is a warning.

    Raises
    ------
    OSError
    ValueError
        For a line without a label, or with a negative one.
    """
    found: list[ListedVideo] = []
    doubtful: list[str] = []
    for number, line in enumerate(Path(path).read_bytes().split(b"\n"), 1):
        words = line.split(None, 1)
        if not words:
            continue
        numbers, passed_over = _numbers(words[1] if len(words) > 1 else b"")
        if not numbers or numbers[0] < 0:
            wanted = "a path, a label of at least 0, and perhaps begin and end are needed"
            raise ValueError(f"line {number} of {path} is {_text(line)}; {wanted}")
        if passed_over:
            doubtful.append(f"{_text(passed_over)} on line {number} is passed over, as it does not begin with a number")
        elif len(numbers) == len(_PATTERNS) and numbers[1] == numbers[2]:
            doubtful.append(f"line {number} is left out, as its range ends where it begins")
            continue
        label, begin, end = (*numbers, 0.0, 0.0)[: len(_PATTERNS)]
        name = os.fsdecode(words[0].partition(b"\0")[0])
        found.append(ListedVideo(name, int(label), np.float32(begin), np.float32(end)))
    if doubtful:
        more = f"; and {len(doubtful) - 3} lines more" if len(doubtful) > 3 else ""
        warnings.warn(f"{path}: {'; '.join(doubtful[:3])}{more}", UserWarning, stacklevel=2)
    return found


def _numbers(text: bytes) -> tuple[list[float], bytes]:
    """Label, begin and end as far as they are there, and what is passed over from where there is no number."""
    numbers = list[float]()
    for pattern, largest in _PATTERNS:
        rest = text.strip()
        if not rest:
            break
        found = pattern.match(rest)
        try:
            value = float(found[0]) if found else None
        except ValueError:  # an exponent without digits
            value = None
        numbers.append(0.0 if value is None else math.copysign(min(abs(value), largest), value))
        if found is None or value is None or abs(value) > largest:
            return numbers, rest
        text = rest[found.end() :]
    return numbers, b""


def _text(line: bytes) -> str:
    return repr(line.decode("utf-8", "backslashreplace")[:60])

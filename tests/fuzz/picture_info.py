"""What rules may want to know of a picture file whose verdicts differ: a few words each."""

from __future__ import annotations

import struct

from fuzz.peer import Verdict

_SHORT, _LONG, _PACK_BITS = 3, 4, 32773
#: Types of the fields of a TIFF directory that decoders look at, and those that stand once and must be there.
_TYPES = {256: (_SHORT, _LONG), 257: (_SHORT, _LONG), 258: (_SHORT,), 259: (_SHORT,), 262: (_SHORT,), 273: (_SHORT, _LONG),
          274: (_SHORT,), 277: (_SHORT,), 278: (_SHORT, _LONG), 279: (_SHORT, _LONG), 284: (_SHORT,), 320: (_SHORT,), 338: (_SHORT,)}  # fmt: skip
_SINGLE, _REQUIRED = (256, 257, 259, 262, 274, 277, 278, 284), (256, 257, 258, 259, 262, 273, 277, 278, 279)
_COLORS = {0: 1, 1: 1, 2: 3, 3: 1, 5: 4}
_SIZES = {_SHORT: 2, _LONG: 4}
_VALUES = {259: (1, 5, 8, 32773, 32946), 262: (0, 1, 2, 3, 5), 274: range(1, 9), 284: (1,)}


def of_accepted(form: str, file: bytes, theirs: Verdict) -> str:
    """What nvidia.dali made of a file that is refused here."""
    if theirs.arrays is None:
        return "refused in RGB"
    image = theirs.arrays[0][0]
    if form == "bmp" and image[::-1, :, ::-1].tobytes() in file:
        return "rows of 24 bits without padding"
    return ""


def of_file(form: str, file: bytes) -> str:
    """What is strange about the header of a file; only TIFF files are looked at."""
    return "; ".join(_strange_fields(file)) if form == "tiff" else ""


def _strange_fields(file: bytes) -> list[str]:
    order = "<" if file[:2] == b"II" else ">"
    try:
        (start,) = struct.unpack_from(order + "I", file, 4)
        entries, (following,) = _directory(file, order, start)
    except struct.error:
        return ["directory cut off"]
    tags = [tag for tag, _, _ in entries]
    found = ["fields in disorder"] if tags != sorted(set(tags)) else []
    found += [f"field {tag} is missing" for tag in _REQUIRED if tag not in tags]
    found += ["no directory where the first one says that the next is"] if following and not _is_directory(file, order, following) else []
    values = {tag: struct.unpack_from(order + "H", file, start + 10 + 12 * i)[0] for i, (tag, _, _) in enumerate(entries)}
    extra = values.get(277, 1) - _COLORS.get(values.get(262, 1), 1)
    if extra != {tag: number for tag, _, number in entries}.get(338, 0):
        found.append(f"{extra} further channels, and field 338 says otherwise")
    rows = next((struct.unpack_from(order + "I", file, start + 10 + 12 * i)[0] for i, (tag, kind, _) in enumerate(entries)
                 if tag == 278 and kind == 4), 0)  # fmt: skip
    found += [f"field 278 is {rows}"] if 2**31 <= rows < 2**32 - 1 else []
    for i, (tag, kind, number) in enumerate(entries):
        size = number * _SIZES.get(kind, 1)
        if tag not in _TYPES:
            found += [] if tag in (254, 282, 283, 296, 297, 305, 317, 339, 34665) else [f"field {tag} is unknown"]
        elif kind not in _TYPES[tag] or (tag in _SINGLE and number != 1) or number == 0:
            found.append(f"field {tag} has type {kind}, {number} times")
        elif size > 4 and struct.unpack_from(order + "I", file, start + 10 + 12 * i)[0] + size > len(file):
            found.append(f"field {tag} lies outside")
        elif tag in _VALUES:
            found += [] if values[tag] in _VALUES[tag] else [f"field {tag} is {values[tag]}"]
    if values.get(259) == _PACK_BITS and not found and _crosses_rows(file, order, start, entries):
        found.append("runs of PackBits cross the ends of rows")
    return found


def _crosses_rows(file: bytes, order: str, start: int, entries: list[tuple[int, int, int]]) -> bool:
    """Whether the first strip, of the samples of each row side by side, is not coded row by row, as it must be."""
    at = {tag: struct.unpack_from(order + ("H" if kind == _SHORT else "I"), file, start + 10 + 12 * i)[0] for i, (tag, kind, _) in enumerate(entries)}
    strip = file[at[273] : at[273] + at[279]]
    row, filled, place = at[256] * at[277], 0, 0
    while place < len(strip):
        code = strip[place]
        filled += 0 if code == 128 else code + 1 if code < 128 else 257 - code
        place += 1 if code == 128 else code + 2 if code < 128 else 2
        if filled > row:
            return True
        filled %= row
    return False


def _directory(file: bytes, order: str, start: int) -> tuple[list[tuple[int, int, int]], tuple[int]]:
    """Tag, type and count of the fields of a directory, and where the next one lies; raises `struct.error`."""
    (count,) = struct.unpack_from(order + "H", file, start)
    entries = [struct.unpack_from(order + "HHI", file, start + 2 + 12 * i) for i in range(count)]
    return entries, struct.unpack_from(order + "I", file, start + 2 + 12 * count)


def _is_directory(file: bytes, order: str, start: int) -> bool:
    try:
        tags = [tag for tag, _, _ in _directory(file, order, start)[0]]
    except struct.error:
        return False
    return set(_REQUIRED) <= set(tags) and tags == sorted(set(tags))

"""What rules may want to know of a picture file whose verdicts differ: a few words each."""

from __future__ import annotations

from fuzz.peer import Verdict


def of_accepted(form: str, file: bytes, theirs: Verdict) -> str:
    """What nvidia.dali made of a file that is refused here."""
    if theirs.arrays is None:
        return "refused in RGB"
    image = theirs.arrays[0][0]
    if form == "bmp" and image[::-1, :, ::-1].tobytes() in file:
        return "rows of 24 bits without padding"
    return ""


def of_file(form: str, file: bytes) -> str:
    """What is strange about a file."""
    return ""

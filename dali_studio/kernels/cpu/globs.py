"""Patterns of file names, as POSIX' ``fnmatch`` has them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

_SUFFIX = re.compile(r"\*([^*?\[\\]+)", re.ASCII)


def matcher(patterns: Sequence[str], case_sensitive: bool) -> Callable[[bytes], bool]:
    """What tells whether a name matches one of the patterns.

    Parameters
    ----------
    patterns : sequence of str
        With ``*``, ``?``, ``[a-z]``, ``[!a-z]``, ``[^a-z]`` and backslash escapes.
    case_sensitive : bool

    Returns
    -------
    callable
        ``matches(name)``, for a name in the encoding of the file system.
    """
    flags = re.DOTALL if case_sensitive else re.DOTALL | re.IGNORECASE
    compiled = re.compile("|".join(_glob_to_regex(p) for p in patterns), flags)
    suffixes = tuple(match[1].encode() for p in patterns if p.isascii() and (match := _SUFFIX.fullmatch(p)))
    if not case_sensitive:
        suffixes = tuple(suffix.lower() for suffix in suffixes)
    only_suffixes = len(suffixes) == len(patterns)

    def matches(name: bytes) -> bool:
        if (name if case_sensitive else name.lower()).endswith(suffixes):
            return True
        # letters beyond ASCII may be small forms of ASCII's
        return not (only_suffixes and name.isascii()) and compiled.fullmatch(os.fsdecode(name)) is not None

    return matches


def _glob_to_regex(pattern: str) -> str:
    """Glob of POSIX ``fnmatch`` without flags: ``*``, ``?``, ``[a-z]``, ``[!a-z]``, ``[^a-z]``, backslash escapes."""
    out: list[str] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        i += 1
        if char == "*":
            out.append(".*")
        elif char == "?":
            out.append(".")
        elif char == "\\" and i < len(pattern):
            out.append(re.escape(pattern[i]))
            i += 1
        elif char == "[" and (end := _bracket_end(pattern, i)) > 0:
            out.append(_bracket_to_regex(pattern[i:end]))
            i = end + 1
        else:
            out.append(re.escape(char))
    return "".join(out)


def _bracket_end(pattern: str, begin: int) -> int:
    """Place of the ``]`` that closes a bracket, or -1; a ``]`` that stands first is an ordinary character."""
    first = begin + (1 if pattern[begin : begin + 1] in ("!", "^") else 0)
    return pattern.find("]", first + 1)


def _bracket_to_regex(body: str) -> str:
    negated = body[:1] in ("!", "^")
    inside = body[1:] if negated else body
    inside = re.sub(r"\\(?!.)|[\[\]^&~|]", lambda m: "\\" + m[0], inside.replace("\\\\", "\\"))
    return f"[{'^' if negated else ''}{inside}]"

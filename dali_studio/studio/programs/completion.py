"""Names that may follow at a place in the text of a code node. The text is read, and not run."""

from __future__ import annotations

import importlib
import re
from contextlib import suppress
from typing import Any

from dali_studio.studio.protocol.output_messages import Name

_FUNCTION = re.compile(r"^def (\w+)\(([^()]*)\)", re.MULTILINE)
#: How many names are told.
_COUNT = 200


def names_at(source: str, line: int, column: int) -> tuple[Name, ...]:
    """Names that begin with what stands before a place.

    Parameters
    ----------
    source : str
        The text of a module, which may be unfinished.
    line, column : int
        The place: lines count from 1, characters from 0.
    """
    with suppress(Exception):  # whatever it stumbles over in somebody's unfinished text: there are no names then
        jedi: Any = importlib.import_module("jedi")  # it comes with IPython, and has no types
        script = jedi.Script(source + _calls(source), environment=jedi.InterpreterEnvironment())
        found = script.complete(line, column)
        return tuple(Name(name=one.name, kind=one.type) for one in found[:_COUNT])
    return ()


def _calls(source: str) -> str:
    """Calls of the text's functions with arrays, from which their arguments' attributes are known."""
    calls = (
        f"{name}({', '.join('_array' for one in given.split(',') if one.strip())})\n"
        for name, given in _FUNCTION.findall(source)
    )
    return f"\n\nimport numpy\n_array: numpy.ndarray\n{''.join(calls)}"

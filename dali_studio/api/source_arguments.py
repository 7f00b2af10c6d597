"""How an external source is described: what may stand behind it, and its arguments in their one form."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def is_generator_function(source: Any) -> bool:
    """Whether a call of `source`, which may be an object or a partial function, gives a generator."""
    if isinstance(source, functools.partial):
        return is_generator_function(cast(Any, source).func)
    if inspect.isgeneratorfunction(source):
        return True
    plain = source is None or inspect.isroutine(source) or inspect.isclass(source)
    kind: Any = cast(Any, type(source))
    return not plain and inspect.isgeneratorfunction(getattr(kind, "__call__", None))  # noqa: B004 - what it is, not whether


def is_iterable(source: Any) -> bool:
    """Whether items are taken one after the other; otherwise `source` is called for each."""
    kind: Any = cast(Any, type(source))
    return is_generator_function(source) or hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")


def argument_count(source: Callable[..., Any]) -> int:
    """How many arguments a callable source takes.

    Raises
    ------
    DaliStudioError
        DS104 for anything but none or one positional argument.
    """
    try:
        parameters = list(inspect.signature(source).parameters.values())
    except (TypeError, ValueError):  # some functions written in C
        return 0
    positional = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if not positional or len(parameters) > 1:
        names = ", ".join(str(p) for p in parameters)
        raise _refused(
            "source", f"The source takes ({names}).", "Give a callable with no or one positional argument.", "DS104"
        )
    return len(parameters)


def external_source_arguments(source: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The node's arguments for a call of ``fn.external_source``: ``cycle``, ``layout``, types in their one form.

    Raises
    ------
    DaliStudioError
        DS104 or DS105 for a source that cannot give data, or cannot cycle.
    """
    arguments = {name: value for name, value in given.items() if value is not None}
    outputs = arguments.get("num_outputs")
    if source is not None:
        arguments["source"] = source
        if not is_iterable(source):
            if not callable(source):
                raise _refused(
                    "source",
                    f"{source!r} gives no data.",
                    "Give a callable, an iterable or a generator function.",
                    "DS104",
                )
            argument_count(source)
    if outputs is not None and arguments.get("name") is not None:
        raise _refused("name", "Several outputs cannot share a name.", "Take name or num_outputs away.")
    cycle = arguments.pop("cycle", None)
    if cycle is not None and (source is None or not is_iterable(source)):
        raise _refused(
            "cycle",
            "Only an iterable can begin again, and whether it does is what cycle says.",
            "Leave cycle out, or give an iterable.",
        )
    if cycle not in (None, False, "no"):
        if inspect.isgenerator(source):
            raise _refused(
                "cycle", "A generator cannot begin again.", "Give the generator function instead of its result."
            )
        arguments["cycle"] = "quiet" if cycle is True else cycle
    if arguments.get("parallel"):
        _complete_parallel(source, arguments)
    layout = arguments.get("layout")
    if isinstance(layout, str):
        arguments["layout"] = [layout] * (outputs if isinstance(outputs, int) else 1)
    elif isinstance(layout, list | tuple):
        arguments["layout"] = ["" if one is None else one for one in cast("Sequence[object]", layout)]
    return arguments


def _complete_parallel(source: Any, arguments: dict[str, Any]) -> None:
    """Complete the arguments of a parallel source.

    Raises
    ------
    DaliStudioError
        DS104 or DS105 for what processes cannot do.
    """
    if source is None:
        raise _refused("source", "A parallel source needs a callable or an iterable.", "Give source, or feed data.")
    if arguments.get("no_copy") is False:
        raise _refused("no_copy", "What worker processes give is never copied.", "Leave no_copy out.")
    if is_iterable(source):
        if arguments.get("batch") is False:
            raise _refused("batch", "An iterable gives batches, not samples.", "Give batch=True.", "DS104")
    elif not argument_count(source):
        raise _refused(
            "source", "A parallel source is called with what is asked for; this one takes no argument.",
            "Let it take a types.SampleInfo, or with batch=True the number of the iteration.", "DS104",
        )  # fmt: skip
    arguments["no_copy"] = True


def _refused(argument: str, message: str, hint: str, code: str = "DS105") -> DaliStudioError:
    return DaliStudioError(Diagnostic(code=code, argument=argument, message=message, hint=hint))

"""The options of a pipeline: checks, and plain answers under nvidia.dali's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from operator import index
from typing import Any

from dali_studio.api.support import PIPELINE_ARGUMENTS, refusal
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.node import GraphOptions, option_found


class StreamPolicy(Enum):
    """Which operators of nvidia.dali share a CUDA stream; without effect here, as each pipeline has two."""

    SINGLE = 1
    PER_BACKEND = 2
    PER_OPERATOR = 3
    UNSPECIFIED = 0


class OperatorConcurrency(Enum):
    """Which operators of nvidia.dali run side by side; without effect here, as the executor decides."""

    NONE = 1
    BACKEND = 2
    FULL = 3
    UNSPECIFIED = 0


#: Options that take members of an enumeration, of this package's or of nvidia.dali's.
_ENUMERATED: dict[str, type[Enum]] = {"stream_policy": StreamPolicy, "concurrency": OperatorConcurrency}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a pipeline was made with.

    Attributes
    ----------
    options : GraphOptions
        What belongs to the graph.
    pipelined, asynchronous : bool
        Together they let iterations be computed ahead.
    extra : mapping
        Options without effect here.
    """

    options: GraphOptions
    pipelined: bool
    asynchronous: bool
    extra: Mapping[str, Any]


def _extra(name: str) -> Callable[[Settings], Any]:
    return lambda s: s.extra.get(name)


def _dynamic(settings: Settings) -> bool:
    asked = settings.extra.get("experimental_exec_dynamic")
    asked = settings.extra.get("exec_dynamic") if asked is None else asked
    return settings.pipelined and settings.asynchronous if asked is None else bool(asked)


#: Plain answers from the options, under nvidia.dali's names.
ANSWERS: dict[str, Callable[[Settings], Any]] = {
    "batch_size": lambda s: s.options.batch_size,
    "max_batch_size": lambda s: s.options.batch_size,
    "num_threads": lambda s: s.options.num_threads,
    "device_id": lambda s: s.options.device_id,
    "prefetch_queue_depth": lambda s: s.options.prefetch_queue_depth,
    "cpu_queue_size": lambda s: s.options.prefetch_queue_depth,
    "gpu_queue_size": lambda s: s.options.prefetch_queue_depth,
    "exec_pipelined": lambda s: s.pipelined,
    "exec_async": lambda s: s.asynchronous,
    "exec_separated": lambda _: False,
    "exec_dynamic": _dynamic,
    "enable_memory_stats": lambda s: bool(s.extra.get("enable_memory_stats", False)),
    "set_affinity": lambda s: bool(s.extra.get("set_affinity", False)),
    "py_num_workers": lambda s: s.extra.get("py_num_workers", 1),
    "py_start_method": lambda s: s.extra.get("py_start_method", "fork"),
    "default_cuda_stream_priority": lambda s: s.extra.get("default_cuda_stream_priority", 0),
    "max_streams": lambda s: s.extra.get("max_streams", -1),
    **{name: _extra(name) for name in _ENUMERATED},
}


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that do not exist (DS102), are not available (DS106), or have a value of another kind (DS105)."""
    for option, value in options.items():
        support = PIPELINE_ARGUMENTS.get(option)
        if support is None:
            raise DaliStudioError(
                Diagnostic(
                    code="DS102",
                    argument=option,
                    message=f"Pipeline has no option {option!r}.",
                    hint=f"Options: {', '.join(PIPELINE_ARGUMENTS)}.",
                )
            )
        if option == "enable_conditionals" and value:
            raise DaliStudioError(
                Diagnostic(
                    code="DS106", argument=option, message="enable_conditionals is no option of Pipeline itself.",
                    hint="Give it to pipeline_def, which rewrites the function that it decorates.",
                )
            )  # fmt: skip
        kind = _ENUMERATED.get(option)
        if kind and value is not None and getattr(value, "name", None) not in kind.__members__:
            raise bad_option(option, value, " or ".join(f"{kind.__name__}.{name}" for name in kind.__members__))
        if support.status == "refused" and value not in (None, False):
            raise refusal(f"Pipeline(..., {option}={value!r})", support)


def bad_option(option: str, value: object, accepted: str) -> DaliStudioError:
    """The error for an option that is missing or senseless."""
    given = "is not given" if value is None else f"is {value!r}"
    return DaliStudioError(
        Diagnostic(
            code="DS105",
            argument=option,
            message=f"{option} {given}; {accepted} is accepted.",
            hint=f"Give {option}={accepted}, to the decorator or to the call.",
        )
    )


def graph_options(**options: Any) -> GraphOptions:
    """The options that belong to the graph; refuses senseless ones (DS105)."""
    found = [d for name, value in options.items() if (d := option_found(name, value)) is not None]
    if found:
        raise DaliStudioError(found)
    plain: dict[str, Any] = {name: index(v) if hasattr(v, "__index__") else v for name, v in options.items()}
    return GraphOptions(**plain)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> DaliStudioError:
    """The error for the name of a node that the pipeline does not have."""
    return DaliStudioError(
        Diagnostic(
            code="DS209",
            message=f"There is no {kind} called {name!r}.",
            hint=f"{kind.rsplit(maxsplit=1)[-1].capitalize()}s: {', '.join(known) or 'none'}.",
        )
    )

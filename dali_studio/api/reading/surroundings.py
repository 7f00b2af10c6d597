"""What a program asks its surroundings for when it starts: its place among others of its kind, draws.

It is read as one process with one GPU runs it, and draws are those in the middle. A finding says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_HOROVOD = ("torch", "tensorflow", "tensorflow.keras", "keras", "mxnet")


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _whole(low: int, high: int) -> int:
    return (low + high) // 2


def _below(low: int, high: int | None = None, *_: Any, **__: Any) -> int:
    return _whole(0, low - 1) if high is None else _whole(low, high - 1)


def _uniform(low: float = 0.0, high: float = 1.0) -> float:
    return (low + high) / 2


def _chosen(items: int | Sequence[Any], *_: Any, **__: Any) -> Any:
    return _below(items) if isinstance(items, int) else items[0]


#: By their dotted names.
ASKED: dict[str, Callable[..., Any]] = {
    **{f"torch.distributed.{name}": _always(value) for name, value in (
        ("get_rank", 0), ("get_world_size", 1), ("is_initialized", False),
    )},
    **{f"torch.cuda.{name}": _always(value) for name, value in (
        ("current_device", 0), ("device_count", 1), ("is_available", True),
    )},
    **{f"jax.{name}": _always(value) for name, value in (
        ("process_index", 0), ("process_count", 1), ("device_count", 1), ("local_device_count", 1),
    )},
    **{f"horovod.{package}.{name}": _always(value) for package in _HOROVOD for name, value in (
        ("rank", 0), ("local_rank", 0), ("size", 1), ("local_size", 1),
    )},
    "random.random": _uniform, "random.uniform": _uniform, "random.randint": _whole, "random.randrange": _below,
    "random.choice": _chosen, "numpy.random.rand": _uniform, "numpy.random.random": _uniform,
    "numpy.random.uniform": _uniform, "numpy.random.randint": _below, "numpy.random.choice": _chosen,
}  # fmt: skip


def has_default(path: str, arguments: Sequence[Any]) -> bool:
    """Whether a call gives its second argument where nothing else is set: ``settings.get(name, default)``."""
    return len(arguments) == 2 and (path.endswith(".get") or path == "os.getenv") and isinstance(arguments[0], str)

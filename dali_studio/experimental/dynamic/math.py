"""Functions of the elements of tensors and batches, with the names and rules of ``dali_studio.math``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from dali_studio import math as _of_nodes
from dali_studio.api.dynamic.values import elements as _elements


def _function(name: str, like: FunctionType) -> Callable[..., Any]:
    signature = inspect.signature(like)
    count = len(signature.parameters)

    def function(*operands: Any, **named: Any) -> Any:
        if named or len(operands) != count:
            operands = signature.bind(*operands, **named).args
        return _elements(name, *operands)

    function.__name__ = function.__qualname__ = name
    vars(function)["__signature__"] = signature
    function.__doc__, function.__module__ = like.__doc__, __name__
    return function


__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    name
    for name, one in vars(_of_nodes).items()
    if isinstance(one, FunctionType) and one.__module__ == _of_nodes.__name__
]
globals().update({name: _function(name, getattr(_of_nodes, name)) for name in __all__})

"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class Merge:
    """Puts the samples of two branches together again, in their order before the split.

    Both branches have to give one element type, number of axes and layout.
    """
    def __init__(
        self,
        *,
        predicate: bool | DataNode | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        true: _Input,
        false: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Not:
    """Tells whether a number is 0: the opposite of a condition.

    It is what ``not`` becomes in a pipeline function that is traced with conditionals.
    """
    def __init__(
        self,
        *,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

class Split:
    """Divides a batch into the samples for which a condition holds and the others.

    What follows works on these samples alone, until they are merged. An ``if`` statement in a pipeline function that
    is traced with conditionals becomes a pair of these.
    """
    def __init__(
        self,
        *,
        predicate: bool | DataNode | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> list[DataNode]: ...

class ValidateLogical:
    """Checks that its input is one truth value per sample, and passes it on.

    ``and`` and ``or`` in a pipeline function that is traced with conditionals check both their sides with it.
    """
    def __init__(
        self,
        *,
        expression_name: str | None = ...,
        expression_side: str | None = ...,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        input: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...

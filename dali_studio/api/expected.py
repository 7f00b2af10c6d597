"""What a pipeline's user demands of its outputs: ``output_dtype``, ``output_ndim``, ``output_layout``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from dali_studio.api.settings import bad_option
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

Property = Literal["dtype", "ndim", "layout"]


@dataclass(frozen=True, slots=True)
class ExpectedOutputs:
    """Element types, ranks and layouts: each ``None``, one value for all outputs, or a list with one for each."""

    dtype: Any
    ndim: Any
    layout: Any

    @property
    def anything(self) -> bool:
        """Whether something is demanded."""
        return not (self.dtype is None and self.ndim is None and self.layout is None)

    def of(self, what: Property, count: int) -> list[Any]:
        """One value for each of `count` outputs; ``None`` where nothing is demanded.

        Raises
        ------
        DaliStudioError
            DS105 if a list has another length.
        """
        value: Any = getattr(self, what)
        if not isinstance(value, list | tuple):
            return [value] * count
        given = [*cast("Sequence[Any]", value)]
        if len(given) != count:
            raise bad_option(f"output_{what}", given, f"one value, or a list of {count}, one for each output,")
        return given

    def check(self, outputs: Sequence[tuple[Any, Any, Any]]) -> None:
        """Compare with (dtype, ndim, layout) of all outputs; what is not known yet (``None``) is not compared.

        Raises
        ------
        DaliStudioError
            DS203 for the first output that is not what was demanded; DS105 as `of`.
        """
        properties: tuple[Property, ...] = ("dtype", "ndim", "layout")
        for number, what in enumerate(properties):
            for at, (demanded, output) in enumerate(zip(self.of(what, len(outputs)), outputs, strict=True)):
                found = output[number]
                if demanded is not None and found is not None and found != demanded:
                    raise DaliStudioError(
                        Diagnostic(
                            code="DS203",
                            message=f"Output {at} has the {what} {found}; output_{what} demands {demanded}.",
                            hint=f"Change output_{what}, or convert the output.",
                        )
                    )

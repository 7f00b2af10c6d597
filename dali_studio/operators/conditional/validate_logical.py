"""``fn._conditional.validate_logical``."""

from __future__ import annotations

from typing import Annotated

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.conditional.condition import check_scalar, check_type
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import Choices, Doc


class ValidateLogical(Operator):
    """Checks that its input is one truth value per sample, and passes it on.

    ``and`` and ``or`` in a pipeline function that is traced with conditionals check both their sides with it.
    """

    path = "_conditional.validate_logical"
    category = "conditional"
    icon = "split"
    node_name = "checked"
    keywords = "logical check condition"
    inputs = (Input("input", doc="One BOOL per sample."),)
    outputs = (Output("output", "scalar"),)

    expression_name: Annotated[str, Doc("Which expression is checked."), Choices(("and", "or", "not"))]
    expression_side: Annotated[str, Doc("Which side of it."), Choices(("left", "right"))]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_type(inputs[0], _side(args))
        _check_dtype(args, inputs[0])
        return TensorMeta(DALIDataType.BOOL, 0, "", "scalar")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        check_scalar(inputs[0].shapes.shape[1], _side(args))
        _check_dtype(args, inputs[0].meta)
        return (inputs[0].as_layout(""),)


def _side(args: Args) -> str:
    return f"the {args['expression_side']} side of `{args['expression_name']}`"


def _check_dtype(args: Args, meta: TensorMeta) -> None:
    if meta.dtype not in (None, DALIDataType.BOOL):
        raise ArgumentError(
            f"{_side(args)} is {meta.dtype.name}; BOOL is accepted.",
            hint="Insert a cast to BOOL, or draw with dtype=types.BOOL.", argument="input", code="DS203",
        )  # fmt: skip

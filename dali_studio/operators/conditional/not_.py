"""``fn._conditional.not_``."""

from __future__ import annotations

from dali_studio.core.batch import Batch
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.conditional.condition import check_scalar, check_type, truth_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output


class Not(Operator):
    """Tells whether a number is 0: the opposite of a condition.

    It is what ``not`` becomes in a pipeline function that is traced with conditionals.
    """

    path = "_conditional.not_"
    category = "conditional"
    icon = "split"
    node_name = "negated"
    keywords = "logical negate invert condition"
    inputs = (Input("input", doc="One number per sample."),)
    outputs = (Output("output", "scalar"),)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_type(inputs[0], "what `not` takes")
        return TensorMeta(DALIDataType.BOOL, 0, "", "scalar")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        check_scalar(inputs[0].shapes.shape[1], "what `not` takes")
        return (Batch.of_array(~truth_of(inputs[0].samples)),)

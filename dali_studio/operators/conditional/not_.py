"""``fn._conditional.not_``."""

from __future__ import annotations

from collections.abc import Sequence

from dali_studio.core.batch import Batch
from dali_studio.core.enums import DALIDataType as T
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.conditional.condition import check_scalar, check_type, truth_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.samples import Case, values


class Not(Operator):
    """Tells whether a number is 0: the opposite of a condition.

    It is what ``not`` becomes in a pipeline function that is traced with conditionals.
    """

    path = "_conditional.not_"
    category = "conditional"
    icon = "split"
    node_name = "negated"
    role = "not"
    keywords = "logical negate invert condition"
    inputs = (Input("input", doc="One number per sample."),)
    outputs = (Output("output", "scalar"),)

    @classmethod
    def samples(cls) -> Sequence[Case]:
        note = "nvidia.dali expects a result of the input's type there, and fails with its own BOOL"
        return [
            Case((values(True, False, True, False, dtype=T.BOOL),)),
            *(
                Case((values(0, 1, 0, 7, dtype=dtype, label=dtype.name),), peer=False, note=note)
                for dtype in (T.UINT8, T.INT32, T.FLOAT)
            ),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_type(inputs[0], "what `not` takes")
        return TensorMeta(T.BOOL, 0, "", "scalar")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        check_scalar(inputs[0].shapes.shape[1], "what `not` takes")
        return (Batch.of_array(~truth_of(inputs[0].samples)),)

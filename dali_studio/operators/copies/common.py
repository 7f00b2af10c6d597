"""What copies between devices share."""

from __future__ import annotations

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.traits import AnyElement


class Copy(Operator, abstract=True):
    """Base of copies: the executor moves the data, by the device of the node and that of its input."""

    category = "copies"
    icon = "chip"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    traits = (AnyElement,)
    role = "copy"

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0]

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        return (inputs[0],)

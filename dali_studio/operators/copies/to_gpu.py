"""The node behind ``DataNode.gpu()``."""

from __future__ import annotations

from dali_studio.core.meta import TensorMeta
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Batch, Input, Operator, Output


class ToGpu(Operator):
    """Copies a batch to the GPU.

    Where there is no GPU the designer computes the same graph on the CPU, and the copy passes its input on.
    """

    category = "copies"
    icon = "chip"
    keywords = "device transfer h2d upload gpu"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    devices = ("mixed",)
    role = "copy"

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0].with_(device="gpu")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        return (inputs[0],)

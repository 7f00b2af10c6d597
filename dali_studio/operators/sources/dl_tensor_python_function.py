"""``fn.dl_tensor_python_function``."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.sources.python_function import FunctionArguments, batches_of, call_function, layouts_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator
from dali_studio.schema.marks import Doc, Ignored

_CPU = 1, 0


class DLTensorPythonFunction(FunctionArguments, Operator):
    """Calls a Python function with the batch as DLPack capsules, which frameworks take over without a copy."""

    path = "dl_tensor_python_function"
    node_name = "function"
    keywords = "callable dlpack capsule"

    batch_processing: Annotated[
        bool, Doc("Call the function once for the batch, with a list of capsules for each input.")
    ] = True
    synchronize_stream: Annotated[bool, Ignored("the function runs on the CPU, where nothing is behind")] = True

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        return tuple(TensorMeta(None, len(layout) if layout else None, layout) for layout in layouts_of(args))

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        made = call_function(args, [[_capsule(one) for one in batch.samples] for batch in inputs], _array)
        return batches_of(args, made, inputs)


def _capsule(sample: NDArray[Any]) -> Any:
    return (sample if sample.flags.writeable else sample.copy()).__dlpack__()


class _Producer:
    """What numpy takes a capsule from."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def _array(made: Any) -> NDArray[Any]:
    return np.from_dlpack(made if hasattr(made, "__dlpack__") else _Producer(made))



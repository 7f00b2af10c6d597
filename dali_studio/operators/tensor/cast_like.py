"""``fn.cast_like``."""

from __future__ import annotations

from collections.abc import Sequence

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import NUMERIC
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T, check_cast
from dali_studio.operators.tensor.cast import Cast
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Input, Operator, Output, compiled
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import AnyElement, PerSample, Pointwise


class CastLike(Operator):
    """Converts the element type to that of another input.

    Of the second input only the type counts. Values are converted as by cast.
    """

    category = "tensor"
    icon = "cast"
    keywords = "convert dtype astype same type"
    inputs = (Input("data"), Input("dtype_like", shape_only=True, doc="Only its element type counts."))
    outputs = (Output("output"),)
    traits = (PerSample, Pointwise, AnyElement)
    devices = ("cpu", "gpu")
    kernels = (compiled("convert", NUMERIC, NUMERIC),)

    @classmethod
    def samples(cls) -> Sequence[Case]:
        like = [tensors(((), (), (), ()), dtype) for dtype in NUMERIC]
        pictures = images(dtype=T.FLOAT)
        return [
            *(Case((pictures, one)) for one in like),
            *(Case((tensors(((4, 2), (0, 3), (1, 1), (5, 2)), dtype, "HW"), like[0])) for dtype in NUMERIC),
            Case((tensors(((), (), (), ()), T.INT64), like[3])),
            Case((values(0, 300, -5, dtype=T.INT32), values(0, 1, 2, dtype=T.INTERP_TYPE))),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_cast(inputs[0].dtype, inputs[1].dtype)
        return inputs[0].with_(dtype=inputs[1].dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(inputs[0].shapes)

    cpu = staticmethod(Cast.cpu)
    cpu_batch = staticmethod(Cast.cpu_batch)
    gpu = staticmethod(Cast.gpu)

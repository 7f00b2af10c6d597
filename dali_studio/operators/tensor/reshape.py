"""``fn.reshape``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T
from dali_studio.operators.tensor.shaping import Shaping, infer_shaped
from dali_studio.schema.arguments import Args
from dali_studio.schema.samples import Case, tensors, values


class Reshape(Shaping):
    """Gives the same elements another shape, or other names to the axes; the data is not copied.

    The shape comes as a list, of which one extent may be -1 and follows from the others; as a fed value for each
    sample; as a second input; or relative to the data's.
    """

    icon = "reshape"
    keywords = "shape view flatten dimensions layout"

    @classmethod
    def samples(cls) -> Sequence[Case]:
        data = tensors(((2, 3, 4), (1, 3, 4), (4, 3, 4)), T.UINT8, "HWC")
        plain = tensors(((2, 3, 4), (1, 3, 4), (4, 3, 4)), T.FLOAT64)
        fed = values((6, 4), (3, 4), (12, 4), dtype=T.INT32)
        static = "nvidia.dali expects as many axes as the data has"
        none = tensors(((0, 3), (0, 5)), T.FLOAT)
        settings: list[dict[str, Any]] = [
            {"shape": (-1,)}, {"shape": (-1, 4)}, {"shape": (3, -1, 4)}, {"shape": (-2, 4)}, {"shape": -1},
            {"shape": (-1, 4), "layout": "AB"}, {"layout": "XYZ"}, {"layout": ""}, {"shape": (2, -1, 3), "layout": ""},
            {"rel_shape": (1.0, -1.0)}, {"rel_shape": (-1.0, 0.5)}, {"rel_shape": (1.0, 1.0, 1.0, -1.0)},
            {"src_dims": (1, 0, 2)}, {"src_dims": (0, 1), "rel_shape": (1.0, -1.0)}, {"src_dims": (), "shape": (-1,)},
            {"src_dims": (2, 1, 0), "rel_shape": (1.0, 1.0, 1.0)}, {"src_dims": (0, 1, 2), "shape": (-1, 1, 1)},
        ]  # fmt: skip
        refused: list[tuple[dict[str, Any], str]] = [
            ({}, "shape"), ({"shape": (-1, -1)}, "shape"), ({"shape": (-1, 5)}, "shape"), ({"shape": (7,)}, "shape"),
            ({"shape": (0, -1)}, "shape"), ({"shape": (-1,), "rel_shape": (-1.0,)}, "rel_shape"),
            ({"layout": "XY"}, "layout"), ({"shape": (-1, 4), "layout": "A"}, "layout"),
            ({"rel_shape": (0.5, 2.0, 1.1)}, "rel_shape"), ({"rel_shape": (1.0, 3.0, -1.0)}, "rel_shape"),
            ({"rel_shape": ()}, "rel_shape"), ({"rel_shape": (1.0,) * 4}, "rel_shape"),
            ({"src_dims": (0, 1)}, "src_dims"),
            ({"src_dims": (0, 3, 1)}, "src_dims"), ({"src_dims": ()}, "src_dims"),
            ({"src_dims": (0,), "rel_shape": (1.0, -1.0)}, "rel_shape"),
        ]  # fmt: skip
        return [
            *(Case((data,), one) for one in settings),
            *(Case((plain,), one) for one in settings),
            *(Case((data,), one, refused=argument) for one, argument in refused),
            Case((data,), {"src_dims": (0, -1, 1, 2)}, peer=False, note=static),
            Case((plain,), {"shape": values((-1, -1), (3, 4), (12, 4), dtype=T.INT32)}, refused="shape"),
            Case((data,), {"shape": fed, "layout": "AB"}),
            Case((data, values((6, 4), (3, 4), (12, 4), dtype=T.INT64)), {"layout": "AB"}),
            Case((data, values((6, 4), (3, 4), (12, 4))), {}, refused=""),
            Case((data, fed), {"shape": (-1,)}, refused="shape"),
            *(Case((none,), {"shape": shape}) for shape in ((-1,), (-1, 3))),
            Case((none,), {"rel_shape": (-1.0, 1.0)}),
            Case((none,), {"rel_shape": (1.0, -1.0)}, refused="rel_shape"),
            *(Case((tensors(((), ()), T.INT16),), {"shape": shape}) for shape in ((1,), (-1,), (), (1, -1, 1))),
            Case((tensors(((), ()), T.INT16),), {"src_dims": (-1,)}, peer=False, note=static),
        ]

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        return infer_shaped(args, inputs, inputs[0].dtype)

"""``fn.resize``, and what resizes images and volumes like it."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import (
    VOLUME_LAYOUTS,
    T,
    extents,
    image_meta,
    spatial_axes,
    with_extents,
)
from dali_studio.operators.geometry.movements import RESIZE
from dali_studio.operators.geometry.resampling import UNNAMED, Resampling, filter_params, output_meta
from dali_studio.operators.geometry.sizes import SizeArguments, check_size_arguments, output_sizes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Input, Output, example
from dali_studio.schema.marks import Deprecated, Doc, Ignored
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.samples import FLAT, PARTLY_EMPTY, Case, Data, derived, images, tensors, values
from dali_studio.schema.traits import Affine, PerFrame, PerSample, SourcePart, WindowSource


def _each_filter(*numbers: int) -> tuple[dict[str, Data], ...]:
    """Arguments with a filter for each sample: one for all directions, and one for each."""
    fed, turned = (values(*one, dtype=T.INTERP_TYPE) for one in (numbers, numbers[::-1]))
    return {"interp_type": fed}, {"min_filter": fed, "mag_filter": turned}


class Resize(SizeArguments, Resampling):
    """Resamples images and volumes to another size.

    The axes are filtered one after the other. Pixel i has its centre at i + 0.5; beyond the edge the nearest pixel
    counts. When an axis shrinks, `antialias` widens the filter by the scale.
    """

    category = "geometry"
    keywords = "scale rescale interpolation zoom thumbnail"
    inputs = (Input("image", "image", layouts=VOLUME_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, WindowSource, SourcePart, Affine)
    devices = ("cpu", "gpu")
    movement = RESIZE
    shown = example(size=(224.0, 224.0))
    examples = (
        example(size=(24.0, 31.0)),
        example(resize_shorter=20.0),
        example(resize_x=120.0, interp_type="INTERP_NN"),
        example(size=(30.5, 20.25), antialias=False),
        example(resize_longer=33.0, dtype="FLOAT"),
        example(size=(24.0, 30.0), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True),
        example(size=(50.0, 90.0), mode="not_larger", max_size=(40.0,)),
    )

    save_attrs: Annotated[bool, Doc("A second output: extents of the input, as size has them.")] = False
    image_type: Annotated[int | None, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = [one.arguments for one in cls.examples]
        sizes = ((21, 34), (30, 25))
        region = {"roi_start": (0.1, 0.2, 0.0), "roi_end": (0.9, 0.7, 0.93), "roi_relative": True}
        volumes = [images(sizes, layout=layout) for layout in ("DHWC", "CDHW")]
        sequences = [images(sizes, layout=layout) for layout in ("CFHW", "FDHWC", "FCDHW", "CFDHW")]
        whole = {"resize_shorter": 12.0, "save_attrs": True}
        return [
            *derived(cls.schema, given, FLAT),
            *(Case((images(PARTLY_EMPTY),), {"size": (4.0, 5.0), **one}) for one in ({}, {"interp_type": "INTERP_NN"})),
            *(Case((data,), one) for data in volumes for one in (
                {"size": (2.0, 24.0, 31.0)}, {"size": (7.0, 24.0, 31.0)}, {"size": (3.0, 30.0, 15.0)},
                {"size": (5.0, 9.0, 40.0), "interp_type": "INTERP_NN"},
                {"size": (2.0, 9.0, 40.0), "interp_type": "INTERP_NN", **region},
                {"size": (5.0, -9.0, 40.0), "interp_type": "INTERP_CUBIC", **region},
                {"size": (2.0, 9.0, 40.0), "interp_type": "INTERP_LANCZOS3", "antialias": False},
                {"resize_z": 5.0, "resize_y": 50.0}, {"resize_x": 13.0}, {"resize_z": -2.0, "mode": "stretch"},
                {"resize_shorter": 2.0, "max_size": (3.0, 12.0, 9.0)}, {"size": (14.0,), "mode": "not_larger"}, whole)),
            *(Case((images(sizes, dtype, "DHWC", channels),), {"size": (2.0, 24.0, 41.0), "dtype": name})
              for dtype, channels in ((T.FLOAT, 3), (T.INT16, 1), (T.UINT16, 4)) for name in (dtype.name, "FLOAT")),
            *(Case((data,), {"size": (14.0,)}) for data in sequences),
            *(Case((data,), whole) for data in (images(sizes), sequences[0])),
            Case((tensors(((4, 5, 6, 3), (3, 7, 8, 1))),), {"size": (7.0, 9.0)}),
            Case((tensors(((2, 4, 5, 6, 3), (1, 3, 7, 8, 1))),), {"size": (5.0, 7.0, 9.0)}),
            Case((images(sizes),), {"size": values(12.0, 30.0)}),
            Case((images(sizes),), {"size": (9.0, 8.0), "roi_start": values(0.1, 0.2), "roi_end": values(0.7, 0.9),
                                    "roi_relative": True}),
            *(Case((data,), {"size": (24.0, 31.0), **one})
              for data in (images(), images(layout="CHW"), images(layout="FHWC")) for one in _each_filter(*range(4))),
            Case((images(),), {"size": (24.0, 50.0), **_each_filter(5, 4, 1, 3)[0]}),
            *(Case((data,), {"size": (3.0, 30.0, 15.0), **one}) for data in volumes for one in _each_filter(3, 0)),
            Case((images(sizes),), {"size": 9.0, **_each_filter(6, 0)[0]}, refused="interp_type"),
            Case((images(sizes),), {"size": 9.0, "min_filter": values(1, 2, dtype=T.INT32)}, refused="min_filter"),
            Case((images(sizes),), {"size": values((12.0,), (30.0,))}, refused="size"),
            Case((images(sizes),), {"size": (2.0, 24.0, 31.0)}, refused="size"),
            Case((volumes[0],), {"size": (24.0, 31.0)}, refused="size"),
            Case((volumes[0],), {"size": 5.0, "roi_start": (1.0, 1.0), "roi_end": 2.0}, refused="roi_start"),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        return (*schema.outputs, Output("size")) if values.get("save_attrs") else schema.outputs

    @classmethod
    def by_frame(cls, args: Args, *inputs: TensorMeta) -> bool:
        return not _saves(args) and (inputs[0].device == "gpu" or not args.constant)

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta | tuple[TensorMeta, ...]:
        meta = image_meta(inputs[0], VOLUME_LAYOUTS, UNNAMED)
        made = output_meta(args, meta)
        check_size_arguments(args, len(spatial_axes(meta.layout)) if meta.layout else None)
        return (made, TensorMeta(T.INT32, 1, "")) if _saves(args) else made

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        layout = image_meta(inputs[0].meta, VOLUME_LAYOUTS, UNNAMED).layout or ""
        shapes = inputs[0].shapes
        in_sizes = extents(shapes, layout)
        sizes, rois = output_sizes(args, in_sizes)
        sizes[in_sizes == 0] = 0  # of nothing, nothing is made
        params = {
            "sizes": sizes, "rois": rois, "layout": layout, "in_sizes": in_sizes, "first": spatial_axes(layout)[0],
            **filter_params(args),
        }  # fmt: skip
        made = with_extents(shapes, layout, sizes)
        more = (np.full((len(shapes), 1), in_sizes.shape[1]),) if _saves(args) else ()
        return Work(made, params, more)


def _saves(args: Args) -> bool:
    return bool(args.schema.argument("save_attrs") and args["save_attrs"])

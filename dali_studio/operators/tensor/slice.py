"""``fn.slice``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.copy_window import copy_window, copying_windows
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import copy_windows_on_gpu
from dali_studio.operators.axes import rows_of
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.operators.geometry.movements import SLICE
from dali_studio.operators.geometry.slices import (
    BOUNDS,
    POSITIONS,
    SliceArguments,
    check_slice,
    slice_axes,
    slice_windows,
    unnamed_layout,
)
from dali_studio.operators.geometry.windows import (
    CONVERTED,
    RULES,
    ContinuedOutOfBounds,
    continued,
    fill_values,
    image_window,
    policy_of,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, compiled, example
from dali_studio.schema.marks import Deprecated, Doc, Ignored, Refused
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import PerSample, ReadsParameters, WindowSink

_TYPES = tuple(t for t in NUMERIC if t is not T.BOOL)


class Slice(SliceArguments, ContinuedOutOfBounds, RangesOperator):
    """Cuts a window out of a tensor of any number of axes.

    The window begins at `start` or `rel_start`, and ends at `end` or `rel_end`, or extends over `shape` or `rel_shape`;
    relative ones are fractions of the input's extents. Or its first element and its extents come by the inputs `anchor`
    and `shape`. There is a number for each of the axes that `axes` or `axis_names` name, or one for all; other axes
    are kept whole. Begin and end are rounded to the nearest element.
    """

    category = "tensor"
    icon = "crop"
    keywords = "cut window crop subset range roi"
    inputs = (
        Input("data"),
        Input("anchor", optional=True, dtypes=POSITIONS, either_device=True, doc="Where the window begins."),
        Input("shape", optional=True, dtypes=POSITIONS, either_device=True, doc="Its extents."),
    )
    outputs = (Output("output"),)
    traits = (PerSample, ReadsParameters, WindowSink)
    devices = ("cpu", "gpu")
    movement = SLICE
    kernels = (compiled("cut_windows", _TYPES, CONVERTED),)
    examples = (
        example(start=(3, 5), end=(20, 19)),
        example(rel_start=(0.25,), rel_shape=(0.5,), axis_names="H"),
        example(start=(-2, 3), shape=(40, 60), axes=(0, 1), out_of_bounds_policy="pad", fill_values=(7.6,)),
        example(rel_start=(-0.1, 0.6), rel_end=(0.5, 1.2), out_of_bounds_policy="trim_to_shape", dtype="FLOAT"),
    )

    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset keeps the input's.")] = None
    output_dtype: Annotated[DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")] = None
    image_type: Annotated[int | None, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((21, 34), (30, 25))
        some = images(sizes)
        numbers = tensors(((40,), (17,)), T.INT32)
        along = {"axes": (0,)}
        pad = {"out_of_bounds_policy": "pad"}
        anchors, extents = values((0.1, 0.27), (0.52, 0.0)), values((0.33, 0.5), (0.45, 1.0))
        whole = values((3, 5), (0, 2), dtype=T.INT32), values((9, 20), (4, 1), dtype=T.INT32)
        reals = values((3.4, 5.5), (0.0, 2.2)), values((9.3, 2.0), (4.5, 0.1))
        many = tensors(((2, 3, 2, 3, 2), (3, 2, 2, 2, 4)), T.UINT8)
        return [
            *(Case((images(sizes, dtype),), one.arguments) for one in cls.examples for dtype in _TYPES),
            *(Case((images(sizes, layout=layout),), one.arguments) for one in cls.examples[:3]
              for layout in ("CHW", "FHWC", "HW", "DHWC")),
            *(Case((images(sizes, dtype),), {"start": (1, 2), "dtype": name, **pad})
              for dtype in (T.FLOAT, T.INT16, T.FLOAT16) for name in ("UINT8", "FLOAT16")),
            *(Case((numbers,), {**along, **given}) for given in (
                {"start": 3}, {"end": 3}, {"shape": 3}, {"rel_start": 0.3}, {"rel_end": 0.3}, {"rel_shape": 0.3},
                {"start": 3, "rel_end": 0.9}, {"start": 2, "rel_shape": 0.5}, {"rel_start": 0.19, "shape": 4},
                {"start": 3, "end": 3}, {"start": 50, "end": 60, "out_of_bounds_policy": "trim_to_shape"},
                {"start": 50, "end": 60, **pad}, {"start": -9, "end": -3, **pad}, {"start": (), "axes": ()},
                {"axes": (-1,), "start": 3})),
            Case((numbers,), {**along, "start": values((3,), (0,), dtype=T.INT32)}),
            Case((numbers,), {**along, "rel_start": values(0.3, 0.1), "rel_end": values((0.5,), (0.9,))}),
            Case((numbers,), {**along, "rel_start": values(0.3, 0.1), "shape": values((5,), (6,), dtype=T.INT32)}),
            Case((some,), {"start": (1,), "axes": (0, 1)}),
            Case((some,), {"start": (1, 2), "axes": values((0, 1), (2, 1), dtype=T.INT32)}),
            Case((some,), {"start": values((1, 2), (3,), dtype=T.INT32), "axes": values((0, 1), (1,), dtype=T.INT32)}),
            Case((some,), {"start": (1, 2), "axis_names": ""}),
            Case((some,), {"start": (-1,), "end": (2,), "axis_names": "C", "fill_values": (1.0, 2.0, 3.0), **pad}),
            Case((some,), {"start": (-1, -2), "fill_values": (1.0, 2.0, 3.0), **pad}),
            Case((images(sizes, layout="CHW"),), {"start": (-1, -2), "fill_values": (1.0, 2.0, 3.0), **pad}),
            Case((some,), {"start": (1, 2), "fill_values": (1.0, 2.0)}),
            Case((tensors(((20, 30), (15, 16))),), {"start": (3, 2)}),
            Case((tensors(((20, 30, 3), (15, 16, 1))),), {"start": (3, 2)}),
            Case((tensors(((4, 20, 30, 3), (5, 15, 16, 1))),), {"start": (1, 2), "axis_names": "DW"}),
            Case((tensors(((0, 3), (2, 0))),), {"start": (-1,), "axes": (0,), **pad}),
            *(Case((some,), {"start": (-5, 4), "end": (90, 30), "out_of_bounds_policy": policy})
              for policy in ("constant", *RULES)),
            *(Case((numbers,), {**along, "start": -61, "end": 70, "dtype": "FLOAT", "out_of_bounds_policy": policy})
              for policy in RULES),
            *(Case((tensors(((1, 3), (2, 1)), T.INT16),), {"start": (50, -2), "end": (60, 2), "axes": (0, 1),
               "out_of_bounds_policy": policy}) for policy in RULES),
            *(Case((some,), {"start": (1, 2), "end": (9, 9), "out_of_bounds_policy": policy})
              for policy in ("edge", "wrap")),
            Case((tensors(((0, 3), (2, 3))),), {"start": (-1,), "axes": (0,), "out_of_bounds_policy": "edge"},
                 refused="", peer=False, note="nvidia.dali divides by zero there"),
            Case((many,), {"start": (1, -1), "axes": (0, 4), **pad}, peer=False,
                 note="nvidia.dali cuts four axes at most"),
            *(Case((some, anchor, extent), given) for anchor, extent in ((anchors, extents), whole) for given in (
                {}, {"axes": (0, 1)}, {"axis_names": "HW", "dtype": "FLOAT"})),
            Case((some, *reals), {"normalized_anchor": False, "normalized_shape": False}),
            Case((some, reals[0], extents), {"normalized_anchor": False, **pad}),
            Case((some, anchors, reals[0]), {"normalized_shape": False, **pad}),
            Case((some, values(((3, 5),), ((0, 2),), dtype=T.INT64), values(((9, 4),), ((4, 1),), dtype=T.INT64)), {}),
            *(Case((some,), {"start": (-9, -4), "shape": (60, 50), "out_of_bounds_policy": word})
              for word in ("PAD", "101", "Reflect1001", "Clamp")),
            Case((some,), {}, refused=""),
            Case((some, anchors), {}, refused=""),
            Case((some, anchors, whole[1]), {}, refused=""),
            Case((some, anchors, extents), {"start": (1, 2)}, refused="start"),
            Case((some, anchors, values((1.0,), (2.0,))), {}, refused=""),
            Case((some,), {"start": (1, 2), "rel_start": (0.1, 0.2)}, refused="rel_start"),
            Case((some,), {"end": (1, 2), "rel_shape": (0.1, 0.2)}, refused="rel_shape"),
            Case((some,), {"start": (1, 2, 3)}, refused="start"),
            Case((some,), {"start": values((1,), (2,), dtype=T.INT32)}, refused="start"),
            Case((some,), {"start": (1,), "axes": (0,), "axis_names": "H"}, refused="axis_names"),
            Case((some,), {"start": (1,), "axis_names": "X"}, refused="axis_names"),
            Case((some,), {"start": (1,), "axes": (3,)}, refused="axes"),
            Case((some,), {"start": (1,), "axes": (0, 0)}, refused="axes"),
            Case((some,), {"start": (9, 9), "end": (3, 3)}, refused="end"),
            Case((some,), {"start": (9, 9), "shape": (-3, 3)}, refused="shape"),
            Case((some,), {"start": (9, 9), "shape": (99, 3)}, refused="start"),
            Case((some,), {"start": (-1, 0), "fill_values": (1.0, 2.0), **pad}, refused="fill_values"),
            Case((images(sizes, layout="HW"),), {"start": (-1, 0), "fill_values": (1.0, 2.0), **pad},
                 refused="fill_values"),
            Case((images(sizes, T.BOOL),), {"start": (1, 2)}, refused=""),
            Case((tensors(((), ())),), {"start": (), "axes": ()}, refused=""),
            Case((some,), {"start": (1, 2), "dtype": "INT32"}, refused="dtype"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = inputs[0]
        check_dtype(meta, _TYPES)
        if meta.ndim == 0:
            raise ArgumentError("numbers have no axis to be cut.", hint="Bring vectors, images, ...", code="DS203")
        if meta.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((meta.dtype, *CONVERTED)))
        check_slice(args, inputs[1:])
        if meta.ndim is not None and not args.wired("axes"):
            axes = slice_axes(args, meta, 1)
            for name in BOUNDS:
                if args[name] is not None:
                    rows_of(args, name, axes)
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        data, *positions = inputs
        shapes = data.shapes
        axes = slice_axes(args, data.meta, len(shapes))
        firsts, extents, outside = slice_windows(args, shapes, axes, positions)
        channel = unnamed_layout(data.meta).find("C")
        dtype = to_numpy(args["dtype"]) if args["dtype"] else data.dtype
        policy = policy_of(args)
        border = continued(args, shapes, extents, outside)
        counted = (outside & (border is Border.CONSTANT)) | (policy == "pad")
        channels = extents[:, channel] if channel >= 0 else np.zeros(len(extents), np.int64)
        fill = fill_values(args, channels, counted, dtype)
        return Work(extents, {
            "firsts": firsts, "fills": np.array(fill, dtype), "along": channel if len(fill) > 1 else -1,
            "layout": data.layout, "shapes": shapes, "border": border,
        })  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        first = params["firsts"][index]
        copy_window(inputs[0], outputs[0], first, params["fills"], params["along"], params["border"])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        params = work.params
        windows = params["firsts"], params["fills"][None], params["along"]
        return copying_windows(inputs[0], outputs[0], *windows, params["border"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        windows = params["firsts"], params["fills"][None], params["along"]
        copy_windows_on_gpu(inputs[0], outputs[0], *windows, stream, params["border"])

    @staticmethod
    def window(work: Work) -> NDArray[np.int64] | None:
        params = work.params
        kept = params["layout"].find("C")
        if kept < 0 or params["firsts"][:, kept].any() or (work.shapes[:, kept] != params["shapes"][:, kept]).any():
            return None
        names = {"anchors": params["firsts"], "crops": work.shapes, "sizes": params["shapes"]}
        axes = [axis for axis in range(work.shapes.shape[1]) if axis != kept]
        return image_window({name: table[:, axes] for name, table in names.items()} | {"layout": params["layout"]})

    @staticmethod
    def for_window(work: Work) -> Work:
        return Work(work.shapes, {**work.params, "firsts": np.zeros_like(work.params["firsts"])})

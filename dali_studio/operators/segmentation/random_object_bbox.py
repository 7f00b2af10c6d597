"""``fn.segmentation.random_object_bbox``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.objects import blobs, pick_object
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.random.places import SeedArgument, places
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Ignored, Range, Ui
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.samples import Case, Data, tensors, values
from dali_studio.schema.traits import PerSample, RandomSource

_TYPES = (T.UINT8, T.BOOL, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32)
_MAX_AXES = 6
_INT32 = np.iinfo(np.int32)
_FORMATS = {"anchor_shape": ("anchor", "shape"), "start_end": ("start", "end"), "box": ("box",)}


@dataclass(frozen=True, slots=True)
class _Classes:
    """What is drawn of a sample.

    Attributes
    ----------
    background : int
        What is no object.
    classes : ndarray or None
        Values that count; ``None``: all that there are.
    weights : ndarray or None
        How likely each is.
    """

    background: int
    classes: NDArray[np.int32] | None = None
    weights: NDArray[np.float32] | None = None


class RandomObjectBBox(SeedArgument, Operator):
    """Draws an object in a labelled mask, and gives its bounding box.

    First a class is drawn, then one of the connected regions of its value; pixels that are neighbours along an axis
    are connected. Where there is no object, and with a probability of 1 - `foreground_prob`, it is the whole mask.
    Boxes are int32: where they begin and how large they are along each axis, or as `format` says; with `output_class`
    the class comes last.
    """

    path = "segmentation.random_object_bbox"
    category = "segmentation"
    icon = "boxes"
    keywords = "mask bounding box instance blob connected components foreground crop random"
    inputs = (Input("masks", "mask", dtypes=_TYPES),)
    outputs = (Output("anchor"), Output("shape"))
    traits = (PerSample, RandomSource)
    kernels = (compiled("mask_runs", _TYPES),)
    seeded = True
    stateful = True
    examples = (
        example(),
        example(format="box", output_class=True, classes=(1, 3), class_weights=(1.0, 2.0)),
        example(ignore_class=True, k_largest=2, foreground_prob=0.7),
    )

    format: Annotated[
        str, Doc("What is given: begin and size, begin and end, or both in one output."), Choices(tuple(_FORMATS)),
        COMMON,
    ] = "anchor_shape"  # fmt: skip
    foreground_prob: Annotated[
        float, Doc("How likely an object is, and not the whole mask."), Ui("slider", (0, 1)), PER_SAMPLE, COMMON
    ] = 1.0
    classes: Annotated[
        list[int] | None, Doc("Values of objects; unset: all but the background."), PER_SAMPLE, COMMON
    ] = None  # fmt: skip
    class_weights: Annotated[
        list[float] | None, Doc("How likely each class is; without classes, of the values 1, 2, ..."), PER_SAMPLE
    ] = None
    background: Annotated[
        int | None, Doc("The value of the background; unset: 0, or another one if 0 is among the classes."), PER_SAMPLE,
        COMMON,
    ] = None  # fmt: skip
    threshold: Annotated[
        list[int] | None, Doc("Least size along each axis; smaller objects do not count."), PER_SAMPLE
    ] = None
    k_largest: Annotated[int | None, Doc("Draw among so many of the largest objects."), Range(1)] = None
    ignore_class: Annotated[bool, Doc("Draw among all objects, whatever their class.")] = False
    output_class: Annotated[bool, Doc("Give the value of the object as well, or of the background.")] = False
    cache_objects: Annotated[bool, Ignored("objects are found faster than a mask is recognised")] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given, named = _masks(), {"output_class": True}
        weights = values((1, 0, 5), (1, 1, 1), (0, 0, 1), (0.3, 0.3, 0.1), label="weights")
        classes = values((1, 2, 3), (0, 1, 2), (3, 1, 4), (2, 1, 0), dtype=T.INT32, label="classes")
        return [
            *(Case((_masks(dtype),), {"output_class": True}) for dtype in _TYPES),
            *(Case((given,), one.arguments) for one in cls.examples),
            *(Case((given,), {"seed": seed, "k_largest": largest, "format": form})
              for seed, largest, form in ((1, 1, "box"), (2, 3, "start_end"), (3, 100, "box"))),
            Case((given,), {"classes": classes, "class_weights": weights, **named}),
            Case((given,), {"classes": classes, **named}),
            Case((given,), {"class_weights": weights, **named}),
            Case((given,), {"class_weights": weights, "background": 1, **named}),
            Case((given,), {"background": values(0, 1, 2, 3, dtype=T.INT32), **named}),
            Case((given,), {"classes": (0, -2147483648), **named}),
            Case((given,), {"threshold": (4, 5), **named}),
            *(Case((given,), {"threshold": threshold, **named}) for threshold in ((400, 5), 3)),
            Case((given,), {"ignore_class": True, "threshold": values(*[(k, 2) for k in range(4)], dtype=T.INT32)}),
            Case((given,), {"foreground_prob": values(0, 0.3, 0.9, 1), **named}),
            Case((_masks(shapes=((7, 6, 9), (1, 1, 2), (3, 1, 8))),), named),
            Case((values([[1]], [[0]], dtype=T.UINT8),), peer=False, note="a mask of one pixel has an empty box there"),
            Case((_masks(shapes=((7, 3, 2, 4), (2, 5, 2, 2))),), {**named, "ignore_class": False}),
            Case((_masks(shapes=((70,), (1,), (33,))),), named),
            Case((given,), {"ignore_class": True, "classes": (1, 2)}, refused="classes"),
            Case((given,), {"ignore_class": True, "output_class": True}, refused="output_class"),
            Case((given,), {"classes": (1, 2), "class_weights": (1.0, 2.0, 3.0)}, refused="class_weights"),
            Case((given,), {"classes": (1, 2), "background": 2}, refused="background"),
            Case((given,), {"threshold": (1, 2, 3)}, refused="threshold"),
            Case((tensors(((), ()), T.UINT8),), refused=""),
            Case((tensors(((3, 3), (2, 2)), T.INT64),), refused=""),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        names = _FORMATS[str(values.get("format", "anchor_shape"))]
        more = (Output("class", "label"),) if values.get("output_class") else ()
        return (*(Output(name) for name in names), *more)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.ndim is not None and not 1 <= meta.ndim <= _MAX_AXES:
            raise ArgumentError(
                f"the mask has {meta.ndim} axes; 1 to {_MAX_AXES} are accepted.", hint="Give a mask of pixels.",
                code="DS203",
            )  # fmt: skip
        for name in ("classes", "class_weights", "output_class"):
            if args["ignore_class"] and args.given(name) and (args.wired(name) or args[name]):
                raise ArgumentError(f"ignore_class excludes {name}.", hint="Take one away.", argument=name)
        box = TensorMeta(T.INT32, 1, "")
        made = [box] * len(_FORMATS[args["format"]])
        return (*made, TensorMeta(T.INT32, 0, "", "label")) if args["output_class"] else tuple(made)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (mask,) = inputs
        count, axes = len(mask), mask.shapes.shape[1]
        grounds = args.scalars("background", np.int32).tolist() if args.given("background") else [None] * count
        params = {
            "classes": [_classes(args, ground, index) for index, ground in enumerate(grounds)],
            "largest": args["k_largest"] or 0, "threshold": _thresholds(args, axes),
            "probability": args.scalars("foreground_prob"), "ignore_class": args["ignore_class"],
            "format": args["format"], "seed": args.context.seed, "places": places(args.context),
            "origin": args.context.stream_offset,
        }  # fmt: skip
        width = 2 * axes if args["format"] == "box" else axes
        boxes = [np.full((count, 1), width, np.int64)] * len(_FORMATS[args["format"]])
        numbers = [np.empty((count, 0), np.int64)] if args["output_class"] else []
        first, *more = (*boxes, *numbers)
        return Work(first, params, tuple(more))

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, mask = work.params, inputs[0]
        wanted: _Classes = params["classes"][index]
        boxes, numbers = blobs(mask, wanted.background)
        classes = wanted.classes if wanted.classes is not None else np.unique(numbers)
        weights = wanted.weights if wanted.weights is not None else np.ones(len(classes), np.float32)
        chosen = pick_object(
            boxes, numbers, None if params["ignore_class"] else classes, weights, params["threshold"][index],
            params["largest"], float(params["probability"][index]), params["seed"], int(params["places"][index]),
            params["origin"],
        )  # fmt: skip
        start, end = np.zeros(mask.ndim, np.int32), np.array(mask.shape, np.int32)
        if chosen >= 0:
            start, end = boxes[chosen, : mask.ndim], boxes[chosen, mask.ndim :]
        if params["format"] == "box":
            outputs[0][: mask.ndim], outputs[0][mask.ndim :] = start, end
        else:
            outputs[0][...] = start
            outputs[1][...] = end - start if params["format"] == "anchor_shape" else end
        if len(outputs) > len(_FORMATS[params["format"]]):
            outputs[-1][...] = numbers[chosen] if chosen >= 0 else wanted.background


def _row(args: Args, name: str, index: int) -> NDArray[Any] | None:
    """The numbers of an argument for a sample."""
    fed = args.samples(name)
    if fed is not None:
        return np.ravel(fed[index])
    return np.array(args[name]) if args.given(name) else None


def _classes(args: Args, background: int | None, index: int) -> _Classes:
    ground = background or 0
    classes, weights = _row(args, "classes", index), _row(args, "class_weights", index)
    if args["ignore_class"] or (classes is None and weights is None):
        return _Classes(ground)
    if classes is not None:
        if weights is not None and len(weights) != len(classes):
            raise ArgumentError(
                f"{len(weights)} weights are given for {len(classes)} classes.", hint="Give one for each class.",
                argument="class_weights", sample=index,
            )  # fmt: skip
        if ground in classes and background is not None:
            raise ArgumentError(
                f"the background {ground} is one of the classes.", hint="Give another one, or take it out of them.",
                argument="background", sample=index,
            )  # fmt: skip
        if ground in classes:
            ground = _another(classes)
    else:
        assert weights is not None
        numbers = np.arange(len(weights) + 1)
        classes = numbers[numbers != ground][: len(weights)]
    made = np.ones(len(classes)) if weights is None else weights
    return _Classes(ground, classes.astype(np.int32), made.astype(np.float32))


def _another(classes: NDArray[Any]) -> int:
    """A value that is none of the classes."""
    if classes.min() > _INT32.min:
        return int(classes.min()) - 1
    return next(value for value in range(_INT32.max, _INT32.min, -1) if value not in classes)


def _thresholds(args: Args, axes: int) -> NDArray[np.int32]:
    """(N, axes) least sizes; (N, 0) without any."""
    if not args.given("threshold"):
        return np.empty((args.count, 0), np.int32)
    if not args.wired("threshold") and len(args["threshold"]) not in (1, axes):
        raise ArgumentError(
            f"{len(args['threshold'])} sizes are given for {axes} axes.", hint="Give one for each axis.",
            argument="threshold",
        )  # fmt: skip
    return np.ascontiguousarray(args.vectors("threshold", axes, np.int32))


def _masks(
    dtype: Any = T.INT32, shapes: Sequence[tuple[int, ...]] = ((30, 40), (25, 25), (1, 9), (40, 33))
) -> Data:  # fmt: skip
    """Masks with objects of four values on a background of 0, for cases."""

    def make(number: int, shape: tuple[int, ...]) -> NDArray[np.int32]:
        generator = np.random.default_rng([number, len(shape)])
        mask = np.zeros(shape, np.int32)
        for _ in range(14):
            begins = generator.integers(0, shape)
            ends = begins + generator.integers(1, np.maximum(2, np.array(shape) // 3 + 1))
            mask[tuple(map(slice, begins.tolist(), ends.tolist()))] = generator.integers(0, 5)
        return mask

    made = [make(number, shape) for number, shape in enumerate(shapes)]
    words = ",".join("x".join(map(str, shape)) for shape in shapes)
    return values(*made, dtype=dtype, label=f"masks {dtype.name} {words}")

"""``fn.normalize``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.elementwise import Operand, compute
from dali_studio.kernels.cpu.reduce import Finish, Taken, reduce_sums
from dali_studio.operators.axes import axes_by_letter, axes_by_number
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Layout, Operator, Output, compiled
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import MixesSamples

_INPUTS = (T.FLOAT, T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32)
_FLOAT = np.dtype(np.float32)
Floats = NDArray[np.float32]


class Normalize(Operator):
    """Subtracts the mean and divides by the standard deviation, both of the data itself or given.

    They are taken along axes, all by default, of each sample or of the whole batch. Where nothing deviates the result
    is the shift. What is given for each sample has one element along the axes, and as many as the data along others.
    """

    category = "tensor"
    icon = "normalize"
    node_name = "normalized"
    keywords = "standardize mean variance deviation zscore whiten batch norm"
    inputs = (Input("input", dtypes=_INPUTS),)
    outputs = (Output("output"),)
    traits = (MixesSamples,)
    kernels = (compiled("convert", (T.FLOAT,), _INPUTS),)
    tolerance = (
        Tolerance(1, 0.001, relative=2e-6, reason="squares are added in another order, and roots taken in other steps"),
    )

    batch: Annotated[bool, Doc("Take mean and deviation over the whole batch, not over each sample."), COMMON] = False
    axes: Annotated[list[int] | None, Doc("The axes along which they are taken; unset: all."), COMMON] = None
    axis_names: Annotated[Layout | None, Doc("The same by letters of the layout, such as HW."), COMMON] = None
    mean: Annotated[float | None, Doc("Subtracted in place of the data's mean."), PER_SAMPLE] = None
    stddev: Annotated[float | None, Doc("Divides in place of the data's deviation."), PER_SAMPLE] = None
    scale: Annotated[float, Doc("Factor after the division.")] = 1.0
    shift: Annotated[float, Doc("Added at the end.")] = 0.0
    epsilon: Annotated[float, Doc("Added to the variance, so that small ones do not enlarge noise.")] = 0.0
    ddof: Annotated[int, Doc("Is taken off the number of elements: 1 for a sample of a population.")] = 0
    dtype: Annotated[DALIDataType, Doc("Element type of the output.")] = T.FLOAT

    @classmethod
    def samples(cls) -> Sequence[Case]:
        pictures = images()
        same = tensors(((6, 5, 3), (2, 5, 3), (9, 5, 3)), T.FLOAT, "HWC")
        means = values(*([[[[1, 2, 3]]]] * 4), label="three")
        settings: list[dict[str, Any]] = [
            {}, {"axes": (0, 1)}, {"axis_names": "HW"}, {"axes": (2,)}, {"axes": (0,), "mean": 1.0}, {"stddev": 3.0},
            {"mean": 3.0, "stddev": 2.0}, {"scale": 50.0, "shift": 100.0}, {"epsilon": 1.0}, {"ddof": 1},
            {"ddof": 10**7}, {"mean": 3.0, "stddev": 1.0, "epsilon": 3.0}, {"mean": 3.0, "stddev": 0.0},
        ]  # fmt: skip
        return [
            *(Case((pictures,), one) for one in settings),
            *(Case((images(dtype=one),), {"axes": (0, 1)}) for one in _INPUTS),
            *(Case((same,), {"dtype": one.name, "scale": 50.0, "shift": 100.0}) for one in _INPUTS),
            *(Case((same,), {"batch": True, **one}) for one in settings if one.get("axes") != (2,)),
            Case((same,), {"batch": True, "axes": (2,)}, refused=""),
            *(Case((pictures,), {name: means, "axes": (0, 1)}) for name in ("mean", "stddev")),
            Case((pictures,), {"mean": means, "stddev": means}),
            Case((pictures,), {"mean": means}),
            Case((tensors(((), ())),), {}, peer=False, note="nvidia.dali computes nothing of single numbers"),
            Case((tensors(((0, 3), (2, 0))),), {"axes": (0,)}),
            Case((pictures,), {"axes": ()}, refused="axes"),
            Case((pictures,), {"axes": (-1,)}, refused="axes"),
            Case((pictures,), {"axes": (3,)}, refused="axes"),
            Case((pictures,), {"axes": (0,), "axis_names": "H"}, refused="axis_names"),
            Case((pictures,), {"mean": values(*([[1, 2, 3]] * 4), label="flat"), "axes": (0, 1)}, refused="mean"),
            Case((pictures,), {"mean": means, "batch": True}, refused="batch"),
            Case((pictures,), {"axes": (0,), "batch": True}, refused=""),
            Case((pictures,), {"dtype": "FLOAT16"}, refused="dtype"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _INPUTS)
        accept_output(args["dtype"], _INPUTS)
        if args["batch"] and (args.wired("mean") or args.wired("stddev")):
            raise ArgumentError(
                "mean or deviation are given for each sample.", hint="Give numbers, or unset batch.", argument="batch"
            )
        _axes(args, meta)
        return meta.with_(dtype=args["dtype"])

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (data,) = inputs
        statistics = _Statistics(args, data)
        out = args.context.memory(int(data.counts.sum()) * 4)
        ends = np.cumsum(data.counts)
        made = [
            np.ndarray(tuple(shape), _FLOAT, out, 4 * begin)
            for shape, begin in zip(data.shapes.tolist(), (ends - data.counts).tolist(), strict=True)
        ]
        dtype = to_numpy(args["dtype"])
        results = made if dtype == _FLOAT else [np.empty(one.shape, dtype) for one in made]
        src = Operand.of_batch(data)
        shift = np.full((), args["shift"], _FLOAT)

        def one(index: int) -> None:
            mean, factor = statistics.of(index)
            target = Operand.of([made[index]])
            here = Operand(src.addresses[index : index + 1], src.shapes[index : index + 1], src.dtype)
            compute("Standardize", [here, Operand.of([mean]), Operand.of([factor])], target, _FLOAT)
            if shift:
                compute("Add", [target, Operand.constant(shift, 1)], target, _FLOAT)
            if results is not made:
                convert(made[index], results[index])

        args.context.map(one, len(data))
        ndim = data.shapes.shape[1]
        return (Batch.of(results, data.layout, data.sources, dtype=dtype, ndim=ndim),)


class _Statistics:
    """Mean, and factor after its subtraction, of each sample or of the batch."""

    def __init__(self, args: Args, data: Batch) -> None:
        self.args, self.data, self.addresses = args, data, data.addresses
        self.reduced = np.zeros(data.shapes.shape[1], bool)
        self.reduced[list(_axes(args, data.meta, data) or ())] = True
        self.shapes = np.where(self.reduced, 1, data.shapes)
        self.given = {name: self._given(name) for name in ("mean", "stddev")}
        self.counts = data.shapes[:, self.reduced].prod(axis=1, dtype=np.int64)
        self.whole = self._of_batch() if args["batch"] and len(data) else None

    def of(self, index: int) -> tuple[Floats, Floats]:
        """Mean and factor for a sample."""
        if self.whole is not None:
            return self.whole
        mean = self.given["mean"][index]
        if mean is None:
            mean = self._sums(index, "itself", None, "mean")
        deviation = self.given["stddev"][index]
        if deviation is not None:
            return mean, self._factor(np.square(deviation), given=deviation)
        if self.counts[index] <= self.args["ddof"]:
            return mean, np.zeros_like(mean)
        return mean, self._factor(self._sums(index, "deviation", mean, "mean", self.args["ddof"]))

    def _of_batch(self) -> tuple[Floats, Floats]:
        shapes, rows = self.shapes, range(len(self.data))
        differs = (shapes != shapes[0]).any(axis=1)
        if differs.any():
            sample = int(np.argmax(differs))
            one, other = (tuple(self.data.shapes[index].tolist()) for index in (0, sample))
            raise ArgumentError(
                f"the samples have the shapes {one} and {other}; over a batch, axes that stay must be equal.",
                hint="Name more axes, or unset batch.", sample=sample, code="DS203",
            )  # fmt: skip
        mean, deviation = self.given["mean"][0], self.given["stddev"][0]
        total = int(self.counts.sum())
        if mean is None:
            mean = np.asarray(self._total("itself", None, rows) * np.float32(1 / max(total, 1)))
        if deviation is not None:
            return mean, self._factor(np.square(deviation), given=deviation)
        free = total - self.args["ddof"]
        if free <= 0:
            return mean, np.zeros_like(mean)
        return mean, self._factor(self._total("deviation", mean, rows) * np.float32(1 / free))

    def _total(self, taken: Taken, mean: Floats | None, rows: range) -> Floats:
        parts = np.empty((len(rows), *self.shapes[0].tolist()), np.float32)

        def one(index: int) -> None:
            parts[index] = self._sums(index, taken, mean)

        self.args.context.map(one, len(rows))
        return parts.sum(axis=0, dtype=np.float64).astype(np.float32)

    def _sums(self, index: int, taken: Taken, mean: Floats | None, finish: Finish = "sum", ddof: int = 0) -> Floats:
        made = np.empty(tuple(self.shapes[index].tolist()), np.float32)
        src = Operand(self.addresses[index : index + 1], self.data.shapes[index : index + 1], self.data.dtype)
        each = None if mean is None else np.ascontiguousarray(np.broadcast_to(mean, made.shape))
        means = None if each is None else Operand.of([each])
        reduce_sums(src, self.reduced, Operand.of([made]), taken=taken, finish=finish, means=means, ddof=ddof)
        return made

    def _factor(self, variance: Floats, given: Floats | None = None) -> Floats:
        """What the distance from the mean is multiplied with."""
        scale, epsilon = np.float32(self.args["scale"]), np.float32(self.args["epsilon"])
        with np.errstate(divide="ignore", invalid="ignore"):
            if given is not None and not epsilon:
                return np.asarray(scale / given)
            deviation = np.sqrt(variance + epsilon)
            return np.asarray(np.where(deviation > 0, scale / deviation, np.float32(0)))

    def _given(self, name: str) -> list[Floats | None]:
        """The values of an argument, each of the shape of a sample's statistics."""
        fed, count = self.args.samples(name), len(self.data)
        if fed is None:
            value = self.args[name]
            return [None if value is None else np.full((1,) * self.shapes.shape[1], value, np.float32)] * count
        for index, one in enumerate(fed):
            wanted = tuple(self.shapes[index].tolist())
            if one.ndim and one.shape != wanted:
                raise ArgumentError(
                    f"the value has the shape {one.shape}; {wanted} is needed.",
                    hint="Give one element along the axes, and as many as the data along the others.", argument=name,
                    sample=index, code="DS203",
                )  # fmt: skip
        return [np.ascontiguousarray(one) for one in fed]


def _axes(args: Args, meta: TensorMeta, data: Batch | None = None) -> tuple[int, ...] | None:
    """Along which mean and deviation are taken; ``None`` as long as it is not known."""
    if args.given("axes") and args.given("axis_names"):
        raise ArgumentError("axes and axis_names are both given.", hint="Unset one of them.", argument="axis_names")
    if args.given("axis_names"):
        return None if meta.layout is None else axes_by_letter(args["axis_names"], meta, "axis_names")
    if meta.ndim is None:
        return None
    if args.given("axes"):
        axes: tuple[int, ...] = args["axes"]
        if not axes or min(axes) < 0:
            reason = "no axis is named" if not axes else f"{min(axes)} is negative"
            raise ArgumentError(f"{reason}.", hint="Name axes, counted from 0.", argument="axes")
        return axes_by_number(axes, meta.ndim, "axes")
    fed = [args.samples(name) or () for name in ("mean", "stddev") if args.wired(name)]
    shapes = [one.shape for samples in fed for one in samples if one.ndim == meta.ndim] if data is not None else []
    return tuple(axis for axis in range(meta.ndim) if all(shape[axis] == 1 for shape in shapes))

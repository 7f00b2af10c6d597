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
from dali_studio.core.storage import Packed, addresses_of
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.elementwise import Operand, compute
from dali_studio.kernels.cpu.reduce import Taken, reduce_sums
from dali_studio.kernels.cuda.normalize import Statistics, normalize_on_gpu, normalize_rows_on_gpu, uploaded
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.axes import axes_by_letter, axes_by_number
from dali_studio.operators.common import T, accept_output, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, compiled
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Layout
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import Enqueues, MixesSamples, Repeatable

_INPUTS = (T.FLOAT, T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32)
_FLOAT = np.dtype(np.float32)
#: Elements of a group of samples that one call computes, at least.
_GROUP = 1 << 16
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
    traits = (MixesSamples, Enqueues, Repeatable)
    devices = ("cpu", "gpu")
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
            Case((pictures,), {"mean": values(*([1] * 4), label="scalar")}, refused="mean"),
            Case((pictures,), {"mean": means, "batch": True}, refused="batch"),
            Case((pictures,), {"axes": (0,), "batch": True}, refused=""),
            Case((pictures,), {"axes": (0,), "mean": 1.0, "stddev": 2.0}, refused="axes"),
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
        numbers = all(args.given(name) and not args.wired(name) for name in ("mean", "stddev"))
        for name in ("axes", "axis_names"):
            if numbers and args.given(name):
                raise ArgumentError(
                    "mean and deviation are numbers, which are for all axes.", hint="Take the axes away.", argument=name
                )
        _axes(args, meta)
        return meta.with_(dtype=args["dtype"])

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (data,) = inputs
        work = _Work(args, data)
        counts = data.counts
        ends = np.cumsum(counts)
        slab = args.context.memory(int(counts.sum()) * 4)
        made = Packed(slab, (ends - counts) * 4, data.shapes, _FLOAT)
        dtype = to_numpy(args["dtype"])
        result, size = made, dtype.itemsize
        if dtype != _FLOAT:
            memory = args.context.memory(int(counts.sum()) * size)
            result = Packed(memory, (ends - counts) * size, data.shapes, dtype)
        groups = _groups(ends)
        if args["batch"] and len(data):
            work.over_batch(groups)
        target = Operand(addresses_of(made), data.shapes, _FLOAT)
        shift = np.full((), args["shift"], _FLOAT)

        def one(index: int) -> None:
            group = groups[index]
            if not args["batch"]:
                work.of_samples(group)
            out = _part(target, group)
            compute("Standardize", [_part(part, group) for part in (work.src, work.mean, work.factor)], out, _FLOAT)
            if shift:
                compute("Add", [out, Operand.constant(shift, len(out.addresses))], out, _FLOAT)
            if result is not made:
                first, last = int(ends[group.start] - counts[group.start]), int(ends[group.stop - 1])
                convert(
                    slab[4 * first : 4 * last].view(_FLOAT), result.slab[size * first : size * last].view(dtype)
                )  # fmt: skip

        args.context.map(one, len(groups))
        return (Batch.of(result, data.layout, data.sources),)

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: GpuStream) -> tuple[Batch, ...]:
        (data,) = inputs
        last = _last_axes(args, data)
        if last:
            rows = normalize_rows_on_gpu(
                data, last, args["ddof"], args["epsilon"], args["scale"], args["shift"], to_numpy(args["dtype"]), stream
            )
            if rows is not None:
                return (rows,)
        work = _Work(args, data)
        made = stream.empty(data.shapes, to_numpy(args["dtype"]), data.layout, data.sources)
        if len(data):
            if args["batch"]:
                work.check_batch()
            statistics = Statistics(data, work.reduced, work.shapes, args["batch"], stream)
            mean, factor = work.given()
            means = statistics.means() if mean is None else uploaded(mean, work.shapes, stream)
            if factor is None:
                factors = statistics.factors(means, args["ddof"], args["epsilon"], args["scale"])
            else:
                factors = uploaded(factor, work.shapes, stream)
            normalize_on_gpu(data, means, factors, work.reduced, args["shift"], made, stream)
        return (made,)


def _groups(ends: NDArray[np.int64]) -> list[slice]:
    """Samples that are computed by one call each: few enough for all threads to have some, as many as are worth it."""
    if not len(ends):
        return []
    starts = np.flatnonzero(np.diff((ends - 1) // _GROUP, prepend=-2)).tolist()
    return [slice(start, stop) for start, stop in zip(starts, [*starts[1:], len(ends)], strict=True)]


def _part(operand: Operand, group: slice) -> Operand:
    return Operand(operand.addresses[group], operand.shapes[group], operand.dtype)


class _Work:
    """Mean, and factor after its subtraction, of each sample: rows of two tables, or one row of each for all.

    Attributes
    ----------
    src, mean, factor : Operand
    """

    def __init__(self, args: Args, data: Batch) -> None:
        self.args, self.data = args, data
        self.reduced = np.zeros(data.shapes.shape[1], bool)
        self.reduced[list(_axes(args, data.meta, data) or ())] = True
        self.shapes = np.where(self.reduced, 1, data.shapes)
        self.counts = data.shapes[:, self.reduced].prod(axis=1, dtype=np.int64)
        self.src = Operand.of_batch(data)
        sizes = self.shapes.prod(axis=1, dtype=np.int64)
        self.ends = np.cumsum(sizes)
        self.starts = self.ends - sizes
        self._tables = np.zeros((2, max(int(sizes.sum()), 1)), np.float32)
        self.mean, self.factor = (
            Operand(table.ctypes.data + 4 * self.starts, self.shapes, _FLOAT) for table in self._tables
        )
        self._given = {name: args.given(name) for name in ("mean", "stddev")}
        for name, table in zip(self._given, self._tables, strict=True):
            self._fill(name, table)

    def of_samples(self, group: slice) -> None:
        """Fill the rows of some samples."""
        src, mean, factor = (_part(one, group) for one in (self.src, self.mean, self.factor))
        if not self._given["mean"]:
            reduce_sums(src, self.reduced, mean, finish="mean")
        first, last = int(self.starts[group.start]), int(self.ends[group.stop - 1])
        row = self._tables[1, first:last]
        if self._given["stddev"]:
            self._finish(row)
            return
        ddof = self.args["ddof"]
        reduce_sums(src, self.reduced, factor, taken="deviation", finish="mean", means=mean, ddof=ddof)
        self._invert(row)
        for sample in np.flatnonzero(self.counts[group] <= ddof).tolist():
            at = group.start + sample
            self._tables[1, int(self.starts[at]) : int(self.ends[at])] = 0

    def given(self) -> tuple[Floats | None, Floats | None]:
        """The rows of means and of factors, as far as they do not follow from the data."""
        rows = zip(self._given.values(), self._tables, strict=True)
        mean, factor = (table if given else None for given, table in rows)
        if factor is not None:
            self._finish(factor)
        return mean, factor

    def check_batch(self) -> None:
        """Refuse samples that have no row in common."""
        shapes = self.shapes
        differs = (shapes != shapes[0]).any(axis=1)
        if differs.any():
            sample = int(np.argmax(differs))
            one, other = (tuple(self.data.shapes[index].tolist()) for index in (0, sample))
            raise ArgumentError(
                f"the samples have the shapes {one} and {other}; over a batch, axes that stay must be equal.",
                hint="Name more axes, or unset batch.", sample=sample, code="DS203",
            )  # fmt: skip

    def over_batch(self, groups: Sequence[slice]) -> None:
        """Fill one row for all samples."""
        self.check_batch()
        if not self.ends[-1]:
            return  # an axis that stays has no element
        shapes = self.shapes
        mean, factor = self._tables.reshape(2, len(shapes), -1)[:, 0]
        free = int(self.counts.sum())
        if not self._given["mean"]:
            mean[:] = self._total("itself", groups) * np.float32(1 / max(free, 1))
        self.mean = Operand(np.full(len(shapes), self.mean.addresses[0]), shapes, _FLOAT)
        self.factor = Operand(np.full(len(shapes), self.factor.addresses[0]), shapes, _FLOAT)
        if self._given["stddev"]:
            self._finish(factor)
            return
        free -= self.args["ddof"]
        factor[:] = self._total("deviation", groups) * np.float32(1 / free) if free > 0 else 0
        self._invert(factor)

    def _total(self, taken: Taken, groups: Sequence[slice]) -> Floats:
        parts = np.empty((len(self.shapes), self._tables.shape[1] // len(self.shapes)), np.float32)
        target = Operand(parts.ctypes.data + parts.strides[0] * np.arange(len(parts)), self.shapes, _FLOAT)

        def one(index: int) -> None:
            group = groups[index]
            means = _part(self.mean, group) if taken == "deviation" else None
            reduce_sums(_part(self.src, group), self.reduced, _part(target, group), taken=taken, means=means)

        self.args.context.map(one, len(groups))
        return parts.sum(axis=0, dtype=np.float64).astype(np.float32)

    def _invert(self, variance: Floats) -> None:
        """Make factors of variances, in their place."""
        variance += np.float32(self.args["epsilon"])
        with np.errstate(invalid="ignore"):
            np.sqrt(variance, out=variance)
        deviates = variance != 0  # NaN, too
        np.divide(np.float32(self.args["scale"]), variance, out=variance, where=deviates)
        variance[~deviates] = 0

    def _finish(self, deviation: Floats) -> None:
        """Make factors of deviations that are given, in their place."""
        if self.args["epsilon"]:
            np.square(deviation, out=deviation)
            self._invert(deviation)
            return
        with np.errstate(divide="ignore"):
            np.divide(np.float32(self.args["scale"]), deviation, out=deviation)

    def _fill(self, name: str, table: Floats) -> None:
        """Write the values of an argument, each in the shape of a sample's statistics."""
        fed = self.args.samples(name)
        if fed is None:
            table[:] = 0 if self.args[name] is None else self.args[name]
            return
        for index, one in enumerate(fed):
            wanted = tuple(self.shapes[index].tolist())
            if one.shape != wanted:
                raise ArgumentError(
                    f"the value has the shape {one.shape}; {wanted} is needed.",
                    hint="Give one element along the axes, and as many as the data along the others.", argument=name,
                    sample=index, code="DS203",
                )  # fmt: skip
            table[int(self.starts[index]) : int(self.ends[index])] = one.ravel()


def _last_axes(args: Args, data: Batch) -> int:
    """How many axes are taken where they are the last ones, of each sample, and nothing is given; else 0."""
    axes = _axes(args, data.meta) or ()
    own = not (args["batch"] or args.given("mean") or args.given("stddev"))
    ndim = data.shapes.shape[1]
    return len(axes) if own and sorted(axes) == list(range(ndim - len(axes), ndim)) else 0


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

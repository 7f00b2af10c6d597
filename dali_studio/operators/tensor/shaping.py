"""What ``fn.reshape`` and ``fn.reinterpret`` have in common: where the shape comes from."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T, check_dtype, check_shape, round_half_away
from dali_studio.operators.tensor.views import View
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Doc, Layout
from dali_studio.schema.traits import AnyElement, ReadsParameters, SharesMemory, SpansIterations

_WHOLE = (T.INT32, T.INT64, T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.UINT64)


class Shaping(View, abstract=True):
    """Base of both; subclasses define ``infer`` by `infer_shaped`."""

    inputs = (
        Input("data"),
        Input("shape_input", optional=True, dtypes=_WHOLE, either_device=True,
              doc="The shape of each sample, as numbers."),
    )  # fmt: skip
    traits = (ReadsParameters, AnyElement, SharesMemory, SpansIterations)

    shape: Annotated[
        list[int] | None, Doc("The new shape; one extent may be -1 and follows from the others."), PER_SAMPLE,
        ANY_NUMBER, COMMON,
    ] = None  # fmt: skip
    rel_shape: Annotated[
        list[float] | None, Doc("The new shape as multiples of the data's extents; -1 follows from the others."),
        PER_SAMPLE,
    ] = None  # fmt: skip
    layout: Annotated[Layout | None, Doc("Names of the axes; unset: kept if their number is.")] = None
    src_dims: Annotated[
        list[int] | None,
        Doc("Which axes of the data the extents are taken from, in this order; -1 is a new axis of extent 1."),
    ] = None

    @classmethod
    def shapes(cls, args: Args, *inputs: Batch) -> NDArray[np.int64]:
        data = inputs[0]
        dtype: DALIDataType | None = args["dtype"] if cls.schema.argument("dtype") else None
        size, wanted = data.dtype.itemsize, (data.dtype if dtype is None else to_numpy(dtype)).itemsize
        total = data.counts * size
        source = _source(args, len(inputs))
        asked = _asked(args, inputs, source)
        if source in ("", "src_dims"):
            return _scaled(asked, total, size, wanted, source)
        rest = np.where(asked < 0, 1, asked).prod(axis=1, dtype=np.int64)
        open_, count = (asked < 0), (asked < 0).sum(axis=1)
        if (count > 1).any():
            sample = int(np.argmax(count > 1))
            raise _no_shape(asked[sample], "more than one extent is negative", "Leave one open.", source, sample)
        unknown = (count == 1) & (rest == 0)
        if unknown.any():
            sample = int(np.argmax(unknown))
            raise _no_shape(
                asked[sample], "an extent cannot follow from others of which one is 0", "Give all extents.", source,
                sample,
            )  # fmt: skip
        follows = total // np.maximum(rest * wanted, 1)
        made = np.where(open_, follows[:, None], asked)
        wrong = made.prod(axis=1, dtype=np.int64) * wanted != total
        if wrong.any():
            sample = int(np.argmax(wrong))
            raise _no_shape(
                asked[sample], f"it does not hold the {total[sample] // wanted} elements of the data exactly",
                "Give extents whose product is that number, one of them perhaps as -1.", source, sample,
            )  # fmt: skip
        return made

    @classmethod
    def _seen(cls, args: Args, inputs: Sequence[Batch]) -> tuple[TensorMeta, NDArray[np.int64]]:
        meta, shapes = super()._seen(args, inputs)
        data = inputs[0].meta
        if meta.layout is None and shapes.shape[1] == data.ndim:  # how many axes a fed shape has is known now
            meta = meta.with_(layout=data.layout)
        return meta, shapes


def infer_shaped(args: Args, inputs: Sequence[TensorMeta], dtype: DALIDataType | None) -> TensorMeta:
    """The type of a result."""
    meta = inputs[0]
    source = _source(args, len(inputs))
    if len(inputs) > 1:
        check_dtype(inputs[1], _WHOLE)
    typed = args.schema.argument("dtype") is not None
    if not source and not args.given("layout") and not (typed and args.given("dtype")):
        name, given = ("dtype", "type, shape or layout") if typed else ("shape", "shape or layout")
        raise ArgumentError(f"neither {given} is given.", hint="Give what is to change.", argument=name)
    ndim = _ndim(args, meta, source)
    layout: str | None = args["layout"]
    if layout and ndim is not None and len(layout) != ndim:
        raise ArgumentError(
            f"{layout!r} names {len(layout)} axes; the result has {ndim}.", hint="Give one letter per axis.",
            argument="layout",
        )  # fmt: skip
    if layout and ndim is None:
        ndim = len(layout)
    if layout is None and ndim is not None and meta.ndim is not None:
        layout = meta.layout if ndim == meta.ndim else ""
    kind = meta.kind if ndim == meta.ndim and layout == meta.layout else "any"
    return TensorMeta(dtype, ndim, layout, kind)


def _source(args: Args, inputs: int) -> str:
    """Where the shape comes from; empty: it stays."""
    given = [name for name in ("shape", "rel_shape") if args.given(name)]
    if inputs > 1:
        given.insert(0, "shape_input")
    if len(given) > 1:
        raise ArgumentError(
            f"the shape is given twice: by {given[0]} and {given[1]}.", hint="Take one away.", argument=given[1]
        )
    return given[0] if given else "src_dims" if args.given("src_dims") else ""


def _ndim(args: Args, meta: TensorMeta, source: str) -> int | None:
    if args.given("src_dims") and meta.ndim is not None:
        for axis in args["src_dims"]:
            if not -1 <= axis < meta.ndim:
                raise ArgumentError(
                    f"the data has no axis {axis}.", hint=f"Give -1 to {meta.ndim - 1}.", argument="src_dims"
                )
    if not source:
        return meta.ndim
    if source == "shape_input" or args.wired(source):
        return None
    values: tuple[int | float, ...] = args[source]
    if source != "src_dims":
        _check_extents(args, meta, source, values)
    return len(values)


def _check_extents(args: Args, meta: TensorMeta, source: str, values: tuple[int | float, ...]) -> None:
    """Refuse constant extents that fit no data of this number of axes."""
    if sum(value < 0 for value in values) > 1:
        raise ArgumentError("more than one extent is negative.", hint="Leave one open.", argument=source)
    if source == "shape":
        if 0 in values:
            raise ArgumentError("an extent is 0.", hint="Give 1 or more, or -1 for one of them.", argument="shape")
        check_shape([int(abs(value)) for value in values])
    else:
        if not values:
            raise ArgumentError("no extent is given.", hint="Give one for each axis.", argument="rel_shape")
        known = len(args["src_dims"]) if args.given("src_dims") else meta.ndim
        if args.given("src_dims") and len(values) != known:
            raise ArgumentError(
                f"{len(values)} multiples are given for {known} axes in src_dims.", hint="Give one for each.",
                argument="rel_shape",
            )  # fmt: skip
        if known is not None and any(value >= 0 for value in values[known:]):
            raise ArgumentError(
                f"{len(values)} multiples are given for {known} axes.", hint="Add axes by src_dims.",
                argument="rel_shape",
            )  # fmt: skip


def _asked(args: Args, inputs: Sequence[Batch], source: str) -> NDArray[np.int64]:
    """The shapes as they are given; negative extents follow from the others."""
    data = inputs[0]
    if source == "shape_input":
        return _rows(inputs[1].samples, source, len(data)).astype(np.int64)
    if source == "shape":
        fed = args.samples("shape")
        return np.tile(np.array(args["shape"], np.int64), (len(data), 1)) if fed is None else _rows(
            fed, source, len(data)
        ).astype(np.int64)  # fmt: skip
    extents = data.shapes
    if args.given("src_dims"):
        picked = list(args["src_dims"])
        extents = np.concatenate([extents, np.ones((len(data), 1), np.int64)], axis=1)[:, picked]
    if source != "rel_shape":
        return extents
    fed = args.samples("rel_shape")
    factors = np.tile(np.array(args["rel_shape"]), (len(data), 1)) if fed is None else _rows(fed, source, len(data))
    wrong = ~np.isfinite(factors).all(axis=1)
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ArgumentError(
            f"the multiples are {', '.join(map(str, factors[sample].tolist()))}.", hint="Give numbers.",
            argument=source, sample=sample,
        )  # fmt: skip
    more = factors.shape[1] - extents.shape[1]
    if more > 0:
        extents = np.concatenate([extents, np.ones((len(data), more), np.int64)], axis=1)
    made = round_half_away(factors.astype(np.float64) * extents[:, : factors.shape[1]])
    return np.where(factors < 0, -1, made)


def _rows(samples: Sequence[NDArray[np.number]], source: str, count: int) -> NDArray[np.number]:
    """A row of numbers for each sample."""
    rows = [np.ravel(sample) for sample in samples]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise ArgumentError(
            f"the shapes have different numbers of axes: {sorted(lengths)}.", hint="Give as many for each sample.",
            argument=source, code="DS203",
        )  # fmt: skip
    return np.array(rows).reshape(count, -1 if count else 0)


def _scaled(
    shapes: NDArray[np.int64], total: NDArray[np.int64], size: int, wanted: int, source: str
) -> NDArray[np.int64]:  # fmt: skip
    """Shapes whose last axis has the same bytes in elements of another size."""
    wrong = shapes.prod(axis=1, dtype=np.int64) * size != total
    if wrong.any():
        sample = int(np.argmax(wrong))
        reason = "it does not hold the elements of the data exactly"
        raise _no_shape(shapes[sample], reason, "Name each axis that is longer than 1 once.", source, sample)
    if size == wanted:
        return shapes
    if not len(shapes):
        return shapes
    last = shapes[:, -1] * size if shapes.shape[1] else np.full(len(shapes), size)
    wrong = (last % wanted != 0) | (shapes.shape[1] == 0)
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ArgumentError(
            f"the last axis has {last[sample]} bytes, which are no whole number of elements of {wanted} bytes each.",
            hint="Give a shape.", argument="dtype", sample=sample, code="DS203",
        )  # fmt: skip
    made = shapes.copy()
    made[:, -1] = last // wanted
    return made


def _no_shape(shape: NDArray[np.int64], reason: str, hint: str, source: str, sample: int) -> ArgumentError:
    return ArgumentError(
        f"the shape {tuple(shape.tolist())} is not possible: {reason}.", hint=hint,
        argument="" if source == "shape_input" else source, sample=sample, code="DS203",
    )  # fmt: skip

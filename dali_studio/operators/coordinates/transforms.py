"""What operators that make affine transforms share."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import dense
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.transforms import MAX_AXES, combine
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.marks import Doc
from dali_studio.schema.samples import Data, values
from dali_studio.schema.traits import FramesFromArguments, PerFrame, PerSample

#: A transform of two axes, and one of three, for cases.
FLAT = ((1.0, 0.25, -6.0), (0.1, 0.9, 3.0))
DEEP = ((1.0, 0.2, 0.0, 5.0), (-0.3, 1.1, 0.1, -1.0), (0.0, 0.4, 0.7, 2.5))


class Transform(Operator, abstract=True):
    """Base of operators that make an affine transform, (axes, axes + 1) float32, or apply it to what another has made.

    A subclass says by ``axes`` how many axes it has, as far as that is known, and makes its ``matrices``.
    """

    category = "coordinates"
    icon = "affine"
    inputs = (
        Input("transform", dtypes=(T.FLOAT,), optional=True,
              doc="Transforms that come first: (axes, axes + 1) matrices."),
    )  # fmt: skip
    outputs = (Output("transform"),)
    traits = (PerSample, PerFrame, FramesFromArguments)

    reverse_order: Annotated[bool, Doc("Apply this transform before the one of the input, not after it.")] = False

    @classmethod
    def axes(cls, args: Args, given: int | None) -> int | None:
        """How many axes the transform has, which its input has `given` of; ``None`` as long as nothing says so."""
        raise NotImplementedError

    @classmethod
    def matrices(cls, args: Args, axes: int) -> NDArray[np.float32]:
        """(N, axes, axes + 1) transforms."""
        raise NotImplementedError

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        for meta in inputs:
            check_transform(meta)
        found = cls.axes(args, None)
        if found is not None and not 1 <= found <= MAX_AXES:
            raise _too_many(found)
        return transform_meta()

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        for batch in inputs:
            check_transform(batch.meta)
            check_shapes(batch.shapes)
        given = int(inputs[0].shapes[0, 0]) if inputs and len(inputs[0]) else None
        axes = cls.axes(args, given) if args.count else 2
        assert axes is not None
        if given not in (None, axes):
            raise ArgumentError(
                f"the input has transforms of {given} axes, the arguments of {axes}.",
                hint="Give arguments for as many axes.", code="DS203",
            )  # fmt: skip
        if not 1 <= axes <= MAX_AXES:
            raise _too_many(axes)
        made = _matrices(cls, args, axes)
        return Work(transform_shapes(args.count, axes), {"matrices": made, "reverse": args["reverse_order"]})

    @classmethod
    def cpu(cls, work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        own = work.params["matrices"][index : index + 1]
        packed = [np.asarray(array, order="C") for array in inputs]
        given = [Operand.of([array]) for array in packed]
        combine([*given, Operand.of(own)], Operand.of([outputs[0]]), reverse=work.params["reverse"])

    @classmethod
    def cpu_batch(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        whole = None if inputs else outputs[0].flat()
        if whole is not None:
            whole[...] = work.params["matrices"].reshape(-1)
            return
        own = Batch.of_array(work.params["matrices"])
        sources = [Operand.of_batch(batch) for batch in (*inputs, own)]
        combine(sources, Operand.of_batch(outputs[0]), reverse=work.params["reverse"])


def _matrices(operator: type[Transform], args: Args, axes: int) -> NDArray[np.float32]:
    """(N, axes, axes + 1) transforms; what follows from constants is made once."""
    if not args.count:
        return np.empty((0, axes, axes + 1), np.float32)
    if not args.constant:
        return operator.matrices(args, axes)
    kept: tuple[int, int, NDArray[np.float32]] | None = args.memory.get(_KEPT)
    if kept is None or kept[:2] != (args.count, axes):
        kept = args.memory[_KEPT] = args.count, axes, operator.matrices(args, axes)
    return kept[2]


#: Where the matrices of constant arguments are kept.
_KEPT = object()


def transform_meta() -> TensorMeta:
    """What transforms are; their axes have no names, as in nvidia.dali."""
    return TensorMeta(T.FLOAT, 2, "**")


def transform_shapes(count: int, axes: int) -> NDArray[np.int64]:
    """Shapes of transforms."""
    return np.tile(np.array([axes, axes + 1], np.int64), (count, 1))


def check_transform(meta: TensorMeta) -> None:
    """Refuse what has no two axes, or is not float32 (DS203)."""
    if meta.dtype not in (None, T.FLOAT):
        raise ArgumentError(
            f"the transforms are {meta.dtype.name}; FLOAT is accepted.", hint="Insert a cast to FLOAT.", code="DS203"
        )
    if meta.ndim not in (None, 2):
        raise ArgumentError(
            f"the transforms have {meta.ndim} axes; the shape (axes, axes + 1) is accepted.",
            hint="Give one matrix for each sample, such as one of shape (2, 3).", code="DS203",
        )  # fmt: skip


def check_shapes(shapes: NDArray[np.int64]) -> None:
    """Refuse matrices that are no transforms, and those of other axes than the first one (DS203)."""
    wrong = (shapes[:, 1] != shapes[:, 0] + 1) | (shapes[:, 0] > MAX_AXES) | (shapes[:, 0] < 1)
    different = (shapes != shapes[:1]).any(axis=1)
    if not (wrong | different).any():
        return
    index = int(np.argmax(wrong | different))
    shape = tuple(shapes[index].tolist())
    rest = f"the first one has {tuple(shapes[0].tolist())}" if different[index] else "(axes, axes + 1) is accepted"
    raise ArgumentError(
        f"the transform has the shape {shape}; {rest}.", hint="Give matrices of one shape, such as (2, 3).",
        sample=index, code="DS203",
    )  # fmt: skip


def _too_many(axes: int) -> ArgumentError:
    return ArgumentError(
        f"transforms of {axes} axes are asked for; 1 to {MAX_AXES} are possible.", hint="Give fewer numbers.",
        code="DS203",
    )  # fmt: skip


def length_of(args: Args, name: str) -> int | None:
    """How many numbers an argument has for each sample; ``None`` if it is not given, or not known yet.

    Raises
    ------
    ArgumentError
        DS203 if samples differ.
    """
    fed = args.samples(name)
    if fed is None:
        value = None if args.wired(name) else args[name]
        return None if value is None else np.size(value)
    if not len(fed):
        return None
    together = dense(fed)
    if together is not None:
        return together[0].size
    first = fed[0].size
    for index, sample in enumerate(fed):
        if sample.size != first:
            raise ArgumentError(
                f"{sample.size} numbers are given, {first} for the first sample.",
                hint="Give as many for each sample.", argument=name, sample=index, code="DS203",
            )  # fmt: skip
    return first


def with_centre(args: Args, linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, axes, axes + 1) of (N, axes, axes): what leaves the argument ``center``, or the origin, where it is."""
    made = np.zeros((*linear.shape[:2], linear.shape[2] + 1), np.float32)
    made[..., :-1] = linear
    if args.given("center"):
        centres = exactly(args, "center", linear.shape[1])
        moved = linear[..., 0] * -centres[:, :1]
        for axis in range(1, linear.shape[2]):
            moved = moved + linear[..., axis] * -centres[:, axis : axis + 1]
        made[..., -1] = moved + centres
    return made


def exactly(args: Args, name: str, width: int) -> NDArray[np.float32]:
    """(N, width) numbers of an argument; one for all is not accepted."""
    length = length_of(args, name)
    if length is not None and length != width:
        raise ArgumentError(
            f"{length} numbers are given; {name} takes {width} here.", hint=f"Give {width} numbers.", argument=name,
            code="DS203",
        )  # fmt: skip
    return args.vectors(name, width)


def flat(count: int = 3) -> Data:
    """Transforms of two axes, for cases."""
    return values(*(np.array(FLAT) * (1 + 0.5 * i) for i in range(count)), label="2-D transforms")


def deep(count: int = 3) -> Data:
    """Transforms of three axes, for cases."""
    return values(*(np.array(DEEP) * (1 - 0.3 * i) for i in range(count)), label="3-D transforms")

"""``fn.mfcc``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.linear import Matrix, transform_axis, transforming_axes
from dali_studio.kernels.cuda.linear import transform_axis_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator, example
from dali_studio.schema.marks import COMMON, Doc, Range, Ui
from dali_studio.schema.samples import Case, tensors
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample


class MFCC(RangesOperator):
    """Mel-frequency cepstral coefficients: a discrete cosine transform of mel spectra in decibels."""

    path = "mfcc"
    category = "audio"
    icon = "wave"
    keywords = "cepstrum cepstral dct cosine lifter mel speech sound"
    inputs = (Input("mel", dtypes=(T.FLOAT,), of_sound="mel_filter_bank"),)
    outputs = (Output("coefficients"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    examples = (example(), example(n_mfcc=13, normalize=True, lifter=22.0), example(dct_type=3, axis=1))
    tolerance = (Tolerance(relative=1e-6, reason="cosines and sums differ in their last bits"),)

    n_mfcc: Annotated[
        int, Doc("Number of coefficients, at most that of the frequencies."), Range(1), Ui("slider", (1, 64)), COMMON
    ] = 20  # fmt: skip
    dct_type: Annotated[int, Doc("Type of the cosine transform, 1 to 4."), Range(1, 4)] = 2
    normalize: Annotated[bool, Doc("Use an orthonormal basis; not with type 1.")] = False
    axis: Annotated[int, Doc("The axis of the frequencies."), Range(0)] = 0
    lifter: Annotated[
        float, Doc("Multiply coefficient ``i`` by ``1 + lifter / 2 * sin(pi * (i + 1) / lifter)``; 0: do not.")
    ] = 0.0  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        planes = tensors(((40, 31), (80, 9), (5, 1), (128, 70)), layout="ft", low=-80, high=0)
        return [
            *(Case((planes,), {"dct_type": kind, "normalize": normalize, "lifter": lifter})
              for kind in (1, 2, 3, 4) for normalize in (False, True) if kind > 1 or not normalize
              for lifter in (0.0, 22.0)),
            *(Case((planes,), {"n_mfcc": count, "axis": 0}) for count in (1, 13, 500)),
            Case((tensors(((31, 40), (9, 80), (1, 5)), low=-80, high=0),), {"axis": 1, "lifter": -3.0}),
            Case((tensors(((3, 40, 31), (2, 8, 9)), low=-80, high=0),), {"axis": 1, "normalize": True}),
            Case((tensors(((3, 2, 40, 5), (2, 1, 8, 9)), low=-80, high=0),), {"axis": 2}),
            Case((tensors(((1, 7), (1, 9))),), {}),
            Case((tensors(((1, 7), (1, 9))),), {"dct_type": 1}, refused=""),
            Case((planes,), {"dct_type": 1, "normalize": True}, refused="normalize"),
            Case((tensors(((0, 7), (0, 9))),), {"normalize": True}, note="there are no frequencies", peer=False),
            Case((planes,), {"axis": 2}, refused="axis"),
            Case((tensors(((5, 7), (5, 9)), T.FLOAT64),), {}, refused=""),
            Case((tensors(((1, 2, 3, 4, 5),)),), {}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, (T.FLOAT,))
        if args["dct_type"] == 1 and args["normalize"]:
            raise ArgumentError(
                "the transform of type 1 has no orthonormal form.", hint="Unset normalize, or use another type.",
                argument="normalize",
            )  # fmt: skip
        if meta.ndim is not None:
            _check_axis(args["axis"], meta.ndim)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        shapes, axis = inputs[0].shapes, args["axis"]
        _check_axis(axis, shapes.shape[1])
        kind, sizes = args["dct_type"], shapes[:, axis]
        if kind == 1 and (sizes < 2).any():
            raise ArgumentError(
                "the transform of type 1 needs two frequencies or more.", hint="Use another dct_type.",
                sample=int(np.argmax(sizes < 2)), code="DS203",
            )  # fmt: skip
        made = shapes.copy()
        made[:, axis] = np.minimum(sizes, args["n_mfcc"])
        settings = args["n_mfcc"], kind, args["normalize"], args["lifter"]
        tables = {size: _matrix(size, *settings) for size in set(sizes.tolist())}
        return Work(made, {"axis": axis, "tables": tables, "name": ("mfcc", settings)})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        axis = work.params["axis"]
        if outputs[0].size:
            transform_axis(inputs[0], outputs[0], axis, work.params["tables"][inputs[0].shape[axis]])

    @staticmethod
    def cpu_ranges(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return transforming_axes(inputs[0], outputs[0], work.params["axis"], work.params["tables"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        transform_axis_on_gpu(inputs[0], outputs[0], params["axis"], params["tables"], params["name"], stream)


def _check_axis(axis: int, ndim: int) -> None:
    if not 2 <= ndim <= 4:
        raise ArgumentError(
            f"the input has {ndim} axes; 2 to 4 are accepted.", hint="Bring what mel_filter_bank gives.", code="DS203"
        )
    if axis >= ndim:
        raise ArgumentError(
            f"there is no axis {axis}; the input has {ndim}.", hint=f"Give 0 to {ndim - 1}.", argument="axis"
        )


@lru_cache(maxsize=32)
def _matrix(size: int, count: int, kind: int, normalize: bool, lifter: float) -> Matrix:
    if not size:
        return Matrix.of(np.zeros((0, 1), np.float32))
    k, n = np.ogrid[0 : min(size, count), 0:size]
    if kind == 1:
        table = np.cos(np.pi / (size - 1) * k * n)
        table[:, [0, -1]] *= 0.5
    elif kind == 2:
        table = np.cos(np.pi / size * (n + 0.5) * k)
    elif kind == 3:
        table = np.cos(np.pi / size * n * (k + 0.5))
    else:
        table = np.cos(np.pi / size * (n + 0.5) * (k + 0.5))
    if normalize:
        table *= np.sqrt(2 / size)
    if kind in (2, 3):
        edge = (slice(1), slice(None)) if kind == 2 else (slice(None), slice(1))
        table[edge] *= np.sqrt(0.5) if normalize else (1 if kind == 2 else 0.5)
    factors = None
    if lifter:
        place = np.arange(1, len(table) + 1, dtype=np.float32)
        phase = np.float32(np.pi) / np.float32(lifter) * place
        factors = (1 + np.float32(lifter) / 2 * np.sin(phase.astype(np.float64))).astype(np.float32)
    return Matrix.of(table.astype(np.float32), factors)

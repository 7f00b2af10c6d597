"""``fn.segmentation.select_masks``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.polygons import MISSING, OUTSIDE, TWICE, select_polygons
from dali_studio.kernels.cpu.rows import row_samples
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.samples import Case, tensors, values

_RANKS = {"mask_ids": 1, "polygons": 2, "vertices": 2}


class SelectMasks(Operator):
    """Keeps the polygons of some masks, as `readers.coco` gives them, in the order of `mask_ids`.

    Where a mask has several polygons, the last one is kept, as in nvidia.dali.
    """

    path = "segmentation.select_masks"
    category = "segmentation"
    icon = "boxes"
    keywords = "polygons instance coco filter choose pick"
    inputs = (
        Input("mask_ids", "label", dtypes=(T.INT32,), doc="Which masks, each once: int32 (masks,)."),
        Input("polygons", dtypes=(T.INT32,), doc="Mask, first vertex and end of each polygon: int32 (polygons, 3)."),
        Input("vertices", "points", doc="Of all polygons: (vertices, coordinates), of any type."),
    )
    outputs = (Output("polygons"), Output("vertices", "points"))
    examples = (example(), example(reindex_masks=True))

    reindex_masks: Annotated[
        bool, Doc("Number the masks as they stand in mask_ids, from 0; otherwise they keep their numbers."), COMMON
    ] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        ids = values([1], [2, 0], [], dtype=T.INT32, label="ids")
        polygons = values([[0, 0, 3], [1, 3, 7], [2, 7, 10]], [[2, 5, 9], [0, 0, 5]], [[4, 0, 3]], dtype=T.INT32,
                          label="polygons")  # fmt: skip
        points = tensors(((10, 2), (9, 2), (3, 2)))
        several = values([[0, 0, 3], [1, 3, 7], [1, 7, 10]], [[2, 5, 9], [0, 0, 5]], [[4, 0, 3]], dtype=T.INT32,
                         label="several of one mask")  # fmt: skip
        return [
            *(Case((ids, polygons, points), one.arguments) for one in cls.examples),
            *(Case((ids, polygons, tensors(((10, 3), (9, 3), (3, 3)), dtype)))
              for dtype in (T.UINT8, T.INT16, T.FLOAT64)),
            Case((ids, several, points)),
            Case((values([1, 1], [2, 0], [], dtype=T.INT32, label="twice"), polygons, points), refused=""),
            Case((values([5], [2, 0], [], dtype=T.INT32, label="missing"), polygons, points), refused=""),
            Case((ids, polygons, tensors(((6, 2), (9, 2), (3, 2)))), refused=""),
            Case((ids, tensors(((3, 2), (2, 2), (1, 2)), T.INT32), points), refused=""),
            Case((values(1, 2, 3, dtype=T.INT32), polygons, points), refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        ids, polygons, points = inputs
        check_dtype(ids, (T.INT32,))
        check_dtype(polygons, (T.INT32,))
        for (name, rank), meta in zip(_RANKS.items(), inputs, strict=True):
            if meta.ndim not in (None, rank):
                raise ArgumentError(
                    f"{name} have {meta.ndim} axes; {rank} are accepted.",
                    hint="Connect what readers.coco gives with polygon_masks.", code="DS203",
                )  # fmt: skip
        return TensorMeta(T.INT32, 2, ""), points.with_(ndim=2, kind="points")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        SelectMasks.infer(args, *(batch.meta for batch in inputs))
        ids, polygons, points = inputs
        wrong = polygons.shapes[:, 1] != 3
        if wrong.any():
            index = int(np.argmax(wrong))
            shape = tuple(polygons.shapes[index].tolist())
            raise _refused(f"the polygons have the shape {shape}; (polygons, 3) is accepted.", index)
        operands = Operand.of_batch(ids), Operand.of_batch(polygons)
        table, starts, rows = select_polygons(*operands, points.shapes[:, 0], renumber=args["reindex_masks"])
        if (rows.counts < 0).any():
            index = int(np.argmax(rows.counts < 0))
            raise _refused(_REASONS[int(rows.counts[index])], index)
        return Batch.of(row_samples(table, starts, ids.shapes[:, 0]), "", ids.sources), rows.of(points)


_REASONS = {
    TWICE: "a mask is selected twice.", MISSING: "there is no polygon of a mask that is selected.",
    OUTSIDE: "a polygon has vertices that are not there.",
}  # fmt: skip


def _refused(message: str, sample: int) -> ArgumentError:
    return ArgumentError(
        message, hint="Connect polygons and vertices of one reader, and ids of its masks.", sample=sample, code="DS203"
    )

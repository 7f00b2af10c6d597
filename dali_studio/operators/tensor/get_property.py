"""``fn.get_property``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Choices, Doc
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import MadeOnCpu, SpansIterations


class GetProperty(Operator):
    """A text that goes with each sample, as a row of its bytes: the layout, or the file that it came from."""

    category = "tensor"
    icon = "tag"
    keywords = "source info file name path layout metadata"
    inputs = (Input("input", shape_only=True),)
    outputs = (Output("text"),)
    traits = (MadeOnCpu, SpansIterations)
    devices = ("cpu", "gpu")
    examples = (example(key="layout"), example(key="source_info"))

    key: Annotated[
        str, Doc("layout, or source_info: the name of the file, empty if there is none."),
        Choices(("source_info", "layout")), COMMON,
    ]  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        keys = ("layout", "source_info")
        given = (images(), images(layout="CHW"), tensors(((3,), (0,))))
        return [Case((data,), {"key": key}) for key in keys for data in given]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return TensorMeta(T.UINT8, 1, "")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (given,) = inputs
        if args["key"] == "layout":
            row = np.frombuffer(given.layout.encode(), np.uint8)
            return (Batch.of_array(np.tile(row, (len(given), 1)), "", given.sources),)
        texts = [os.fsencode(source) for source in given.sources] or [b""] * len(given)
        rows = [np.frombuffer(text, np.uint8) for text in texts]
        return (Batch.of(rows, "", given.sources, dtype=np.dtype(np.uint8), ndim=1),)

"""``fn.io.file.read``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.wording import shortened
from dali_studio.kernels.cpu.file_read import read_files
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import Ignored
from dali_studio.schema.samples import Case, tensors, values

_TYPES = (T.UINT8, T.INT8)
_HOW = Ignored("files are read as whole pieces, whatever the system keeps of them")


class Read(Operator):
    """Reads the files whose paths it is given, as the bytes of their names."""

    path = "io.file.read"
    category = "sources"
    icon = "file"
    node_name = "contents"
    keywords = "load open bytes path name"
    inputs = (Input("filepaths", dtypes=_TYPES, doc="The path of each sample's file, a row of bytes."),)
    outputs = (Output("contents", "encoded"),)

    dont_use_mmap: Annotated[bool, _HOW] = False
    use_o_direct: Annotated[bool, _HOW] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        names = [list(os.fsencode(os.__file__)), list(os.fsencode(np.__file__))]
        return [
            Case((values(*names, dtype=T.UINT8, label="paths"),)),
            Case((values(*names, dtype=T.INT8, label="signed paths"),)),
            Case((values([47, 46, 46, 47, 0], [65], dtype=T.UINT8, label="no files"),), refused=""),
            Case((tensors(((2, 3),) * 2, T.UINT8),), refused=""),
            Case((tensors(((5,),) * 2, T.INT32),), refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_dtype(inputs[0], _TYPES)
        if inputs[0].ndim not in (None, 1):
            raise ArgumentError(
                f"the paths have {inputs[0].ndim} axes; a row of bytes is needed.", hint="Give one path per sample.",
                code="DS203",
            )  # fmt: skip
        return TensorMeta(T.UINT8, 1, "", "encoded")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        Read.infer(args, inputs[0].meta)
        # as C takes them, names end at a zero
        paths = [os.fsdecode(sample.tobytes().partition(b"\0")[0]) for sample in inputs[0].samples]

        def failed(position: int, error: OSError) -> NDArray[Any]:
            raise ArgumentError(
                f"{shortened(paths[position])} cannot be read: {error.strerror}.",
                hint="Give the path of a file; relative ones begin at the working directory.", sample=position,
                code="DS302",
            ) from error  # fmt: skip

        data = read_files(paths, args.context.memory, args.context.map, failed)
        return (Batch.of(data, "", inputs[0].sources, dtype=np.dtype(np.uint8), ndim=1),)

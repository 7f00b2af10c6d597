"""``fn.dump_image``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import COMMON, Choices, Doc, Layout
from dali_studio.schema.samples import Case, images

_TYPES = (T.UINT8,)


class DumpImage(Operator):
    """Writes each image to a file of the working directory, and gives it on as it is.

    The files are texts in the format PPM, or PGM for one channel, called 0-suffix-0.ppm, 1-suffix-0.ppm and so on after
    the place of the image in its batch; the next batch overwrites them. Only programs write: in a document, and in
    the designer, nothing is written.
    """

    category = "sources"
    icon = "save"
    node_name = "dumped"
    keywords = "save write debug ppm file"
    inputs = (Input("image", dtypes=_TYPES),)
    outputs = (Output("image"),)
    devices = ("cpu", "gpu")
    stateful = True

    suffix: Annotated[str, Doc("Part of the files' names."), COMMON] = ""
    input_layout: Annotated[Layout, Doc("Layout of the images."), Choices(("HWC",))] = Layout("HWC")

    @classmethod
    def samples(cls) -> Sequence[Case]:
        return [
            Case((images(),), {"input_layout": "CHW"}, refused="input_layout"),
            Case((images(dtype=T.FLOAT),), refused=""),
            Case((images(layout="HW"),), refused=""),
            Case((images(channels=2),), refused=""),
        ]  # others write files: tests/compat

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.ndim not in (None, 3):
            message = f"the images have {meta.ndim} axes; 3 are needed."
            raise ArgumentError(message, hint="Bring HWC images.", code="DS203")
        return meta

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (batch,) = inputs
        _check(args, batch)
        if args.context.may_write:
            _dump(args, batch.samples)
        return (batch,)

    @staticmethod
    def run_gpu(state: object, args: Args, inputs: Sequence[Batch], stream: GpuStream) -> tuple[Batch, ...]:
        (batch,) = inputs
        _check(args, batch)
        if args.context.may_write:
            host = stream.fetch(batch)
            stream.synchronize()
            _dump(args, batch.on_host(host))
        return (batch,)


def _check(args: Args, batch: Batch) -> None:
    """Refuse what is no picture."""
    DumpImage.infer(args, batch.meta)
    wrong = ~np.isin(batch.shapes[:, 2:], (1, 3)).all(axis=1) | (batch.counts == 0)
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ArgumentError(
            f"the image has the shape {tuple(batch.shapes[sample].tolist())}; pixels with 1 or 3 channels are needed.",
            hint="Convert it before.", sample=sample, code="DS203",
        )  # fmt: skip


def _dump(args: Args, images: Sequence[NDArray[Any]]) -> None:
    for position, (index, image) in enumerate(zip(args.context.indices.tolist(), images, strict=True)):
        _write(image, f"{index}-{args['suffix']}-0.ppm", position)


def _write(image: NDArray[Any], name: str, sample: int) -> None:
    height, width, channels = image.shape
    rows = "".join(" ".join(map(str, row.ravel().tolist())) + " \n" for row in image)
    try:
        Path(name).write_text(f"P{3 if channels == 3 else 2}\n{width} {height}\n255\n{rows}", "ascii")
    except OSError as error:
        raise ArgumentError(
            f"{name} cannot be written: {error.strerror}.", hint="Choose another suffix, or working directory.",
            argument="suffix", sample=sample, code="DS302",
        ) from error  # fmt: skip

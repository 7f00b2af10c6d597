"""``fn.experimental.readers.fits``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.limits import MAX_OUTPUTS
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import fits
from dali_studio.operators.readers.arrays import check_alike, check_sources, listed_files, packed_arrays
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.files import Files, FilesRead
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.fits_samples import COMPRESSED, fits_files
from dali_studio.schema.marks import COMMON, Doc, Ui
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.samples import Case
from dali_studio.schema.traits import MadeOnCpu


class Fits(Reader):
    """Reads images from FITS files, the format of astronomy: from each file as many units as `hdu_indices` names.

    The element type is what the numbers stand for: that of the file, or, where its header has BSCALE and BZERO, the
    least one of whole numbers that holds all of them, or real numbers. BLANK has no effect. All images of a batch must
    have one element type and one number of axes. Files come in alphabetical order, first those of the folder itself,
    then those of its sub-folders. Images may be compressed by Rice, gzip, PLIO or HCOMPRESS, tile by tile, and files by
    gzip as a whole; unlike in nvidia.dali, those of HCOMPRESS that ask for smoothing are refused.
    """

    path = "experimental.readers.fits"
    icon = "file"
    keywords = "dataset fits astronomy telescope hdu image"
    traits = (*Reader.traits, MadeOnCpu)
    devices = ("cpu", "gpu")
    outputs = (Output("image"),)

    file_root: Annotated[
        str | None, Doc("Folder of the files, or what their paths are relative to."), Ui("path"), COMMON
    ] = None  # fmt: skip
    file_filter: Annotated[str, Doc("Pattern of the names of files to take from the folder.")] = "*.fits"
    files: Annotated[list[str] | None, Doc("Explicit paths, relative to file_root if that is given.")] = None
    file_list: Annotated[str | None, Doc("Text file with a path on each line."), Ui("path")] = None
    hdu_indices: Annotated[
        list[int], Doc("The unit that each output is read from; 1 is the first of a file."), COMMON
    ] = [2]  # noqa: RUF012 - a declaration
    dtypes: Annotated[
        list[DALIDataType] | None,
        Doc("One for each output. They have no effect, as in nvidia.dali: the files say what they hold."),
    ] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = {"file_root": fits_files()}
        both = {**given, "hdu_indices": (1, 3, 1)}
        return [
            Case(arguments=given),
            *(Case(arguments={"file_root": fits_files(kind)})
              for kind in ("uint8", "int32", "int64", "float32", "float64", "empty", "scaled", "gzip", *COMPRESSED)),
            Case(arguments=both),
            Case(arguments={**both, "dtypes": ("UINT8", "FLOAT", "INT16")}),
            Case(arguments={**given, "file_filter": "*[02].fits"}),
            Case(arguments={**given, "files": ("2.fits", "sub/0.fits", "1.fits")}),
            Case(arguments={**given, "file_list": fits_files(entry="list.txt")}),
            Case(arguments={"file_list": fits_files(entry="list.txt")}),
            Case(arguments={**given, "random_shuffle": True, "initial_fill": 3}),
            Case(arguments={**given, "shuffle_after_epoch": True}),
            Case(arguments={**given, "num_shards": 2, "shard_id": 1, "pad_last_batch": True}),
            Case(refused="file_root", note="nothing to read"),
            Case(arguments={**given, "dtypes": ("UINT8", "UINT8")}, refused="dtypes"),
            Case(arguments={**given, "hdu_indices": 0}, refused="hdu_indices"),
            Case(arguments={**given, "hdu_indices": 4}, refused=""),
            Case(arguments={**given, "file_filter": "*.none"}, refused="file_root"),
            Case(arguments={"files": ("a.fits",), "file_list": "b.txt"}, refused="file_list"),
            *(Case(arguments={"file_root": fits_files(kind)}, refused="") for kind in ("damaged", "unlike", "table")),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        found = values.get("hdu_indices")
        count = min(len(found), MAX_OUTPUTS) if isinstance(found, tuple | list) else 1
        return schema.outputs if count == 1 else tuple(Output(f"image{i}") for i in range(count))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_sources(args)
        check_order(args)
        numbers = args["hdu_indices"]
        if not numbers or min(numbers) < 1:
            raise ArgumentError(
                f"hdu_indices is {list(numbers)}; numbers from 1 are accepted.",
                hint="Give the number of a unit for each output.", argument="hdu_indices",
            )  # fmt: skip
        if args.given("dtypes") and len(args["dtypes"]) != len(numbers):
            raise ArgumentError(
                f"{len(args['dtypes'])} types are given for {len(numbers)} outputs.",
                hint="Give one for each, or none.", argument="dtypes",
            )  # fmt: skip
        return tuple(TensorMeta(None, None, "") for _ in numbers)

    @classmethod
    def data_set(cls, args: Args) -> Files:
        return listed_files(args)

    @classmethod
    def batches(cls, data: Files, read: FilesRead, args: Args) -> tuple[Batch, ...]:
        files = data.batch(read, args)
        contents = [_inflated(position, files, args) for position in range(len(files))]
        if any(one is not given for one, given in zip(contents, files.samples, strict=True)):
            files = Batch.of(contents, "", files.sources, dtype=np.dtype(np.uint8), ndim=1)
        found = [_images(position, files, args) for position in range(len(files))]
        return tuple(
            _batch(files, [None if images is None else images[i] for images in found], args)
            for i in range(len(args["hdu_indices"]))
        )


def _inflated(position: int, files: Batch, args: Args) -> NDArray[np.uint8]:
    """The contents of a file; nothing where it is damaged, and may be."""
    try:
        return fits.inflated(files.samples[position])
    except fits.FitsError as error:
        _accept(error, position, files, args)
        return np.empty(0, np.uint8)


def _images(position: int, files: Batch, args: Args) -> list[fits.FitsImage] | None:
    """The images of a file; ``None`` where it cannot be read, and need not."""
    if int(args.context.indices[position]) in args.context.failed:
        return None
    try:
        return [fits.image(files.samples[position], number) for number in args["hdu_indices"]]
    except fits.FitsError as error:
        _accept(error, position, files, args)
        return None


def _batch(files: Batch, images: Sequence[fits.FitsImage | None], args: Args) -> Batch:
    """An output: the images, one after the other in memory."""
    nothing = fits.FitsImage(0, np.dtype(">f4"), np.dtype(np.float32), (0,), 1.0, 0.0)
    first = next((one for one in images if one is not None), nothing)
    kinds = [(one.dtype, len(one.shape)) if one else (first.dtype, len(first.shape)) for one in images]
    check_alike(kinds, files.sources, args)
    extents = np.array([one.shape if one else (0,) * len(first.shape) for one in images], np.int64)
    made = packed_arrays(extents.reshape(len(images), len(first.shape)), first.dtype, args.context.memory)

    def copy(position: int) -> None:
        one, out = images[position], made[position]
        if one is None:
            return
        try:
            fits.read_image(files.samples[position], one, out)
        except fits.FitsError as error:
            _accept(error, position, files, args)
            out[...] = 0

    args.context.map(copy, len(images))
    return Batch.of(made, "", files.sources)


def _accept(error: fits.FitsError, position: int, files: Batch, args: Args) -> None:
    """Go on without a file, if `on_error` says so."""
    index, source = int(args.context.indices[position]), files.sources[position]
    finding = ArgumentError(
        f"{source} cannot be read: {error}.",
        hint='Replace the file, or take it out of the data set; on_error="skip" leaves such files out.',
        sample=index, code="DS301",
    )  # fmt: skip
    if not args.context.accepts(index, source, finding):
        raise finding from error

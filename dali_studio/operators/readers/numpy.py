"""``fn.readers.numpy``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed, addresses_of, dtype_of, shapes_of
from dali_studio.kernels.cpu import npy
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.file_read import FAST
from dali_studio.operators.common import T
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.operators.readers.arrays import check_alike, check_sources, copy_in_parts, listed_files, packed_arrays
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.files import Files, FilesRead
from dali_studio.operators.readers.pieces import map_file
from dali_studio.operators.tensor.slice import Slice
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Ignored, Ui
from dali_studio.schema.sample_folders import numpy_files
from dali_studio.schema.samples import Case, values
from dali_studio.schema.traits import MadeOnCpu

_WINDOW = ("roi_start", "rel_roi_start", "roi_end", "rel_roi_end", "roi_shape", "rel_roi_shape")
_ONLY_HERE = "files are read as a whole"
#: An extent that windows are inside of.
_ANY = 1 << 31


class Numpy(Reader):
    """Reads arrays from files in numpy's format, or a window of each.

    Files come in alphabetical order, first those of the folder itself, then those of its sub-folders. All arrays of a
    batch must have one element type and one number of axes.
    """

    path = "readers.numpy"
    icon = "file"
    keywords = "dataset npy array tensor volume load"
    former = ("numpy_reader",)
    traits = (*Reader.traits, MadeOnCpu)
    devices = ("cpu", "gpu")
    outputs = (Output("array"),)

    file_root: Annotated[
        str | None, Doc("Folder of the files, or what their paths are relative to."), Ui("path"), COMMON
    ] = None  # fmt: skip
    file_filter: Annotated[str, Doc("Pattern of the names of files to take from the folder.")] = "*.npy"
    files: Annotated[list[str] | None, Doc("Explicit paths, relative to file_root if that is given.")] = None
    file_list: Annotated[str | None, Doc("Text file with a path on each line."), Ui("path")] = None
    roi_start: Annotated[list[int] | None, Doc("First elements of the window."), PER_SAMPLE, COMMON] = None
    rel_roi_start: Annotated[list[float] | None, Doc("The same as fractions of the extents."), PER_SAMPLE] = None
    roi_end: Annotated[list[int] | None, Doc("Elements behind the last ones."), PER_SAMPLE, COMMON] = None
    rel_roi_end: Annotated[list[float] | None, Doc("The same as fractions of the extents."), PER_SAMPLE] = None
    roi_shape: Annotated[list[int] | None, Doc("Extents of the window."), PER_SAMPLE, COMMON] = None
    rel_roi_shape: Annotated[list[float] | None, Doc("The same as fractions of the extents."), PER_SAMPLE] = None
    roi_axes: Annotated[list[int], Doc("Axes of the window; none: all.")] = []  # noqa: RUF012 - a declaration
    out_of_bounds_policy: Annotated[
        str, Doc("What a window that leaves the array does: stop, pad with fill_value, or shrink to the array."),
        Choices(("error", "pad", "trim_to_shape")),
    ] = "error"  # fmt: skip
    fill_value: Annotated[float, Doc("Value outside the array where it is padded.")] = 0.0
    cache_header_information: Annotated[bool, Ignored(_ONLY_HERE)] = False
    register_buffers: Annotated[bool, Ignored("files are read by the CPU")] = True
    use_o_direct: Annotated[bool, Ignored("files are read through the system's cache")] = False
    dont_use_mmap: Annotated[
        bool,
        Doc(
            "Read files instead of mapping them into memory, which is done for windows. A program ends when a mapped "
            "file is cut off while it is read."
        ),
    ] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given, pad = {"file_root": numpy_files()}, {"out_of_bounds_policy": "pad", "fill_value": 3.7}
        return [
            Case(arguments=given),
            *(Case(arguments={"file_root": numpy_files(name)})
              for name in ("bool", "float16", "int64", "scalars", "empty")),
            Case(arguments={**given, "file_filter": "*[02].npy"}),
            Case(arguments={**given, "files": ("2.npy", "sub/0.npy", "1.npy")}),
            Case(arguments={**given, "file_list": numpy_files("list.txt")}),
            Case(arguments={"file_list": numpy_files("list.txt")}),
            Case(arguments={**given, "roi_start": (1, 2), "roi_end": (4, 5)}),
            Case(arguments={**given, "roi_start": 1, "roi_shape": 2, "roi_axes": 1}),
            Case(arguments={**given, "rel_roi_start": (0.2, 0.3), "rel_roi_shape": (0.5, 0.41)}),
            Case(arguments={**given, "rel_roi_end": (0.5,), "roi_axes": -1}),
            Case(arguments={**given, "roi_start": (-2, 3), "roi_end": (4, 50), **pad}),
            Case(arguments={**given, "roi_start": (-2, 3), "roi_end": (4, 50),
                            "out_of_bounds_policy": "trim_to_shape"}),
            Case(arguments={**given, "roi_start": values((1, 0), (2, 2), (0, 1), (1, 1), dtype=T.INT32),
                            "roi_shape": (2, 3)}),
            Case(arguments={**given, "random_shuffle": True, "initial_fill": 3}),
            Case(arguments={**given, "shuffle_after_epoch": True}),
            Case(arguments={**given, "num_shards": 2, "shard_id": 1, "pad_last_batch": True}),
            Case(refused="file_root", note="nothing to read"),
            Case(arguments={**given, "file_filter": "*.none"}, refused="file_root"),
            Case(arguments={"files": ("a.npy",), "file_list": "b.txt"}, refused="file_list"),
            Case(arguments={"file_list": "/no/such.txt"}, refused="file_list"),
            Case(arguments={"file_root": "/no/such"}, refused="file_root"),
            Case(arguments={**given, "roi_start": (1, 2), "rel_roi_start": (0.1, 0.2)}, refused="rel_roi_start"),
            Case(arguments={**given, "roi_start": (1, 2), "roi_end": (400, 5)}, refused="roi_start"),
            Case(arguments={**given, "roi_start": 1, "roi_axes": 5}, refused="roi_axes"),
            Case(arguments={"file_root": numpy_files("damaged")}, refused=""),
            Case(arguments={"file_root": numpy_files("unlike")}, refused=""),
            Case(arguments={"file_root": numpy_files("complex")}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_sources(args)
        for pair in (_WINDOW[:2], _WINDOW[2:]):
            given = [name for name in pair if args.given(name)]
            if len(given) > 1:
                raise ArgumentError(
                    f"{' and '.join(given)} exclude each other.", hint="Give one of them.", argument=given[1]
                )
        check_order(args)
        return TensorMeta(None, None, "")

    @classmethod
    def data_set(cls, args: Args) -> Files:
        found = listed_files(args)
        windows = any(args.given(name) or args.wired(name) for name in _WINDOW)
        return _Mapped(found.paths, found.root, found.here) if windows and FAST and not args["dont_use_mmap"] else found

    @classmethod
    def batches(cls, data: Files, read: FilesRead, args: Args) -> tuple[Batch, ...]:
        files = data.batch(read, args)
        found = npy.together(files.samples) if isinstance(files.samples, Packed) else None
        return (_batch(_apart(files, args) if found is None else found, files.sources, args),)


class _Mapped(Files):
    """Files that are mapped into memory: what lies outside their windows is not read."""

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> FilesRead:
        """As `DataSet.read`."""
        paths = self.paths.take(picked)
        try:
            return FilesRead(picked, paths, [map_file(path)[1] for path in paths])
        except (OSError, ValueError):  # such as URLs and empty files; a reading that fails tells why
            return super().read(picked, memory, run, ahead=ahead)


def _apart(files: Batch, args: Args) -> list[NDArray[Any]]:
    """The arrays, file by file."""
    arrays = [_array(file, position, files, args) for position, file in enumerate(files.samples)]
    first = next((one for one in arrays if one is not None), np.empty(0, np.float32))
    made = [np.empty((0,) * first.ndim, first.dtype) if one is None else one for one in arrays]
    check_alike([(one.dtype, one.ndim) for one in made], files.sources, args)
    return made


def _array(file: NDArray[np.uint8], position: int, files: Batch, args: Args) -> NDArray[Any] | None:
    """The array of a file; ``None`` where it cannot be read, and need not."""
    index = int(args.context.indices[position])
    if index in args.context.failed:
        return None
    try:
        array = npy.view(file, npy.header(file))
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    except npy.NpyError as error:
        finding = ArgumentError(
            f"{files.sources[position]} cannot be read: {error}.",
            hint='Replace the file, or take it out of the data set; on_error="skip" leaves such files out.',
            sample=index, code="DS301",
        )  # fmt: skip
        if not args.context.accepts(index, files.sources[position], finding):
            raise finding from error
        return None


def _batch(arrays: npy.Arrays | list[NDArray[Any]], sources: Sequence[str], args: Args) -> Batch:
    """The arrays where they were read to, or windows of them, one after the other in memory."""
    windows = len(arrays) and any(args.given(name) for name in _WINDOW)
    as_read = arrays.packed() if isinstance(arrays, npy.Arrays) and not windows else None
    if as_read is not None:
        return Batch.of(as_read, "", sources)
    shapes = arrays.shapes if isinstance(arrays, npy.Arrays) else shapes_of(arrays, arrays[0].ndim if arrays else 1)
    dtype = arrays.dtype if isinstance(arrays, npy.Arrays) else dtype_of(arrays) or np.dtype(np.float32)
    meta = Batch.of([], dtype=dtype, ndim=shapes.shape[1]).meta
    if not windows:
        made = packed_arrays(shapes, dtype, args.context.memory)
        _copy_inside(arrays, None, made, args)
        return Batch.of(made, "", sources)
    fill = np.zeros(1, dtype)
    convert(np.array([args["fill_value"]], np.float32), fill)
    lost = np.isin(args.context.indices, list(args.context.failed))  # nothing is there, and any window fits
    firsts, extents = _windows(args, Batch.view(meta, np.where(lost[:, None], _ANY, shapes)))
    firsts, extents = np.where(lost[:, None], 0, firsts), np.where(lost[:, None], 0, extents)
    made = packed_arrays(extents, dtype, args.context.memory)
    if (firsts >= 0).all() and (firsts + extents <= shapes).all():
        _copy_inside(arrays, firsts, made, args)
        return Batch.of(made, "", sources)

    def copy(position: int) -> None:
        array, out = arrays[position], made[position]
        at, extent = firsts[position], extents[position]
        ends = np.minimum(at + extent, array.shape)
        part = array[tuple(slice(max(a, 0), max(end, 0)) for a, end in zip(at, ends, strict=True))]
        if part.shape != out.shape:
            out[...] = fill[0]
            out = out[tuple(slice(max(-a, 0), max(-a, 0) + n) for a, n in zip(at, part.shape, strict=True))]
        out[...] = part

    args.context.map(copy, len(arrays))
    return Batch.of(made, "", sources)


def _copy_inside(
    arrays: npy.Arrays | list[NDArray[Any]], firsts: NDArray[np.int64] | None, made: Packed, args: Args
) -> None:  # fmt: skip
    """Copy windows that lie inside the arrays, or all of these."""
    if isinstance(arrays, npy.Arrays):
        places, steps = arrays.starts + arrays.slab.ctypes.data, arrays.steps
    else:
        places = addresses_of(arrays)
        steps = np.array([array.strides for array in arrays], np.int64).reshape(made.shapes.shape)
    if firsts is not None:
        places += (firsts * steps).sum(axis=1)
    copy_in_parts(places, made.shapes, steps, made.dtype.itemsize, addresses_of(made), args.context.map)


def _windows(args: Args, arrays: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First elements and extents, as `slice` has them."""
    names = {name: name.replace("roi_", "") for name in _WINDOW}
    fed = {new: args.samples(name) for name, new in names.items() if args.wired(name)}
    given = {new: args[name] for name, new in names.items() if args.given(name) and not args.wired(name)}
    given |= {"axes": args["roi_axes"], "out_of_bounds_policy": args["out_of_bounds_policy"]}
    try:
        work = Slice.plan(Args(Slice.schema, given, fed, len(arrays), context=args.context), arrays)
    except ArgumentError as error:
        back = {new: name for name, new in names.items()} | {"axes": "roi_axes"}
        error.argument = back.get(error.argument or "", error.argument)
        raise
    return work.params["firsts"], work.shapes

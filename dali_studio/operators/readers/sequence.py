"""``fn.readers.sequence``."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence as Several
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed, addresses_of
from dali_studio.kernels.cpu.file_discovery import Paths, list_images
from dali_studio.kernels.cpu.image_codec import decode, output_shape, peek
from dali_studio.kernels.cpu.image_info import DecodeError
from dali_studio.operators.common import T, sentence
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.operators.readers.arrays import copy_in_parts
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.files import Files, FilesRead
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Choices, Doc, Range, Refused, Ui
from dali_studio.schema.sample_folders import frame_folders
from dali_studio.schema.samples import Case

_MAX_FRAMES = 1 << 16
_NEVER = "nvidia.dali's reader does not have it"


class Frames(Files):
    """Images, of which each sample takes some.

    Parameters
    ----------
    paths : Paths
    root : str
    frames : ndarray of int64
        (N, F): which images make a sample.
    """

    def __init__(self, paths: Paths, root: str, frames: NDArray[np.int64]) -> None:
        super().__init__(paths, root)
        self.frames = frames

    def __len__(self) -> int:
        return len(self.frames)

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> FilesRead:
        """As `DataSet.read`: the images of the samples, one sample after the other."""
        wanted = self.frames[picked].ravel()
        images, where = np.unique(wanted, return_inverse=True)
        once = super().read(images.tolist(), memory, run, ahead=ahead)
        places: list[int] = where.ravel().tolist()
        data = once.data.take(places) if isinstance(once.data, Packed) else [once.data[at] for at in places]
        failures = {at: once.failures[place] for at, place in enumerate(places) if place in once.failures}
        return FilesRead(wanted.tolist(), self.paths.take(wanted.tolist()), data, failures)


class Sequence(Reader):
    """Reads and decodes sequences of images that lie in folders, a folder for each video.

    Sequences of `sequence_length` images begin at every `step`-th image of a folder, and take every `stride`-th from
    there on; those that would go beyond the end are left out. Gives uint8 with the layout FHWC.
    """

    path = "readers.sequence"
    icon = "file"
    keywords = "dataset video frames clips folder"
    former = ("sequence_reader",)
    outputs = (Output("sequence", "video"),)

    file_root: Annotated[str, Doc("Folder with one sub-folder of images per video."), Ui("path"), COMMON]
    sequence_length: Annotated[int, Doc("Images of a sequence."), Range(1, _MAX_FRAMES), COMMON]
    step: Annotated[int, Doc("Images from the begin of a sequence to that of the next."), Range(1), COMMON] = 1
    stride: Annotated[int, Doc("Images from one of a sequence to the next."), Range(1), COMMON] = 1
    image_type: Annotated[
        DALIImageType, Doc("Colours of the images."), Choices(("RGB", "BGR", "GRAY", "ANY_DATA"))
    ] = DALIImageType.RGB
    shuffle_after_epoch: Annotated[bool, Refused(_NEVER)] = False
    shuffle_after_epoch_seed: Annotated[int | None, Refused(_NEVER)] = None

    @classmethod
    def samples(cls) -> Several[Case]:
        given = {"file_root": frame_folders(), "sequence_length": 2}
        return [
            *(Case(arguments={**given, **more}) for more in (
                {}, {"step": 2}, {"stride": 3}, {"sequence_length": 3, "step": 2, "stride": 2}, {"sequence_length": 1},
                {"random_shuffle": True, "initial_fill": 3}, {"num_shards": 2, "shard_id": 1, "pad_last_batch": True})),
            *(Case(arguments={**given, "image_type": kind}) for kind in ("GRAY", "BGR", "ANY_DATA")),
            Case(arguments={**given, "image_type": "YCbCr"}, refused="image_type"),
            Case(arguments={**given, "sequence_length": 99}, refused="sequence_length"),
            Case(arguments={**given, "file_root": "/no/such"}, refused="file_root"),
            Case(arguments={**given, "file_root": frame_folders("damaged")}, refused=""),
            Case(arguments={**given, "file_root": frame_folders("unlike")}, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_order(args)
        return TensorMeta(T.UINT8, 4, "FHWC", "video")

    @classmethod
    def data_set(cls, args: Args) -> Frames:
        try:
            folders = list_images(args["file_root"])
        except ValueError as error:
            raise ArgumentError(
                sentence(error), hint="Give a folder of folders with images.", argument="file_root", code="DS302"
            ) from error
        offsets: NDArray[np.int64] = np.arange(int(args["sequence_length"]), dtype=np.int64) * int(args["stride"])
        made, before = [np.empty((0, len(offsets)), np.int64)], 0
        for folder in folders:
            begins = np.arange(0, max(len(folder) - int(offsets[-1]), 0), int(args["step"]), dtype=np.int64)
            made.append(before + begins[:, None] + offsets)
            before += len(folder)
        frames = np.concatenate(made)
        if not len(frames):
            longest = max(map(len, folders), default=1)
            most = (longest - 1) // int(args["stride"]) + 1
            raise ArgumentError(
                f"a sequence needs {int(offsets[-1]) + 1} images; the largest folder has {longest}.",
                hint=f"Use at most {most}, or a smaller stride.", argument="sequence_length",
            )  # fmt: skip
        return Frames(Paths.of(path for folder in folders for path in folder), args["file_root"], frames)

    @classmethod
    def batches(cls, data: Frames, read: FilesRead, args: Args) -> tuple[Batch, ...]:
        context, count = args.context, int(args["sequence_length"])
        samples = len(read.picked) // count
        shapes = np.zeros((samples, 4), np.int64)
        failures: dict[int, tuple[int, Exception]] = {}
        for position, error in sorted(read.failures.items(), reverse=True):
            failures[position // count] = position, error
        peeked: dict[int, tuple[int, ...]] = {}
        for sample, image in enumerate(read.picked[::count]):
            if sample not in failures:
                try:
                    if image not in peeked:
                        peeked[image] = output_shape(peek(read.data[sample * count]), args["image_type"].name)
                    shapes[sample] = count, *peeked[image]
                except DecodeError as error:
                    failures[sample] = sample * count, error
        sizes = shapes.prod(axis=1)
        made = Packed(context.memory(int(sizes.sum())), np.cumsum(sizes) - sizes, shapes, np.dtype(np.uint8))

        def one(frame: int) -> None:
            sample, place = divmod(frame, count)
            if sample not in failures:
                try:
                    _decode(read.data[frame], made[sample][place], args)
                except DecodeError as error:
                    failures[sample] = frame, error

        firsts, again = _repeats(read.picked)
        context.map(lambda number: one(firsts[number]), len(firsts))
        for frame in _copy_frames(again, count, made, failures, context.map).tolist():
            one(frame)
        sources = [read.paths[sample * count] for sample in range(samples)]
        for sample, (frame, error) in failures.items():
            finding = _finding(read.paths[frame], error, int(context.indices[sample]))
            if not context.accepts(int(context.indices[sample]), sources[sample], finding):
                raise finding from error
            made[sample][...] = 0
        return (Batch.of(made, "FHWC", sources),)


def _repeats(picked: list[int]) -> tuple[list[int], NDArray[np.int64]]:
    """Where images come for the first time, and (N, 2) where they come again and came first: sequences overlap."""
    seen: dict[int, int] = {}
    again = [(at, first) for at, image in enumerate(picked) if (first := seen.setdefault(image, at)) != at]
    return list(seen.values()), np.array(again, np.int64).reshape(-1, 2)


def _copy_frames(
    again: NDArray[np.int64], count: int, made: Packed, failures: Collection[int], run: Run
) -> NDArray[np.int64]:  # fmt: skip
    """Copy frames, `count` of a sample, that are decoded already; gives the frames for which that cannot be."""
    if not len(again):
        return again[:, 0]
    samples, places = np.divmod(again, count)
    sizes = made.shapes[:, 1:].prod(axis=1)
    alike = (made.shapes[samples[:, 0]] == made.shapes[samples[:, 1]]).all(axis=1)
    alike &= ~np.isin(samples, list(failures)).any(axis=1)
    out, src = (addresses_of(made)[samples] + places * sizes[samples])[alike].T.copy()
    extents = sizes[samples[alike, :1]]
    copy_in_parts(src, extents, np.ones_like(extents), 1, out, run)
    return again[~alike, 0]


def _decode(file: NDArray[np.uint8], out: NDArray[Any], args: Args) -> None:
    info, kind = peek(file), args["image_type"].name
    shape = output_shape(info, kind)
    if shape != out.shape:
        raise DecodeError(f"it has the shape {shape}, the first image of the sequence {out.shape}")
    decode(file, info, output_type=kind, out=out)


def _finding(path: str, error: Exception, sample: int) -> ArgumentError:
    reason = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else f"cannot be decoded: {error}"
    return ArgumentError(
        f"{Path(path)} {reason}.", hint='Replace the file; on_error="skip" leaves such sequences out.', sample=sample,
        code="DS302" if isinstance(error, OSError) else "DS301",
    )  # fmt: skip

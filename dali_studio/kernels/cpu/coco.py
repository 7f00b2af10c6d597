"""Annotations in COCO's format, as tables over the samples of a data set, and masks drawn from them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.native import kernel, scratch


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of a table, so many for each sample."""

    table: NDArray[Any]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, table: NDArray[Any], counts: NDArray[np.int64]) -> Ragged:
        """The rows of the samples lie one after the other."""
        return cls(table, np.cumsum(counts) - counts, counts)

    def take(self, picked: Sequence[int] | NDArray[np.int64]) -> Ragged:
        """The rows of some samples, copied."""
        chosen = np.asarray(picked, np.int64)
        starts, counts = self.starts[chosen], self.counts[chosen]
        return Ragged.of(self.table[_ranges(starts, counts)], counts)

    def __getitem__(self, sample: Any) -> NDArray[Any]:
        """The rows of a sample."""
        start = int(self.starts[sample])
        return self.table[start : start + int(self.counts[sample])]


def _ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The whole numbers of intervals, one interval after the other."""
    before = np.cumsum(counts) - counts
    return np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(starts - before, counts)


@dataclass(slots=True)
class Masks:
    """The masks of objects.

    Attributes
    ----------
    polygons, vertices : Ragged
        int32 (object, first vertex, end), and float32 (x, y).
    corners : ndarray
        `vertices` in pixels.
    runs : Ragged
        Masks that are given by lengths of runs: int64 (object, first length, end).
    lengths : ndarray of uint32
        All these lengths.
    """

    polygons: Ragged
    vertices: Ragged
    corners: NDArray[np.float32]
    runs: Ragged
    lengths: NDArray[np.uint32]


@dataclass(slots=True)
class Annotations:
    """What is known of each sample of a data set.

    Attributes
    ----------
    names : list of str
        Files, relative to the folder of the images.
    ids : ndarray of int64
        Of the images; empty if they are not known.
    sizes : ndarray of int64
        (N, 2) heights and widths; empty if they are not known.
    boxes, labels : Ragged
        float32 (.., 4) and int32, one row for each object.
    masks : Masks or None
    """

    names: list[str]
    ids: NDArray[np.int64]
    sizes: NDArray[np.int64]
    boxes: Ragged
    labels: Ragged
    masks: Masks | None = None

    def draw(self, sample: int, out: NDArray[np.int32]) -> None:
        """Draw the objects of a sample, each pixel with the label of its object, or 0.

        Where objects overlap, the larger label counts, but for the last pixels in which all runs end: nvidia.dali's
        rule. Of objects that have one label and masks by lengths of runs, the last one is drawn; polygons go before.
        """
        masks, labels = self.masks, self.labels[sample]
        assert masks is not None
        corners = replace(masks.vertices, table=masks.corners)
        height, width = out.shape
        kernel("draw_masks")(
            corners[sample], masks.polygons[sample], masks.runs[sample], masks.lengths, labels, np.unique(labels),
            scratch(2 * height * width + 1), out,
        )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ from JSON


_Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class _Image(msgspec.Struct):
    id: _Int64
    file_name: str
    width: _Int64 = 0
    height: _Int64 = 0


class _Category(msgspec.Struct):
    id: _Int64


class _Runs(msgspec.Struct):
    size: tuple[int, int]
    counts: list[int] | str


class _Box(msgspec.Struct):
    image_id: _Int64
    category_id: _Int64
    bbox: tuple[float, float, float, float]
    iscrowd: _Int64 = 0


class _Mask(_Box):
    segmentation: list[list[float]] | _Runs | None = None


class _Boxes(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Box] = []
    categories: list[_Category] = []


class _Masks(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Mask] = []
    categories: list[_Category] = []


def read_annotations(
    path: str, *, images: Collection[str] = (), polygons: bool = False, pixelwise: bool = False, ratio: bool = False,
    ltrb: bool = False, size_threshold: float = 0.1, skip_empty: bool = False, include_iscrowd: bool = True,
    remap_classes: bool = True,
) -> Annotations:  # fmt: skip
    """Read a file of annotations.

    Parameters
    ----------
    path : str
    images : collection of str
        Names of the files to take, in this order; those without an entry are left out. Default: all, by their ids.
    polygons, pixelwise : bool
        Which masks to read: polygons, or what is needed to draw them.
    ratio : bool
        Divide boxes and vertices by the image's width and height.
    ltrb : bool
        Give the right and lower edges of boxes in place of width and height.
    size_threshold : float
        Objects that are less wide or high are left out.
    skip_empty : bool
        Leave out images without objects.
    include_iscrowd : bool
        Take objects that are marked as crowds.
    remap_classes : bool
        Number the categories from 1, in the file's order; 0 is one that the file does not list.

    Raises
    ------
    ValueError
        If it cannot be read, or is no such file; the message says where.
    """
    try:
        text = urls.read(str(path))
    except OSError as error:
        raise ValueError(f"cannot read the annotations {path!r}: {error.strerror}") from error
    try:
        if polygons or pixelwise:
            content = msgspec.json.decode(text, type=_Masks)
        else:
            content = msgspec.json.decode(text, type=_Boxes)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path} is no file of COCO annotations: {error}") from error
    entries = {entry.file_name: entry for entry in content.images}
    names = list(images) or [entry.file_name for entry in sorted(content.images, key=lambda entry: entry.id)]
    samples = [entries[name] for name in names if name in entries]
    found = _objects(content.annotations, np.float32(size_threshold), include_iscrowd)
    try:
        ids = np.array([entry.id for entry in samples], np.int64)
        sizes = np.array([(entry.height, entry.width) for entry in samples], np.int64).reshape(-1, 2)
        order = np.argsort(found.images, kind="stable")
        starts, ends = (np.searchsorted(found.images[order], ids, side) for side in ("left", "right"))
    except OverflowError as error:
        raise ValueError(f"{path}: {error}") from error
    counts = (ends - starts).astype(np.int64)
    if skip_empty:
        kept = np.flatnonzero(counts)
        samples, ids, sizes = [samples[i] for i in kept.tolist()], ids[kept], sizes[kept]
        starts, counts = starts[kept], counts[kept]
    if (ratio or pixelwise) and (sizes < 1).any():
        name = samples[int(np.flatnonzero((sizes < 1).any(axis=1))[0])].file_name
        raise ValueError(f"{path}: the image {name!r} has no width and height, which ratio and masks need")
    rows = order[_ranges(starts, counts)]
    of_rows = np.repeat(np.arange(len(samples)), counts)  # the sample of each
    boxes = found.boxes[rows]
    if ltrb:
        boxes[:, 2:] += boxes[:, :2]
    if ratio:
        boxes /= sizes[of_rows][:, [1, 0, 1, 0]].astype(np.float32)
    labels = found.labels([entry.id for entry in content.categories] if remap_classes else None)[rows]
    made = Annotations(
        [entry.file_name for entry in samples], ids, sizes, Ragged.of(boxes, counts), Ragged.of(labels, counts)
    )
    if polygons or pixelwise:
        given = [getattr(content.annotations[int(i)], "segmentation", None) for i in found.rows[rows]]
        made.masks = masks = _masks(made, given, of_rows, path, pixelwise=pixelwise)
        if ratio:
            of_vertices = np.repeat(np.arange(len(samples)), masks.vertices.counts)
            relative = masks.corners / sizes[of_vertices][:, ::-1].astype(np.float32)
            masks.vertices = replace(masks.vertices, table=relative)
    return made


class _Objects(NamedTuple):
    """What a file says of the objects that are taken."""

    rows: NDArray[np.int64]  # where they stand
    images: NDArray[np.int64]
    categories: NDArray[np.int64]
    boxes: NDArray[np.float32]

    def labels(self, categories: Sequence[int] | None) -> NDArray[np.int32]:
        """The categories, or their places among these, from 1."""
        if categories is None:
            return self.categories.astype(np.int32)
        places: dict[int, int] = {}
        for place, category in enumerate(categories, 1):
            places.setdefault(category, place)
        present, which = np.unique(self.categories, return_inverse=True)
        return np.array([places.get(category, 0) for category in present.tolist()], np.int32)[which]


def _objects(annotations: Sequence[_Box], threshold: np.float32, include_iscrowd: bool) -> _Objects:
    count = len(annotations)
    images = np.fromiter((one.image_id for one in annotations), np.int64, count)
    categories = np.fromiter((one.category_id for one in annotations), np.int64, count)
    boxes: NDArray[Any] = np.fromiter((one.bbox for one in annotations), np.dtype((np.float32, 4)), count)
    kept = (boxes[:, 2] >= threshold) & (boxes[:, 3] >= threshold)
    if not include_iscrowd:
        kept &= np.fromiter((one.iscrowd == 0 for one in annotations), np.bool_, count)
    rows = np.flatnonzero(kept)
    return _Objects(rows, images[rows], categories[rows], boxes[rows])


def _masks(
    made: Annotations, given: Sequence[list[list[float]] | _Runs | None], of_rows: NDArray[np.int64], path: str, *,
    pixelwise: bool,
) -> Masks:  # fmt: skip
    """The masks of all objects; `of_rows` says which samples they belong to."""
    samples = len(made.names)
    within = _ranges(np.zeros_like(made.boxes.counts), made.boxes.counts)  # the place of each among its sample's
    outlines = [(row, one) for row, masks in enumerate(given) if isinstance(masks, list) for one in masks]
    of_polygons = np.fromiter((row for row, _ in outlines), np.int64, len(outlines))
    lengths = np.fromiter((len(one) for _, one in outlines), np.int64, len(outlines))
    odd = np.flatnonzero(lengths % 2)
    if len(odd):
        name = made.names[int(of_rows[of_polygons[odd[0]]])]
        raise ValueError(f"{path}: a polygon of {name!r} has an odd number of coordinates ({lengths[odd[0]]})")
    numbers = np.fromiter(itertools.chain.from_iterable(one for _, one in outlines), np.float32, int(lengths.sum()))
    sample_of = of_rows[of_polygons]
    ends = np.cumsum(lengths // 2)
    vertices = Ragged.of(numbers.reshape(-1, 2), _totals(sample_of, lengths // 2, samples))
    first = ends - lengths // 2 - vertices.starts[sample_of]
    table = np.stack([within[of_polygons], first, first + lengths // 2], axis=1).astype(np.int32)
    polygons = Ragged.of(table, np.bincount(sample_of, minlength=samples).astype(np.int64))
    runs = [(row, mask) for row, mask in enumerate(given) if isinstance(mask, _Runs)] if pixelwise else []
    lengths_of = [_lengths(mask, made, int(of_rows[row]), path) for row, mask in runs]
    sizes = np.array([len(one) for one in lengths_of], np.int64)
    rows, ends = np.array([row for row, _ in runs], np.int64), np.cumsum(sizes)
    table = np.stack([within[rows], ends - sizes, ends], axis=1).astype(np.int64)
    return Masks(
        polygons, vertices, vertices.table,
        Ragged.of(table, np.bincount(of_rows[rows], minlength=samples).astype(np.int64)),
        np.concatenate([np.empty(0, np.uint32), *lengths_of]),
    )  # fmt: skip


def _totals(sample_of: NDArray[np.int64], counts: NDArray[np.int64], samples: int) -> NDArray[np.int64]:
    totals = np.zeros(samples, np.int64)
    np.add.at(totals, sample_of, counts)
    return totals


def _lengths(mask: _Runs, made: Annotations, sample: int, path: str) -> NDArray[np.uint32]:
    name, size = made.names[sample], tuple(made.sizes[sample].tolist())
    if tuple(mask.size) != size:
        given, wanted = ("x".join(map(str, one)) for one in (mask.size, size))
        raise ValueError(f"{path}: a mask of {name!r} is for {given} pixels; the image has {wanted}")
    if isinstance(mask.counts, str):
        text = np.frombuffer(mask.counts.encode("latin-1", "replace"), np.uint8)
        counts = np.empty(len(text), np.uint32)
        found = kernel("runs_of_text")(text, counts)
        if found < 0:
            raise ValueError(f"{path}: the text of a mask of {name!r} has no such lengths of runs")
        return counts[:found]
    try:
        return np.array(mask.counts, np.uint32)
    except OverflowError:
        raise ValueError(f"{path}: a mask of {name!r} has lengths of runs out of range") from None


# --------------------------------------------------------------------------------------------------- preprocessed files

#: Further files where there are masks by lengths of runs. All names and types are nvidia.dali's.
_MASK_FILES = ("masks_rles_idx", "masks_offset", "mask_count", "heights", "widths")


def save_annotations(
    made: Annotations, folder: str, *, pixelwise: bool = False, ids: bool = False
) -> None:  # fmt: skip
    """Write the files that `load_annotations` reads; they are nvidia.dali's.

    Raises
    ------
    OSError
        If they cannot be written.
    """
    root = Path(folder)
    _save(root / "offsets.dat", made.boxes.starts, np.int32)
    _save(root / "boxes.dat", made.boxes.table, np.float32)
    _save(root / "labels.dat", made.labels.table, np.int32)
    _save(root / "counts.dat", made.boxes.counts, np.int32)
    (root / "filenames.dat").write_bytes(b"".join(_encoded(name) + b"\n" for name in made.names))
    masks = made.masks
    if masks is not None:
        _save(root / "polygon_data.dat", masks.polygons.table, np.int32, rows=True)
        _save(root / "polygon_offset.dat", masks.polygons.starts, np.int64)
        _save(root / "polygons_count.dat", masks.polygons.counts, np.int64)
        _save(root / "vertices.dat", masks.vertices.table, np.float32, rows=True)
        _save(root / "vertices_offset.dat", masks.vertices.starts, np.int64)
        _save(root / "vertices_count.dat", masks.vertices.counts, np.int64)
    if masks is not None and pixelwise:
        sizes = np.repeat(made.sizes, masks.runs.counts, axis=0)
        pieces = [len(sizes).to_bytes(4, "little")]
        for (height, width), (_, first, end) in zip(sizes.tolist(), masks.runs.table.tolist(), strict=True):
            pieces += [np.array([height, width, end - first], "<u8").tobytes(), masks.lengths[first:end].tobytes()]
        if len(sizes):
            (root / "masks_rles.dat").write_bytes(b"".join(pieces))
        of_samples = (masks.runs.table[:, 0], masks.runs.starts, masks.runs.counts, made.sizes[:, 0], made.sizes[:, 1])
        for name, values in zip(_MASK_FILES, of_samples, strict=True):
            _save(root / f"{name}.dat", values, np.int64 if name in ("masks_offset", "mask_count") else np.int32)
    if ids:
        _save(root / "original_ids.dat", made.ids, np.int32)


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _save(path: Path, values: NDArray[Any], dtype: Any, *, rows: bool = False) -> None:
    """Write how many there are, numbers or rows, and then all; nothing where there is none."""
    if values.size:
        count = len(values) if rows else values.size
        path.write_bytes(count.to_bytes(4, "little") + np.ascontiguousarray(values, dtype).tobytes())


def load_annotations(
    folder: str, *, polygons: bool = False, pixelwise: bool = False, ids: bool = False
) -> Annotations:  # fmt: skip
    """Read what `save_annotations` or nvidia.dali wrote.

    Raises
    ------
    ValueError
        If files are missing, cut off, or do not fit each other; the message names one.
    """
    root = Path(folder)
    try:
        names = [line.decode("utf-8", "surrogateescape") for line in (root / "filenames.dat").read_bytes().split(b"\n")]
    except OSError as error:
        raise ValueError(f"cannot read {root / 'filenames.dat'}: {error.strerror}") from error
    names = [name for name in names if name]
    load = _Loader(root, len(names))
    counts = load.each("counts", np.int32)
    starts = load.each("offsets", np.int32)
    boxes = load.ragged("boxes", np.float32, 4, starts, counts, head=1)
    labels = load.ragged("labels", np.int32, 1, starts, counts)
    labels = replace(labels, table=labels.table[:, 0])
    made = Annotations(names, np.empty(0, np.int64), np.empty((0, 2), np.int64), boxes, labels)
    if ids:
        made.ids = load.each("original_ids", np.int32)
    if polygons or pixelwise:
        places = load.each("polygon_offset", np.int64), load.each("polygons_count", np.int64)
        found = load.ragged("polygon_data", np.int32, 3, *places)
        places = load.each("vertices_offset", np.int64), load.each("vertices_count", np.int64)
        vertices = load.ragged("vertices", np.float32, 2, *places)
        no_runs = Ragged.of(np.empty((0, 3), np.int64), np.zeros(len(names), np.int64))
        made.masks = Masks(found, vertices, vertices.table, no_runs, np.empty(0, np.uint32))
    if made.masks is not None and pixelwise:
        made.sizes = np.stack([load.each("heights", np.int32), load.each("widths", np.int32)], axis=1)
        load.check("heights", bool((made.sizes > 0).all()))
        ends, made.masks.lengths = load.runs()
        objects = load.values("masks_rles_idx", np.int32).astype(np.int64)
        load.check("masks_rles_idx", len(objects) == len(ends) - 1)
        table = np.stack([objects, ends[:-1], ends[1:]], axis=1)
        made.masks.runs = Ragged(table, load.each("masks_offset", np.int64), load.each("mask_count", np.int64))
        load.check("mask_count", _inside(made.masks.runs))
    return made


def _inside(ragged: Ragged) -> bool:
    starts, counts = ragged.starts, ragged.counts
    return bool((starts >= 0).all() and (counts >= 0).all() and (starts + counts <= len(ragged.table)).all())


class _Loader:
    """Reads the files of a folder, for so many samples."""

    def __init__(self, root: Path, samples: int) -> None:
        self._root, self._samples = root, samples

    def check(self, name: str, right: bool) -> None:
        """Refuse a file that does not fit the others."""
        if not right:
            raise ValueError(f"{self._root / name}.dat is cut off, or does not belong to the other files there")

    def values(self, name: str, dtype: Any, size: int = 1) -> NDArray[Any]:
        """The numbers of a file, `size` for each that its head counts; none, if there is no file."""
        path = self._root / f"{name}.dat"
        if not path.exists():
            return np.empty(0, dtype)
        text = path.read_bytes()
        wanted = 4 + int.from_bytes(text[:4], "little") * size * np.dtype(dtype).itemsize
        self.check(name, len(text) >= max(wanted, 4))
        return np.frombuffer(text[4:wanted], dtype)

    def each(self, name: str, dtype: Any) -> NDArray[np.int64]:
        """One number for each sample."""
        found = self.values(name, dtype).astype(np.int64)
        self.check(name, len(found) == self._samples)
        return found

    def ragged(
        self, name: str, dtype: Any, columns: int, starts: NDArray[np.int64], counts: NDArray[np.int64], head: int = 0
    ) -> Ragged:
        """Rows of a table; its head counts rows, or so many numbers."""
        found = self.values(name, dtype, head or columns)
        self.check(name, found.size % columns == 0)
        made = Ragged(found.reshape(-1, columns), starts, counts)
        self.check(name, _inside(made))
        return made

    def runs(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Where the lengths of each mask end, from 0, and all of them."""
        path = self._root / "masks_rles.dat"
        text = path.read_bytes() if path.exists() else bytes(4)
        at, ends, found = 4, [0], [np.empty(0, np.uint32)]
        for _ in range(int.from_bytes(text[:4], "little")):
            self.check("masks_rles", at + 24 <= len(text))
            length = int.from_bytes(text[at + 16 : at + 24], "little")
            at += 24
            self.check("masks_rles", at + 4 * length <= len(text))
            found.append(np.frombuffer(text, np.uint32, length, at))
            at += 4 * length
            ends.append(ends[-1] + length)
        return np.array(ends, np.int64), np.concatenate(found)

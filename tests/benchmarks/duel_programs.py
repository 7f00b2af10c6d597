"""What the two engines are measured with: each program is written once, and runs under both import prefixes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]
#: Height and width of the random pictures that operators alone are measured with.
PICTURE = (480, 640)


@dataclass(frozen=True)
class Place:
    """Where and on what a program runs.

    Attributes
    ----------
    fn, types : module
        Of the engine.
    folder : str
        Photos, in class folders.
    gpu : bool
    decoder : mapping
        Further arguments of decoders.
    reader : mapping
        Further arguments of the reader: shards.
    pictures : callable
        Gives the node of the resident batch of random pictures, which is not copied.
    given : callable
        Gives the node of an external source that gives these pictures, and copies them; see `resident.given`.
    """

    fn: Any
    types: Any
    folder: str
    gpu: bool
    pictures: Callable[[], Any]
    given: Callable[..., Any]
    decoder: Mapping[str, Any] = field(default_factory=dict[str, Any])
    reader: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def files(self) -> Any:
        """Files and labels."""
        return self.fn.readers.file(file_root=self.folder, random_shuffle=True, name="Reader", **self.reader)

    def decoding(self) -> dict[str, Any]:
        """Arguments of a decoder."""
        device = "mixed" if self.gpu else "cpu"
        return {"device": device, "output_type": self.types.RGB, **(self.decoder if self.gpu else {})}


def _readme(place: Place) -> Any:
    files, labels = place.files()
    images = place.fn.decoders.image_random_crop(files, **place.decoding())
    images = place.fn.resize(images, resize_x=256, resize_y=256)
    return _normalized(place, images, mirror=place.fn.random.coin_flip()), labels


def _validation(place: Place) -> Any:
    files, labels = place.files()
    images = place.fn.decoders.image(files, **place.decoding())
    return _normalized(place, place.fn.resize(images, resize_shorter=256)), labels


def _normalized(place: Place, images: Any, **arguments: Any) -> Any:
    return place.fn.crop_mirror_normalize(images, crop_h=224, crop_w=224, mean=MEAN, std=STD, **arguments)


def _decode(place: Place) -> Any:
    files, labels = place.files()
    return place.fn.decoders.image(files, **place.decoding()), labels


def _log_mel(place: Place) -> Any:
    fn, folder = place.fn, Path(place.folder)
    files, labels = fn.readers.file(
        file_root=str(folder.parent), file_filters=[f"*.{folder.name}"], random_shuffle=True, name="Reader", **place.reader
    )
    sound, _ = fn.decoders.audio(files, downmix=True, dtype=place.types.FLOAT)
    spectra = fn.spectrogram(fn.preemphasis_filter(sound), nfft=512, window_length=400, window_step=160)
    mel = fn.mel_filter_bank(spectra, sample_rate=16000.0, nfilter=80)
    return fn.normalize(fn.to_decibels(mel, multiplier=10.0, cutoff_db=-80.0), axes=[1]), labels


def _tfrecord(place: Place) -> Any:
    feature = importlib.import_module(f"{place.fn.__name__.rpartition('.')[0]}.tfrecord")
    read = place.fn.readers.tfrecord(
        path=f"{place.folder}/samples", index_path=f"{place.folder}/index", random_shuffle=True, name="Reader",
        features={
            "image": feature.FixedLenFeature((), feature.string, ""), "label": feature.FixedLenFeature([1], feature.int64, -1)
        }, **place.reader,
    )  # fmt: skip
    return read["image"], read["label"]


def _recordio(place: Place) -> Any:
    files, labels = place.fn.readers.mxnet(
        path=f"{place.folder}/samples", index_path=f"{place.folder}/index", random_shuffle=True, name="Reader", **place.reader
    )
    return files, labels


def _webdataset(place: Place) -> Any:
    files, labels = place.fn.readers.webdataset(
        paths=f"{place.folder}/samples", index_paths=f"{place.folder}/index", ext=["jpg", "cls"], random_shuffle=True,
        name="Reader", **place.reader,
    )  # fmt: skip
    return files, labels


def _chain(place: Place, x: Any) -> Any:
    fn = place.fn
    x = fn.rotate(fn.resize(x, resize_x=256, resize_y=256), angle=10.0, keep_size=True, fill_value=0)
    x = fn.brightness_contrast(fn.hsv(x, hue=20.0, saturation=1.2), brightness=1.1, contrast=0.9)
    return _normalized(place, x, mirror=fn.random.coin_flip())


#: Turns by 10 degrees about the middle of a picture, as rotate with keep_size does.
_MATRIX = [0.9848078, 0.1736482, -36.8137, -0.1736482, 0.9848078, 59.2134]

_OPERATORS: dict[str, Callable[[Place, Any], Any]] = {
    "empty pipeline": lambda place, x: x,
    "rotate": lambda place, x: place.fn.rotate(x, angle=10.0, fill_value=0),
    "rotate, keep_size": lambda place, x: place.fn.rotate(x, angle=10.0, keep_size=True, fill_value=0),
    "warp_affine": lambda place, x: place.fn.warp_affine(x, matrix=_MATRIX, fill_value=0),
    "hsv": lambda place, x: place.fn.hsv(x, hue=20.0, saturation=1.2),
    "brightness_contrast": lambda place, x: place.fn.brightness_contrast(x, brightness=1.1, contrast=0.9),
    "crop_mirror_normalize 224": lambda place, x: _normalized(place, x),
    "resize 224, antialias": lambda place, x: place.fn.resize(x, resize_x=224, resize_y=224, antialias=True),
    "resize 224": lambda place, x: place.fn.resize(x, resize_x=224, resize_y=224, antialias=False),
    "chain": _chain,
}


@dataclass(frozen=True)
class Work:
    """One line of the comparison.

    Attributes
    ----------
    define : callable
        Gives the outputs.
    per_batch : bool
        Reported as milliseconds a batch; otherwise as images a second.
    theirs, ours : mapping
        Arguments of decoders that only one engine is given: the ways to share the work between its decoders.
    own : bool
        It reads recordings or archives, not photos.
    """

    define: Callable[[Place], Any]
    per_batch: bool = False
    theirs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ours: Mapping[str, Any] = field(default_factory=dict[str, Any])
    own: bool = False


#: Readers alone, by the kind of `archives.archive`.
_ARCHIVES = {"tfrecord": _tfrecord, "recordio": _recordio, "webdataset": _webdataset}


def _alone(define: Callable[[Place, Any], Any]) -> Callable[[Place], Any]:
    return lambda place: define(place, place.pictures())


WORKS: dict[str, Work] = {
    "readme": Work(_readme),
    "readme, peer's hw_decoder_load 0.5": Work(_readme, theirs={"hw_decoder_load": 0.5}),
    "readme, peer's hw_decoder_load 0.75": Work(_readme, theirs={"hw_decoder_load": 0.75}),
    "readme, our hardware too": Work(_readme, ours={"hw_decoder_load": 0.65}),
    "validation": Work(_validation),
    "decode alone": Work(_decode),
    "log-mel": Work(_log_mel, own=True),
    **{f"read {kind}": Work(define, own=True) for kind, define in _ARCHIVES.items()},
    "decode alone, peer's hw_decoder_load 0.5": Work(_decode, theirs={"hw_decoder_load": 0.5}),
    **{name: Work(_alone(define), per_batch=True) for name, define in _OPERATORS.items()},
    "external_source, copied": Work(lambda place: place.given(), per_batch=True),
    "external_source, a list copied": Work(lambda place: place.given(listed=True), per_batch=True),
    "external_source, host memory": Work(lambda place: place.given(host=True), per_batch=True),
    "external_source, a list in host memory": Work(lambda place: place.given(host=True, listed=True), per_batch=True),
}
#: What the times of operators are also reported without.
EMPTY = "empty pipeline"


@dataclass(frozen=True)
class Row:
    """A program on a set of files.

    Attributes
    ----------
    work : str
        One of `WORKS`.
    photos : str
        For `photos.photo_set`; empty if it reads no files.
    batch : int
    """

    work: str
    photos: str = "500×375"
    batch: int = 256

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return ", ".join(filter(None, (self.work, self.photos, f"batch {self.batch}")))


_PROGRAMS = ("readme", "validation", "decode alone")
#: What the pages on speed say of files, sizes and batches, by device.
ROWS: dict[str, tuple[Row, ...]] = {
    "gpu": (
        *(Row("readme", batch=size) for size in (1, 8, 32, 256)),
        Row("readme, peer's hw_decoder_load 0.75"),
        Row("decode alone"),
        *(Row(work, "mixed sizes, 4:2:0") for work in _PROGRAMS),
        Row("readme", "mixed sizes, 4:4:4"),
        *(Row(work, "progressive") for work in ("readme", "decode alone")),
        *(Row(work, "12 megapixels", 16) for work in ("readme", "decode alone")),
        *(Row(work, "3 megapixels", 64) for work in ("readme", "decode alone")),
        Row("readme", "PNG"),
        Row("readme", "mixed bag"),
        Row("chain", ""),
        *(Row(name, "") for name in WORKS if name.startswith("external_source")),
    ),
    "cpu": (
        Row("decode alone", batch=1),
        *(
            Row(work, photos, batch)
            for photos, batch in (
                ("500×375", 64), ("mixed sizes, 4:2:0", 64), ("mixed sizes, 4:4:4", 64), ("progressive", 64), ("PNG", 64),
                ("mixed bag", 64), ("3 megapixels", 16), ("12 megapixels", 4),
            )
            for work in _PROGRAMS
        ),
        *(Row("log-mel", f"speech, {kind}", 32) for kind in ("wav", "flac", "ogg")),
        *(Row(f"read {kind}", kind, batch) for kind in _ARCHIVES for batch in (32, 64)),
    ),
}  # fmt: skip

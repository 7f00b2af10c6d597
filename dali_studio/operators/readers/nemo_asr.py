"""``fn.readers.nemo_asr``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.audio import resampled_length
from dali_studio.kernels.cpu.audio_codec import DTYPES, NoDecoderError, SoundError, SoundFile
from dali_studio.kernels.cpu.file_discovery import Paths
from dali_studio.operators.common import T, accept_output
from dali_studio.operators.decoders.sounds import decode_sound, sound_finding, whole_lengths
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.files import Files, FilesRead
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Deprecated, Doc, Ignored, Range, Ui, Unit
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.sample_folders import manifest
from dali_studio.schema.samples import Case
from dali_studio.schema.tolerance import Tolerance

_TYPES = tuple(from_numpy(dtype) for dtype in DTYPES)
_MORE = {"read_sample_rate": Output("sample_rate", "scalar"), "read_text": Output("text"),
         "read_idxs": Output("index", "label")}  # fmt: skip
#: Seconds that no sound lasts: numbers beyond are none of places in it.
_FOREVER = 1e12
_DEFAULTS = {"read_sample_rate": True, "read_text": True, "read_idxs": False}


class Utterance(NamedTuple):
    """A line of a manifest, and its number; `offset` and `duration` are seconds, negative where they are not given."""

    path: str
    number: int
    offset: float
    duration: float
    text: bytes


class Utterances(Files):
    """Files of sound, with what manifests say of them."""

    def __init__(self, entries: Sequence[Utterance]) -> None:
        super().__init__(Paths.of(entry.path for entry in entries), "")
        self.entries = entries


class _Part:
    """The frames of a file that an utterance takes."""

    def __init__(self, file: SoundFile, entry: Utterance) -> None:
        self._file = file
        self.channels, self.rate = file.channels, file.rate
        self._first = int(entry.offset * file.rate) if entry.offset > 0 else 0
        frames = int(entry.duration * file.rate) if entry.duration >= 0 else file.frames
        self.frames = min(frames, file.frames - self._first)
        if self.frames < 1:
            length = file.frames / file.rate
            raise SoundError(f"the manifest takes a part that is not there; the file has {length:g} s")

    def read(self, out: NDArray[Any]) -> None:
        self._file.read(out, self._first)


class NemoAsr(Reader):
    """Reads and decodes speech with its transcripts, by manifests in the format of NVIDIA NeMo.

    A manifest has a JSON object on each line: ``audio_filepath`` and, optionally, ``text``, and ``offset`` and
    ``duration`` in seconds, of the part that is taken. Gives the sound; the rate of its file, a float32; the text in
    UTF-8, uint8 (bytes,); and with `read_idxs` the number of the line among those that are taken, int64 (1,).
    """

    path = "readers.nemo_asr"
    icon = "wave"
    keywords = "dataset speech recognition audio manifest transcript nemo asr"
    former = ("nemo_asr_reader",)
    outputs = (Output("audio", "audio"), *(_MORE[name] for name in ("read_sample_rate", "read_text")))
    tolerance = (
        Tolerance(1, 0.01, dtypes=(T.INT16,), reason="a rounded number may become its neighbour after resampling"),
        Tolerance(4096, reason="the 24 bits of float32, by which 32 bits are computed", dtypes=(T.INT32,)),
        Tolerance(relative=1e-6, reason="the products of the filter are added in another order"),
    )

    manifest_filepaths: Annotated[list[str], Doc("The manifests."), COMMON]
    sample_rate: Annotated[
        float, Doc("Rate to resample to; 0 or less keeps the file's."), Unit("Hz"), Ui("slider", (0, 48000)), COMMON
    ] = -1.0
    downmix: Annotated[bool, Doc("Give the mean of the channels."), COMMON] = True
    dtype: Annotated[DALIDataType, Doc("Element type: FLOAT, INT16 or INT32."), COMMON] = T.FLOAT
    quality: Annotated[float, Doc("Of resampling: 0 is a sinc of 3 lobes, 50 of 16, 100 of 64."), Range(0, 100)] = 50.0
    read_sample_rate: Annotated[bool, Doc("Give the rate.")] = True
    read_text: Annotated[bool, Doc("Give the text.")] = True
    read_idxs: Annotated[bool, Doc("Give the number in the manifest.")] = False
    min_duration: Annotated[float, Doc("Leave out what is shorter; 0: nothing."), Unit("s")] = 0.0
    max_duration: Annotated[float, Doc("Leave out what is longer; 0: nothing."), Unit("s")] = 0.0
    normalize_text: Annotated[bool | None, Ignored("removed from DALI; it had no effect"), Deprecated("nothing")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = {"manifest_filepaths": manifest()}
        return [
            Case(arguments=given),
            Case(arguments={**given, "read_idxs": True, "random_shuffle": True, "initial_fill": 3}),
            Case(arguments={**given, "read_idxs": True, "shuffle_after_epoch": True, "read_text": False}),
            Case(arguments={**given, "num_shards": 2, "shard_id": 1, "pad_last_batch": True,
                            "read_sample_rate": False}),
            Case(arguments={**given, "downmix": False, "sample_rate": 11025.0, "quality": 20.0}),
            *(Case(arguments={**given, "dtype": dtype, "sample_rate": rate}) for dtype in ("INT16", "INT32", "FLOAT")
              for rate in (-1.0, 12000.0)),
            Case(arguments={**given, "min_duration": 0.05, "max_duration": 0.1, "read_idxs": True}),
            Case(arguments={**given, "min_duration": 100.0}, refused="manifest_filepaths"),
            Case(arguments={"manifest_filepaths": manifest("0.wav")}, refused="manifest_filepaths"),
            Case(arguments={"manifest_filepaths": "/no/such.json"}, refused="manifest_filepaths"),
            Case(arguments={**given, "dtype": "UINT8"}, refused="dtype"),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        wanted = (name for name, default in _DEFAULTS.items() if values.get(name, default))
        return (schema.outputs[0], *(_MORE[name] for name in wanted))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        accept_output(args["dtype"], _TYPES)
        check_order(args)
        more = {"read_sample_rate": TensorMeta(T.FLOAT, 0, "", "scalar"), "read_text": TensorMeta(T.UINT8, 1, ""),
                "read_idxs": TensorMeta(T.INT64, 1, "", "label")}  # fmt: skip
        audio = TensorMeta(args["dtype"], 1 if args["downmix"] else 2, "", "audio")
        return (audio, *(meta for name, meta in more.items() if args[name]))

    @classmethod
    def data_set(cls, args: Args) -> Utterances:
        try:
            entries = [entry for path in args["manifest_filepaths"] for entry in _entries(path, args)]
        except OSError as error:
            raise ArgumentError(
                f"{error.filename} cannot be read: {error.strerror}.", hint="Give a manifest.",
                argument="manifest_filepaths", code="DS302",
            ) from error  # fmt: skip
        if not entries:
            raise ArgumentError(
                "the manifests list no sound to read.",
                hint="Give a JSON object with audio_filepath on each line, and durations that leave some.",
                argument="manifest_filepaths", code="DS302",
            )  # fmt: skip
        return Utterances(entries)

    @classmethod
    def batches(cls, data: Utterances, read: FilesRead, args: Args) -> tuple[Batch, ...]:
        entries = [data.entries[i] for i in read.picked]
        files = data.batch(read, args)
        audio, rates = _decoded(files, entries, args)
        made = [audio]
        if args["read_sample_rate"]:
            made.append(Batch.of_array(rates))
        if args["read_text"]:
            made.append(Batch.of([np.frombuffer(entry.text, np.uint8) for entry in entries],
                                 dtype=np.dtype(np.uint8), ndim=1))  # fmt: skip
        if args["read_idxs"]:
            made.append(Batch.of_array(np.array([entry.number for entry in entries], np.int64).reshape(-1, 1)))
        return tuple(made)


def _entries(path: str, args: Args) -> Iterator[Utterance]:
    """The lines of a manifest that are taken; others are passed over, as nvidia.dali does."""
    shortest, longest = args["min_duration"], args["max_duration"]
    count = 0
    for line in urls.read(path).split(b"\n"):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(found, dict):
            continue
        entry = cast("dict[str, Any]", found)
        file, text = entry.get("audio_filepath"), entry.get("text", "")
        offset, duration = (entry.get(name, -1.0) for name in ("offset", "duration"))
        if not isinstance(file, str) or not file or not isinstance(text, str):
            continue
        if not all(isinstance(one, int | float) and abs(one) < _FOREVER for one in (offset, duration)):
            continue
        if (longest > 0 and duration > longest) or (shortest > 0 and duration < shortest):
            continue
        yield Utterance(file, count, float(offset), float(duration), text.encode("utf-8", "surrogatepass"))
        count += 1


def _opened(files: Batch, entries: Sequence[Utterance], args: Args) -> list[_Part | None]:
    """The parts of the files; ``None`` for what cannot be opened, and need not."""
    context = args.context
    parts: list[_Part | SoundError | None] = [None] * len(entries)

    def begin(position: int) -> None:
        if int(context.indices[position]) not in context.failed:
            try:
                parts[position] = _Part(SoundFile(files[position]), entries[position])
            except SoundError as error:
                parts[position] = error

    try:
        context.map(begin, len(entries))
    except NoDecoderError as error:
        raise ArgumentError(
            f"sound cannot be decoded: {error}.", hint="Run: pip install soundfile", code="DS301"
        ) from error
    for position, part in enumerate(parts):
        if isinstance(part, SoundError):
            _accept(part, position, files, args)
    return [part if isinstance(part, _Part) else None for part in parts]


def _decoded(files: Batch, entries: Sequence[Utterance], args: Args) -> tuple[Batch, NDArray[np.float32]]:
    """The sounds and the rates of the files; what cannot be decoded, and need not, is empty and has the rate 0."""
    context, mixed = args.context, args["downmix"]
    parts = _opened(files, entries, args)
    headers = [(0, 1, 0) if part is None else (part.frames, part.channels, part.rate) for part in parts]
    frames, channels, rates = np.array(headers, np.int64).reshape(-1, 3).T
    wanted = np.where((args["sample_rate"] > 0) & (rates > 0), args["sample_rate"], rates).astype(np.float64)
    made_of = resampled_length(frames, np.maximum(rates, 1).astype(np.float64), wanted)
    lengths = whole_lengths(np.where(wanted == rates, frames, made_of))
    shapes = lengths[:, None] if mixed else np.stack([lengths, channels], axis=1)
    dtype = to_numpy(args["dtype"])
    sizes = shapes.prod(axis=1) * dtype.itemsize
    made = Packed(context.memory(int(sizes.sum())), np.cumsum(sizes) - sizes, shapes, dtype)
    failures: dict[int, SoundError] = {}

    def decode(position: int) -> None:
        part = parts[position]
        if part is not None:
            try:
                decode_sound(part, made[position], float(wanted[position]), args["quality"], mixed=mixed)
            except SoundError as error:
                failures[position] = error

    context.map(decode, len(entries))
    for position, error in failures.items():
        _accept(error, position, files, args)
        made[position][...] = 0
    return Batch.of(made, "", files.sources), rates.astype(np.float32)


def _accept(error: SoundError, position: int, files: Batch, args: Args) -> None:
    index, source = int(args.context.indices[position]), files.sources[position]
    finding = sound_finding(error, index)
    finding.message = f"{source} cannot be decoded: {error}."
    if not args.context.accepts(index, source, finding):
        raise finding from error

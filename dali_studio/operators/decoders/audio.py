"""``fn.decoders.audio``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.audio import resampled_length
from dali_studio.kernels.cpu.audio_codec import (
    DTYPES,
    NoDecoderError,
    SoundError,
    SoundFile,
    SoundFiles,
    reading_wavs,
    wav_heads,
)
from dali_studio.operators.common import ON_ERROR, T, accept_output
from dali_studio.operators.decoders.common import check_encoded
from dali_studio.operators.decoders.opened import opened
from dali_studio.operators.decoders.sounds import decode_sound, sound_finding, whole_lengths
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Range, Ui, Unit
from dali_studio.schema.samples import Case, sound_files, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample, ReadsData

_TYPES = tuple(from_numpy(dtype) for dtype in DTYPES)
#: Calls in which the files of a batch are opened, at most.
_PIECES = 16


@dataclass(slots=True)
class _Sounds:
    """The files of a batch, opened; what cannot be is an error.

    Attributes
    ----------
    files : list of SoundFile or SoundError
        None of them where `heads` or `opened` have all that there is to know.
    facts : ndarray
        int64, (N, 3): samples, channels and rate; of what cannot be opened, those of the first that can.
    heads : ndarray or None
        Of plain WAV files (`wav_heads`), if all are.
    opened : SoundFiles or None
        Files of other kinds, if all can be opened.
    """

    files: list[SoundFile | SoundError]
    facts: NDArray[np.int64]
    heads: NDArray[np.int64] | None = None
    opened: SoundFiles | None = None


class Audio(Operator):
    """Decodes files of sound: WAV, FLAC, OGG (Vorbis and Opus), and what else libsndfile knows.

    Gives the samples, (samples, channels) or, with `downmix`, (samples,), and the rate in Hz, a float32. Floats reach
    from -1 to 1, integers over the range of their type; a file of floats that is neither mixed nor resampled becomes
    integers by rounding alone, as in nvidia.dali. The rate is `sample_rate` wherever that is given.
    """

    path = "decoders.audio"
    category = "audio"
    icon = "wave"
    node_name = "decode"
    keywords = "audio sound wav flac ogg vorbis opus speech decode load resample"
    former = ("audio_decoder",)
    inputs = (Input("files", "encoded"),)
    outputs = (Output("audio", "audio"), Output("rate", "scalar"))
    traits = (PerSample, ReadsData)
    kernels = (compiled("from_sound", (T.INT16, T.INT32)),)
    examples = (example(), example(downmix=True), example(sample_rate=16000.0, dtype="INT16"))
    tolerance = (
        Tolerance(1, 0.01, dtypes=(T.INT16,), reason="a rounded number may become its neighbour after resampling"),
        Tolerance(4096, reason="the 24 bits of float32, by which 32 bits are computed", dtypes=(T.INT32,)),
        Tolerance(relative=1e-6, reason="the products of the filter are added in another order, and its table is "
                  "computed in double precision"),
    )  # fmt: skip

    dtype: Annotated[DALIDataType, Doc("Element type: FLOAT, INT16 or INT32."), COMMON] = DALIDataType.FLOAT
    downmix: Annotated[bool, Doc("Give the mean of the channels."), COMMON] = False
    sample_rate: Annotated[
        float, Doc("Rate to resample to; 0 keeps the file's."), Unit("Hz"), Ui("slider", (0, 48000)), PER_SAMPLE, COMMON
    ] = 0.0
    quality: Annotated[
        float, Doc("Of resampling: 0 is a sinc of 3 lobes, 50 of 16, 100 of 64."), Range(0, 100)
    ] = 50.0  # fmt: skip
    on_error: Annotated[
        str,
        Doc(
            'What becomes of files that cannot be decoded: "raise" an error, "skip" the sample in all outputs of the '
            'pipeline, or a "placeholder", silence at rate 0.'
        ),
        Choices(ON_ERROR),
    ] = "raise"  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        wav, stereo = sound_files(), sound_files(channels=2)
        rates = values(8000, 11025, 44100, 0)
        files = [wav, stereo, *(sound_files(bits=bits) for bits in (0, 8, 24, 32)), sound_files(bits=0, channels=3)]
        return [
            *(Case((data,), {"dtype": dtype}) for data in files for dtype in ("FLOAT", "INT16", "INT32")),
            *(Case((data,), {"downmix": True, "dtype": dtype}) for data in (stereo, files[-1])
              for dtype in ("FLOAT", "INT16", "INT32")),
            Case((wav,), {"downmix": True}),
            *(Case((data,), {"sample_rate": 11025.0, "dtype": dtype}) for data in (wav, stereo)
              for dtype in ("FLOAT", "INT16", "INT32")),
            *(Case((stereo,), {"sample_rate": 22050.0, "quality": quality, "downmix": True})
              for quality in (0.0, 33.0, 100.0)),
            Case((wav,), {"sample_rate": rates}),
            Case((stereo,), {"sample_rate": rates, "downmix": True, "quality": 80.0}),
            Case((sound_files((0, 5, 1, 0)),), {"sample_rate": 22050.0}),
            Case((wav,), {"dtype": "UINT8"}, refused="dtype"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_encoded(inputs[0])
        accept_output(args["dtype"], _TYPES)
        ndim = 1 if args["downmix"] else 2
        return TensorMeta(args["dtype"], ndim, "", "audio"), TensorMeta(T.FLOAT, 0, "", "scalar")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        sounds = _opened(args, inputs[0])
        lengths, channels, rates = sounds.facts.T
        given = args.scalars("sample_rate").astype(np.float64)
        wanted = np.where((given > 0) & (given != rates), given, rates)  # also what is no number is none
        made = np.where(wanted == rates, lengths, resampled_length(lengths, rates, wanted))
        shapes = whole_lengths(made)[:, None] if args["downmix"] else np.stack([whole_lengths(made), channels], axis=1)
        told = given if args.given("sample_rate") else rates
        params = {"files": sounds.files, "wanted": wanted, "told": told.astype(np.float32), "quality": args["quality"],
                  "downmix": args["downmix"],
                  "sounds": None if _mixed_or_resampled(args, sounds, wanted) else sounds}  # fmt: skip
        return Work(shapes, params, (np.empty((len(shapes), 0), np.int64),))

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, out = work.params, outputs[0]
        try:
            file = params["files"][index] if params["files"] else SoundFile(inputs[0])
            if isinstance(file, SoundError):
                raise file
            decode_sound(file, out, float(params["wanted"][index]), params["quality"], mixed=params["downmix"])
        except SoundError as error:
            raise sound_finding(error) from error
        outputs[1][...] = params["told"][index]

    @staticmethod
    def cpu_ranges(
        work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]
    ) -> Callable[[int, int], Sequence[int] | None] | None:
        rates, sounds = outputs[1].flat(), work.params["sounds"]
        if sounds is None or rates is None:
            return None
        rates[...] = work.params["told"]
        if sounds.heads is not None:
            return reading_wavs(inputs[0], sounds.heads, outputs[0])
        return None if sounds.opened is None else sounds.opened.reading(outputs[0])


def _mixed_or_resampled(args: Args, sounds: _Sounds, wanted: NDArray[np.float64]) -> bool:
    """Whether there is more to do than to decode."""
    _, channels, rates = sounds.facts.T
    return bool((wanted != rates).any()) or (args["downmix"] and bool((channels > 1).any()))


def _opened(args: Args, encoded: Batch) -> _Sounds:
    """Open the files; DS301 for the sample that is no sound, or if there is no library to decode it."""
    heads = wav_heads(encoded)
    if heads[:, 0].all() and not args.context.too_large:
        return _Sounds([], heads[:, 2:], heads)
    try:
        together = SoundFiles(encoded)
        if not args.context.too_large and _all_open(together, len(encoded), args):
            return _Sounds([], together.headers, opened=together)
        files = opened(args, encoded, SoundFile, SoundError, sound_finding)
    except NoDecoderError as error:
        raise ArgumentError(
            f"sound cannot be decoded: {error}.", hint="Run: pip install soundfile", code="DS301"
        ) from error
    first = next((_properties(file) for file in files if isinstance(file, SoundFile)), (1, 1, 1))
    properties = [first if isinstance(file, SoundError) else _properties(file) for file in files]
    return _Sounds(files, np.array(properties, np.int64).reshape(-1, 3))


def _all_open(files: SoundFiles, count: int, args: Args) -> bool:
    """Open the files on all threads; whether all can be."""
    pieces = min(count, _PIECES)
    done = [False] * pieces

    def some(piece: int) -> None:
        done[piece] = files.open(piece * count // pieces, (piece + 1) * count // pieces)

    args.context.map(some, pieces)
    return all(done)


def _properties(file: SoundFile) -> tuple[int, int, int]:
    return file.frames, file.channels, file.rate

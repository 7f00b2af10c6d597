"""``fn.decoders.audio`` against nvidia.dali: FLAC and OGG, real recordings, rates, and what it refuses."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared import declared
from peers import check, check_refused

from dali_studio.schema.samples import sounds
from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")
soundfile = pytest.importorskip("soundfile", exc_type=ImportError)

#: nvidia.dali has a libvorbis of its own, whose sums differ in the last bits of float32.
VORBIS = Tolerance(4096, relative=1e-6, reason="another build of libvorbis")


def written(form: str, subtype: str, channels: int = 1, lengths: tuple[int, ...] = (3000, 1, 777)) -> list[Any]:
    """Files of sounds with rates of their own."""
    made = []
    for number, wave in enumerate(sounds(lengths, channels=channels).samples()):
        stream = io.BytesIO()
        soundfile.write(stream, wave, 8000 + 8000 * number, format=form, subtype=subtype)
        made.append(np.frombuffer(stream.getvalue(), np.uint8))
    return made


@pytest.mark.parametrize("dtype", ["FLOAT", "INT16", "INT32"])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("kind", ["FLAC PCM_S8", "FLAC PCM_16", "FLAC PCM_24", "WAV DOUBLE", "OGG VORBIS"])
def test_formats(kind: str, channels: int, dtype: str) -> None:
    files = written(*kind.split(), channels)
    tolerance = VORBIS if "VORBIS" in kind else declared("decoders.audio", dtype=dtype)
    check(f"fn.decoders.audio(files, dtype=types.{dtype})", {"files": files}, tolerance=tolerance)


@pytest.mark.parametrize("quality", [0, 12, 50, 99, 100])
@pytest.mark.parametrize("rate", [500, 4000, 7999.5, 16000, 22050, 48000, 250000])
def test_rates_and_qualities(rate: float, quality: float) -> None:
    """One of the files has the rate already, at times."""
    program = f"fn.decoders.audio(files, sample_rate={rate}, quality={quality}, downmix=True)"
    check(program, {"files": written("WAV", "PCM_16", 2)}, tolerance=declared("decoders.audio"))


@pytest.mark.parametrize("rate", ["0", "-3.5", "float('nan')"])
def test_rates_that_are_none_are_told_as_they_are(rate: str) -> None:
    check(f"fn.decoders.audio(files, sample_rate={rate})", {"files": written("WAV", "PCM_16")}, tolerance=Tolerance())


@pytest.mark.parametrize("options", ["downmix=True", "sample_rate=8000.0, dtype=types.INT16"])
@pytest.mark.parametrize("form", ["wav", "flac", "ogg"])
def test_real_recordings(data_dir: Path, form: str, options: str) -> None:
    paths = sorted((data_dir / "audio" / form).rglob(f"*.{form}"))
    files = [np.fromfile(path, np.uint8) for path in paths]
    tolerance = declared("decoders.audio", dtype="INT16" if "INT16" in options else "FLOAT")
    check(f"fn.decoders.audio(files, {options})", {"files": files}, tolerance=tolerance)


DAMAGED = {
    "no byte": lambda file: file[:0], "no sound": lambda file: np.frombuffer(b"no sound" * 9, np.uint8),
    "a part of the header": lambda file: file[:30], "cut off": lambda file: file[: len(file) // 2],
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("kind", ["FLAC PCM_16", "OGG VORBIS"])
def test_damaged_files_are_refused_by_both(kind: str, damage: str) -> None:
    files = written(*kind.split(), 2)
    files[0] = DAMAGED[damage](files[0])
    check_refused("fn.decoders.audio(files)", {"files": files})


def test_a_wav_file_that_is_cut_off_gives_what_is_there() -> None:
    files = written("WAV", "PCM_16", 2)
    check("fn.decoders.audio(files)", {"files": [files[0][:300], *files[1:]]}, tolerance=Tolerance())

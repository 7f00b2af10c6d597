"""Chains of sound by compiled calls for ranges of samples, against the same by a call for each step of a sample."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dali_studio import Pipeline, fn, types
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.runtime.sample_ranges import RangeRunner
from dali_studio.schema.samples import sounds

soundfile = pytest.importorskip("soundfile", exc_type=ImportError)


def files(*kinds: str, channels: int = 1) -> list[np.ndarray[Any, Any]]:
    """One of each kind and length, at a rate of its own."""
    made: list[np.ndarray[Any, Any]] = []
    for number, kind in enumerate(kinds):
        for wave in sounds((900, 3000, 20, 1500), channels=channels).samples():
            stream = io.BytesIO()
            form, subtype = kind.split()
            soundfile.write(stream, wave, 8000 + 8000 * number, format=form, subtype=subtype)
            made.append(np.frombuffer(stream.getvalue(), np.uint8))
    return made


def log_mel(sound: Any) -> Any:
    spectra = fn.spectrogram(fn.preemphasis_filter(sound), nfft=128, window_length=100, window_step=40)
    return fn.to_decibels(fn.mel_filter_bank(spectra, sample_rate=8000.0, nfilter=20), cutoff_db=-80.0)


def with_sound(sound: Any) -> tuple[Any, Any]:
    return log_mel(sound), sound


def run(
    given: list[Any], define: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch, *, ranges: bool, sure: bool = True
) -> list[Any]:
    """The arrays of each output, perhaps by ranges; where that is `sure`, it is so."""
    asked: list[bool] = []
    original = RangeRunner.run

    def shared(self: RangeRunner, *given: Any) -> Any:
        found = original(self, *given) if ranges else None
        asked.append(found is not None)
        return found

    monkeypatch.setattr(RangeRunner, "run", shared)
    pipe = Pipeline(batch_size=len(given), num_threads=2, device_id=None)
    with pipe:
        data = fn.external_source(source=lambda: given, dtype=types.UINT8, ndim=1)
        outputs = define(data)
        pipe.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
    made = [[np.asarray(one) for one in output] for output in pipe.run()]
    assert any(asked) == ranges or not sure
    return made


CHAINS: dict[str, Callable[[Any], Any]] = {
    "decoded": lambda data: fn.decoders.audio(data, downmix=True)[0],
    "with rates": lambda data: tuple(fn.decoders.audio(data, downmix=True)),
    "rates": lambda data: fn.decoders.audio(data, downmix=True)[1],
    "log-mel": lambda data: log_mel(fn.decoders.audio(data, downmix=True)[0]),
    "log-mel and sound": lambda data: with_sound(fn.decoders.audio(data, downmix=True)[0]),
    "cepstra of integers": lambda data: fn.mfcc(
        log_mel(fn.cast(fn.decoders.audio(data, downmix=True, dtype=types.INT16)[0], dtype=types.FLOAT)), n_mfcc=7
    ),
}


@pytest.mark.parametrize("kinds", [("WAV PCM_16",), ("FLAC PCM_16",), ("OGG VORBIS",), ("FLAC PCM_24", "WAV FLOAT")])
@pytest.mark.parametrize("name", CHAINS)
def test_ranges_change_nothing(name: str, kinds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    given = files(*kinds)
    ranges = name != "cepstra of integers"  # `cast` has none
    found = run(given, CHAINS[name], monkeypatch, ranges=ranges)
    expected = run(given, CHAINS[name], monkeypatch, ranges=False)
    for ours, theirs in zip(found, expected, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


def test_channels_and_rates_are_done_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    given = files("FLAC PCM_16", channels=2)
    found = run(given, lambda data: log_mel(fn.decoders.audio(data, downmix=True)[0]), monkeypatch, ranges=False)
    again = run(given, lambda data: log_mel(fn.decoders.audio(data, downmix=True, sample_rate=8000.0)[0]), monkeypatch,
                ranges=False)  # fmt: skip
    for one, other in zip(found[0], again[0], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("policy", ["raise", "skip", "placeholder"])
@pytest.mark.parametrize("kind", ["FLAC PCM_16", "OGG VORBIS"])
def test_damaged_files(kind: str, policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files whose second half is noise: of FLAC, the first is named, or both are left out; Vorbis fills gaps."""
    given = [one.copy() for one in files(kind, kind)]
    for number in (5, 1):
        half = given[number][len(given[number]) // 2 :]
        half[...] = np.random.default_rng(number).integers(0, 255, len(half))

    def outcome(*, ranges: bool) -> str | list[list[Any]]:
        try:
            made = run(given, lambda data: log_mel(fn.decoders.audio(data, downmix=True, on_error=policy)[0]),
                       monkeypatch, ranges=ranges, sure=False)  # fmt: skip
        except DaliStudioError as error:
            return str(error).partition("[")[0]
        return [one.tolist() for one in made[0]]

    found = outcome(ranges=True)
    assert found == outcome(ranges=False)
    if kind == "FLAC PCM_16":
        assert "sample 1" in found if policy == "raise" else len(found) == {"skip": 6, "placeholder": 8}[policy]


def test_many_iterations_with_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    given = files("FLAC PCM_16", "OGG VORBIS")
    expected = run(given, CHAINS["log-mel and sound"], monkeypatch, ranges=False)
    pipe = Pipeline(batch_size=len(given), num_threads=4, device_id=None)
    with pipe:
        data = fn.external_source(source=lambda: given, dtype=types.UINT8, ndim=1)
        pipe.set_outputs(*CHAINS["log-mel and sound"](data))
    for _ in range(20):
        for ours, theirs in zip(pipe.run(), expected, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(np.asarray(one), other)

"""``decoders.audio``: damaged files, and no library to decode with."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from dali_studio import DaliStudioError, fn, types
from dali_studio.pipeline import Pipeline
from dali_studio.schema.samples import sound_files

FILES = [*sound_files().samples()[:2], np.frombuffer(b"no sound at all", np.uint8), sound_files().samples()[3]]


def pipeline(files: Any = FILES, **arguments: Any) -> Pipeline:
    made = Pipeline(batch_size=len(files), num_threads=2, device_id=None)
    with made:
        data = fn.external_source(source=lambda: files, name="data")
        made.set_outputs(*fn.decoders.audio(data, name="decode", **arguments))
    return made


def test_what_is_no_sound_is_an_error_of_its_sample() -> None:
    pytest.importorskip("soundfile")
    with pytest.raises(DaliStudioError, match="Format not recognised") as raised:
        pipeline().run()
    (found,) = raised.value.diagnostics
    assert (found.code, found.node, found.sample) == ("DS301", "decode", 2) and "on_error" in found.hint


def test_skipped_files_are_missing_in_both_outputs() -> None:
    pytest.importorskip("soundfile")
    made = pipeline(on_error="skip")
    audio, rates = made.run()
    assert [len(np.asarray(audio.at(i))) for i in range(len(audio))] == [1000, 317, 4096]
    assert rates.as_array().tolist() == [8000, 12000, 20000]
    assert [(one.sample, one.action) for one in made.failed_samples() if one.iteration == 0] == [(2, "skip")]


def test_placeholders_are_silence_of_the_first_length() -> None:
    pytest.importorskip("soundfile")
    audio, rates = pipeline(on_error="placeholder", dtype=types.INT16).run()
    assert np.asarray(audio.at(2)).shape == (1000, 1) and not np.asarray(audio.at(2)).any()
    assert rates.as_array().tolist() == [8000, 12000, 0, 20000]


def test_files_are_not_written_to_and_may_be_read_only() -> None:
    pytest.importorskip("soundfile")
    files = [np.array(file) for file in sound_files().samples()]
    before = [file.tobytes() for file in files]
    for file in files:
        file.flags.writeable = False
    pipeline(files, sample_rate=11025.0).run()
    assert [file.tobytes() for file in files] == before


@pytest.mark.parametrize(("failure", "words"), [(ImportError, "not installed"), (OSError, "libsndfile cannot be loaded")])
def test_without_its_library_it_is_said_what_to_install(
    failure: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Missing:
        def find_spec(self, name: str, *rest: Any) -> None:
            if name == "soundfile":
                raise failure("sndfile library not found")

    monkeypatch.delitem(sys.modules, "soundfile", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    with pytest.raises(DaliStudioError, match=words) as raised:
        pipeline().run()
    (found,) = raised.value.diagnostics
    assert (found.node, found.sample) == ("decode", None) and "pip install soundfile" in found.hint

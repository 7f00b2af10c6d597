"""``fn.readers.nemo_asr`` against nvidia.dali: real speech, several manifests; and what is wrong with files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared import declared
from peers import OURS, check, refused, run

from dali_studio.schema.samples import sound_files

pytestmark = pytest.mark.usefixtures("nvidia")
pytest.importorskip("soundfile", exc_type=ImportError)


def manifest(path: Path, entries: list[dict[str, Any]]) -> str:
    path.write_text("\n".join(map(json.dumps, entries)))
    return str(path)


@pytest.mark.parametrize("form", ["wav", "flac", "ogg"])
def test_parts_of_real_speech(data_dir: Path, tmp_path: Path, form: str) -> None:
    files = sorted((data_dir / "audio" / form).rglob(f"*.{form}"))
    parts = [{"offset": 0.5, "duration": 1.0}, {"duration": 0.25}, {}, {"offset": 1.0}]
    entries = [{"audio_filepath": str(file), "text": f"№ {place}", **parts[place % 4]} for place, file in enumerate(files)]
    names = {"paths": [manifest(tmp_path / "a.json", entries[:5]), manifest(tmp_path / "b.json", entries[5:])]}
    for more in ("", "sample_rate=22050.0, dtype=types.INT16"):
        program = f"fn.readers.nemo_asr(manifest_filepaths=paths, read_idxs=True, {more})"
        tolerance = declared("readers.nemo_asr", dtype="INT16" if more else "FLOAT")
        check(program, names=names, iterations=3, batch_size=4, tolerance=tolerance)


def wave(tmp_path: Path, content: bytes) -> str:
    (tmp_path / "speech.wav").write_bytes(content)
    return str(tmp_path / "speech.wav")


WRONG = {
    "no file": ({"audio_filepath": "/no/such.wav"}, "DS302"), "no sound": ({}, "DS301"), "behind its end": ({"offset": 99.0}, "DS301"),
    "of no length": ({"duration": 0.0}, "DS301"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_named(tmp_path: Path, kind: str) -> None:
    changes, code = WRONG[kind]
    content = b"no sound" * 9 if kind == "no sound" else sound_files((400,)).samples()[0].tobytes()
    entry = {"audio_filepath": wave(tmp_path, content), **changes}
    names = {"paths": [manifest(tmp_path / "m.json", [entry])]}
    assert entry["audio_filepath"] in refused("fn.readers.nemo_asr(manifest_filepaths=paths)", codes=code, names=names)


def test_what_cannot_be_decoded_is_skipped_or_empty(tmp_path: Path) -> None:
    from dali_studio import Pipeline, fn

    good = {"audio_filepath": wave(tmp_path, sound_files((400,)).samples()[0].tobytes())}
    path = manifest(tmp_path / "m.json", [good, {"audio_filepath": "/no/such.wav", "text": "ab"}, good])
    for action, expected in (("skip", [400, 400]), ("placeholder", [400, 0, 400])):
        made = Pipeline(batch_size=3, num_threads=2, device_id=None)
        with made:
            made.set_outputs(*fn.readers.nemo_asr(manifest_filepaths=[path], on_error=action))
        audio, rates, text = made.run()
        assert [np.asarray(audio.at(i)).size for i in range(len(audio))] == expected
        assert rates.as_array().tolist() == [8000 if size else 0 for size in expected]
        assert len(text) == len(expected)


def test_lines_with_numbers_that_no_sound_has_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    path.write_bytes(sound_files((100,)).samples()[0].tobytes())
    lines = [f'{{"audio_filepath": "{path}", "duration": {number}}}' for number in ("1e999", "1" + "0" * 400, "0.01")]
    (tmp_path / "a.json").write_text("\n".join([*lines, "[" * 100_000]))
    (outputs,) = run(OURS, "fn.readers.nemo_asr(manifest_filepaths=path, read_idxs=True)", names={"path": str(tmp_path / "a.json")}, batch_size=1)
    assert outputs[-1].samples[0].tolist() == [0]

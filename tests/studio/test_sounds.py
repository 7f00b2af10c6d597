"""Sounds that the browser plays."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio.clients import Client

from dali_studio import fn, pipeline_def, types
from dali_studio.studio.outputs import sounds
from dali_studio.studio.protocol import output_messages

RATE = 8_000
TONE = (np.sin(np.arange(400) * 0.1) * 16_000).astype(np.int16)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(TONE.tobytes())
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "tone.wav").write_bytes(made.getvalue())

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def sound() -> Any:
        files, _ = fn.readers.file(file_root=str(tmp_path), name="reader")
        audio, _ = fn.decoders.audio(files, dtype=types.FLOAT, downmix=True, name="audio")
        slow = fn.audio_resample(audio, in_rate=RATE, out_rate=4_000.0, name="slow")
        return audio, slow, fn.power_spectrum(audio, name="power"), fn.random.normal(shape=[300], name="noise")

    client = Client(sound().graph)
    client.send("ready")
    yield client
    client.session.close()


def heard(client: Client, node: str) -> tuple[output_messages.Sound, Any]:
    """The answer, and its numbers."""
    sent = client.send("request_sound", port={"node": node, "output": 0})
    ((answer, (data,)),) = [(m, buffers) for m, buffers in sent if isinstance(m, output_messages.Sound)]
    return answer, np.frombuffer(data, "<i2")


def test_the_shown_sample_is_heard_at_its_rate(client: Client) -> None:
    answer, numbers = heard(client, "audio")
    assert (answer.rate, answer.channels, answer.note) == (RATE, 1, "")
    assert np.abs(numbers.astype(int) - TONE).max() <= 1
    slow, fewer = heard(client, "slow")
    assert slow.rate == 4_000 and len(fewer) == len(TONE) // 2
    noise, _ = heard(client, "noise")
    assert noise.rate == sounds.USUAL and "not known" in noise.note


def test_numbers_of_any_type() -> None:
    assert sounds.pcm(np.array([[0.5, -2.0], [np.nan, 0.0]], np.float32)) == (
        2, np.array([16384, -32767, 0, 0], "<i2").tobytes(),
    )  # fmt: skip
    channels, data = sounds.pcm(np.array([0, 32767, -32767], np.int16))
    assert channels == 1 and np.frombuffer(data, "<i2").tolist() == [0, 32767, -32767]
    _, data = sounds.pcm(np.array([127, 255, 0], np.uint8))
    assert np.abs(np.frombuffer(data, "<i2").astype(int) - [0, 32767, -32767]).max() < 600

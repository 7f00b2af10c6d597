"""Videos that are fed, over iterations, against nvidia.dali."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS, assert_equal, collect

from dali_studio import DaliStudioError
from dali_studio.schema.sample_videos import encoded_video

pytest.importorskip("av", reason="needs PyAV")


def built(prefix: str, batch_size: int = 2, length: int = 3, **arguments: Any) -> Any:
    made = importlib.import_module(prefix).Pipeline(batch_size=batch_size, num_threads=2, device_id=None)
    with made:
        fn = importlib.import_module(f"{prefix}.fn")
        made.set_outputs(fn.experimental.inputs.video(name="video", sequence_length=length, **arguments))
    made.build()
    return made


def file(codec: str, count: int, size: tuple[int, int] = (34, 26)) -> np.ndarray[Any, Any]:
    return np.frombuffer(encoded_video(codec, count, size), np.uint8)


@pytest.mark.usefixtures("nvidia")
@pytest.mark.parametrize("policy", ["partial", "pad"])
@pytest.mark.parametrize(("batch_size", "length"), [(2, 3), (1, 1), (3, 20), (2, 5)])
def test_sequences_are_equal(policy: str, batch_size: int, length: int) -> None:
    counts = (10, 5, 20)
    made = [built(prefix, batch_size, length, last_sequence_policy=policy) for prefix in (OURS, THEIRS)]
    videos = [file("vp9", counts[0]), file("mjpeg", counts[1], (48, 32)), file("vp8", counts[2])]
    for video in videos:
        for pipeline in made:
            pipeline.feed_input("video", [video])
    for _ in range(sum(-(-count // (batch_size * length)) for count in counts)):
        ours, theirs = (collect(pipeline.run()) for pipeline in made)
        assert_equal(ours, theirs)


def test_what_comes_after_the_end_and_what_is_no_video() -> None:
    pipeline = built(OURS)
    with pytest.raises(DaliStudioError, match=r"No data was fed.*feed_input\(\"video\""):
        pipeline.run()
    pipeline.feed_input("video", [np.zeros(50, np.uint8)])
    pipeline.feed_input("video", [file("h264", 4)])
    with pytest.raises(DaliStudioError, match="DS301 video: The video cannot be decoded"):
        pipeline.run()
    assert pipeline.run()[0].shape() == [(3, 26, 34, 3), (1, 26, 34, 3)]  # the next one that was fed
    pipeline.feed_input("video", [np.zeros(50, np.float32)])
    with pytest.raises(DaliStudioError, match="DS203 video: The data is float32"):
        pipeline.run()


def test_arguments_that_are_refused() -> None:
    refused: list[dict[str, Any]] = [{"last_sequence_policy": "bogus"}, {"length": 0}]
    for arguments in refused:
        with pytest.raises(DaliStudioError):
            built(OURS, **arguments)

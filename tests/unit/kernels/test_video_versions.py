"""Videos by the versions of PyAV that there are."""

from __future__ import annotations

from typing import Any

import pytest

from dali_studio import samples
from dali_studio.kernels.cpu import video_codec

av = pytest.importorskip("av", reason="needs PyAV")


def test_a_version_without_options_for_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyAV 19 refuses them."""
    given = av.open

    def strict(file: Any) -> Any:
        return given(file)

    path = str(samples.videos() / "pan" / "astronaut.webm")
    before = len(video_codec.VideoFile(path).index)
    monkeypatch.setattr(av, "open", strict)
    monkeypatch.setattr(av, "__version__", "19.0.2")
    assert len(video_codec.VideoFile(path).index) == before > 0

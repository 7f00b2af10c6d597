"""What the tests of the GPU backend share."""

from __future__ import annotations

import pytest

from dali_studio.kernels.cuda.device import missing


@pytest.fixture(autouse=True)
def gpu_or_skip(request: pytest.FixtureRequest) -> None:
    """Tests that are marked ``gpu`` skip where there is none, and say what is missing."""
    if request.node.get_closest_marker("gpu"):
        absent = missing(0)
        if absent is not None:
            pytest.skip(f"needs a GPU: {absent.reason}")

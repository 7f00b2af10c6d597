"""Imports without the collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from dali_studio.core.loading import loading


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    collects = gc.isenabled()
    yield
    (gc.enable if collects else gc.disable)()


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_off_meanwhile_and_then_as_it_was(collects: bool) -> None:
    (gc.enable if collects else gc.disable)()
    with loading():
        assert not gc.isenabled()
    assert gc.isenabled() == collects

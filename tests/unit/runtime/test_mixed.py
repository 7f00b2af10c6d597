"""Who decodes what on the device "mixed"."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.kernels.jpeg import libjpeg
from dali_studio.kernels.jpeg.decode_queue import BY_KERNELS
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch
from dali_studio.kernels.jpeg.gpu_work import SubmittedGroup
from dali_studio.runtime.mixed import Speeds, side_by_side


def decoded(kernels: int, milliseconds: float, threads: int, nanoseconds: int) -> tuple[DecodeBatch, list[SubmittedGroup]]:
    """A batch of which kernels and threads have decoded so many pictures in these times."""
    batch, none = DecodeBatch(kernels + threads, kernels + threads), np.zeros(0, np.int64)
    batch.outcomes[:kernels], batch.outcomes[kernels:] = BY_KERNELS, libjpeg.DONE
    batch.nanoseconds = nanoseconds
    return batch, [SubmittedGroup(none, 0, none, none, batch.outcomes, None, "RGB", None, milliseconds=milliseconds)]


@pytest.mark.parametrize(("milliseconds", "help_"), [(2.0, False), (20.0, True)])
def test_threads_help_unless_kernels_are_far_quicker(milliseconds: float, help_: bool) -> None:
    speeds = Speeds()
    assert speeds.threads_help, "until something is known"
    speeds.note(*decoded(120, milliseconds, 0, 0))
    assert speeds.threads_help
    speeds.note(*decoded(100, milliseconds, 10, 6_000_000))
    assert speeds.threads_help == help_


def test_batches_of_few_pictures_are_worth_help() -> None:
    speeds = Speeds()
    speeds.note(*decoded(120, 2.0, 10, 6_000_000))
    assert not speeds.threads_help
    for _ in range(20):  # a launch takes as long for them
        speeds.note(*decoded(20, 1.5, 0, 0))
    assert speeds.threads_help


@pytest.mark.parametrize(
    ("places", "expected"),
    [([], False), ([0], True), ([0, 10, 20, 5, 15, 2], True), ([30, 20, 10, 0], False), ([0, 1000], False)],
)
def test_files_that_lie_side_by_side(places: list[int], expected: bool) -> None:
    requests = np.zeros((len(places), libjpeg.FIELDS), np.int64)
    requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE] = places, 5
    assert side_by_side(requests) == expected

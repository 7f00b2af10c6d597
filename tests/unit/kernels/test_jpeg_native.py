"""The compiled JPEG kernels: what does not fit together is refused."""

from __future__ import annotations

import numpy as np
import pytest
import simplejpeg

from dali_studio.kernels.jpeg import decode_queue, libjpeg, nvjpeg_groups, scan


def test_a_queue_that_is_not_there_is_refused() -> None:
    queues = np.zeros(2 * decode_queue.WORDS, np.int64)
    for which in (-1, 2):
        for call in (decode_queue.take, decode_queue.empty):
            with pytest.raises(IndexError, match="no queue"):
                call(queues, which)
        with pytest.raises(IndexError, match="no queue"):
            decode_queue.take_group(queues, which, 1, 2)
        with pytest.raises(IndexError, match="no queue"):
            decode_queue.fill(queues, which, 3)


@pytest.mark.parametrize(
    "window",
    [(0, 0, 17, 16), (0, 0, 16, 17), (-1, 0, 4, 4), (0, -1, 4, 4), (13, 0, 4, 4), (0, 13, 4, 4), (0, 0, 0, 4), (0, 0, 4, 0),
     (1 << 62, 0, 1 << 62, 4), (-(1 << 63), 0, 4, 4)],
)  # fmt: skip
def test_a_window_that_is_not_inside_fails(window: tuple[int, int, int, int]) -> None:
    file = np.frombuffer(simplejpeg.encode_jpeg(np.zeros((16, 16, 3), np.uint8)), np.uint8)
    made, entries = np.zeros(16 * 16 * 3, np.uint8), libjpeg.entry_points()
    assert entries is not None
    request = np.array((file.ctypes.data, file.size, 16, 16, 2, 3, 0, 0, *window, made.ctypes.data, 48), np.int64)
    assert libjpeg.decode(request, entries) == libjpeg.FAILED
    fits = {"fast_dct": False, "repeat_chroma": False}
    assert libjpeg.decode_into(file, made, (16, 16), "RGB", 3, window, entries, **fits) == libjpeg.FAILED
    assert libjpeg.decode_into(file, made[:-1], (16, 16), "RGB", 3, (0, 0, 16, 16), entries, **fits) == libjpeg.FAILED
    assert libjpeg.decode_into(file, made, (16, 16), "RGB", 3, (0, 0, 16, 16), entries, **fits) == libjpeg.DONE
    assert libjpeg.decode(request[:-1], entries) == libjpeg.FAILED
    assert libjpeg.decode(request, entries[:-1]) == libjpeg.FAILED


def test_plans_whose_arrays_differ_are_refused() -> None:
    requests, places = np.zeros((3, libjpeg.FIELDS), np.int64), np.zeros((3, 2), np.int64)
    pictures, rows, made = np.zeros(2, scan.PICTURE), np.zeros(2, np.int64), np.zeros(scan.PLANNED, np.int64)
    for given in (
        (requests[:, :-1], places, 0, 3, 1, 1, pictures, rows, made),
        (requests, places[:2], 0, 3, 1, 1, pictures, rows, made),
        (requests, places, 0, 4, 1, 1, pictures, rows, made),
        (requests, places, -1, 3, 1, 1, pictures, rows, made),
        (requests, places, 0, 3, 1, 1, pictures, rows[:1], made),
        (requests, places, 0, 3, 1, 1, pictures, rows, made[:5]),
    ):
        with pytest.raises(ValueError, match=r"differ|cannot be planned"):
            scan.plan(*given)
    with pytest.raises(TypeError, match="int64"):
        scan.plan(requests.astype(np.int32), places, 0, 3, 1, 1, pictures, rows, made)  # pyright: ignore[reportArgumentType]


def test_turns_whose_arrays_differ_are_refused() -> None:
    queues = np.zeros(decode_queue.WORDS, np.int64)
    queues[decode_queue.SHARED] = 3
    info, clock = np.array([1, 2, 3, 4, -1, 2, 4]), np.zeros(nvjpeg_groups.CLOCK, np.int64)
    functions, requests = np.zeros(len(nvjpeg_groups.FUNCTIONS), np.int64), np.zeros((2, libjpeg.FIELDS), np.int64)
    tables = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros((4, 8), np.int64)
    with pytest.raises(ValueError, match="do not fit"):  # more pictures wait than there are requests
        nvjpeg_groups.decode_groups(
            functions, (queues, 0), info, requests, np.zeros((2, 2), np.int64), functions[:0], tables,
            np.zeros(2, np.int8), clock,
        )  # fmt: skip

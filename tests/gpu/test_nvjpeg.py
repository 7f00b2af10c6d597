"""The GPU's JPEG hardware: the CPU decoder's pixels to the last bit, damaged files, windows, and giving up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from dali_studio.core.storage import addresses_of
from dali_studio.kernels.cpu import jpeg, libjpeg
from dali_studio.kernels.cuda.device import Unavailable
from dali_studio.kernels.cuda.jpeg_rule import LARGEST_SIDE, takes
from dali_studio.kernels.cuda.nvjpeg import HardwareDecoder, HardwareStalledError, open_decoder
from dali_studio.runtime.crew import Job
from tests.images import Array, coded, encoded, on_cpu, picture, windows_of

pytestmark = pytest.mark.gpu

SAMPLINGS = ("444", "422", "420", "440")
SIZES = ((1, 1), (1, 17), (17, 33), (8, 8), (15, 31), (33, 16), (100, 3), (3, 100), (64, 63), (203, 301))
GUARD = 0xAB


@pytest.fixture(scope="module")
def decoder() -> Iterator[HardwareDecoder]:
    opened = open_decoder(0)
    if isinstance(opened, Unavailable):
        pytest.skip(f"needs JPEG hardware: {opened.reason}")
    yield opened
    opened.close()


def on_gpu(
    decoder: HardwareDecoder, files: Sequence[Array], output: str = "RGB", *, windows: Sequence[Any] | None = None,
    shift: int = 0, padding: int = 0, shapes: Sequence[tuple[int, int]] | None = None, **options: Any,
) -> tuple[list[Array], Array]:  # fmt: skip
    """Decode into one slab, check that nothing around the pixels was written, and return pictures and flags."""
    import cupy

    infos = [jpeg.parse_header(file) for file in files]
    sides = [tuple(w[2:]) for w in windows] if windows is not None else [(i.height, i.width) for i in infos]
    channels = 1 if output == "GRAY" else 3
    pitches = np.array([w * channels + padding for _, w in sides])
    offsets = np.cumsum([shift, *(h * int(p) + 7 for (h, _), p in zip(sides, pitches, strict=True))])
    slab = cupy.full(int(offsets[-1]) + 64, GUARD, cupy.uint8)
    cupy.cuda.Device().synchronize()
    targets = (slab.data.ptr + offsets[:-1]).astype(np.uint64)
    table = None if windows is None else np.array(windows, np.int64)
    trusted = decoder.decode(files, targets, pitches, output, windows=table, **options)
    host = slab.get()
    around = np.ones(host.size, bool)
    pictures: list[Array] = []
    for (h, w), pitch, offset in zip(sides, pitches, offsets, strict=False):
        rows = slice(int(offset), int(offset) + h * int(pitch))
        around[rows].reshape(h, -1)[:, : w * channels] = False
        pictures.append(host[rows].reshape(h, -1)[:, : w * channels].reshape(h, w, channels))
    assert (host[around] == GUARD).all(), "pixels were written outside the targets"
    return pictures, trusted


@pytest.mark.parametrize("output", ["RGB", "BGR", "GRAY"])
@pytest.mark.parametrize("sampling", [*SAMPLINGS, "Gray"])
def test_the_pixels_are_those_of_the_cpu(decoder: HardwareDecoder, sampling: str, output: str) -> None:
    files = [coded(picture(h, w), sampling, quality) for h, w in SIZES for quality in (30, 95, 100)]
    for shift, padding in ((0, 0), (1, 0), (6, 5)):
        pictures, trusted = on_gpu(decoder, files, output, shift=shift, padding=padding)
        assert trusted.all()
        for file, got in zip(files, pictures, strict=True):
            assert np.array_equal(got, on_cpu(file, output))


@pytest.mark.parametrize("sampling", range(3))
def test_so_are_those_of_unusual_files(decoder: HardwareDecoder, sampling: int) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (120, 161, 3), np.uint8)
    options = (
        {"restart_marker_blocks": 1}, {"restart_marker_blocks": 7}, {"restart_marker_rows": 1}, {"optimize": True},
        {"quality": 1}, {"quality": 100}, {"comment": b"x" * 60000}, {"icc_profile": b"x" * 70000},
    )  # fmt: skip
    files = [encoded(image, subsampling=sampling, **o) for o in options for image in (picture(120, 161), noise)]
    assert all(takes(jpeg.parse_header(file)) for file in files)
    pictures, trusted = on_gpu(decoder, files)
    assert trusted.all()
    for file, got in zip(files, pictures, strict=True):
        assert np.array_equal(got, on_cpu(file))


@pytest.mark.parametrize("output", ["RGB", "GRAY"])
@pytest.mark.parametrize("sampling", [*SAMPLINGS, "Gray"])
def test_a_window_is_the_part_of_the_whole(decoder: HardwareDecoder, sampling: str, output: str) -> None:
    windows, file = windows_of(203, 301, 58), coded(picture(203, 301), sampling)
    whole = on_cpu(file, output)
    pictures, trusted = on_gpu(decoder, [file] * len(windows), output, windows=windows, shift=3)
    assert trusted.all()
    for (y, x, rows, columns), got in zip(windows, pictures, strict=True):
        assert np.array_equal(got, whole[y : y + rows, x : x + columns]), (y, x, rows, columns)


def test_batches_change_their_size_format_and_kind(decoder: HardwareDecoder) -> None:
    files = [coded(picture(40 + k, 90 - k), SAMPLINGS[k % 4]) for k in range(64)]
    for count in (1, 64, 3, 17, 64, 2, 33):
        for output in ("RGB", "GRAY"):
            pictures, trusted = on_gpu(decoder, files[:count], output)
            assert trusted.all()
            assert all(np.array_equal(got, on_cpu(f, output)) for f, got in zip(files, pictures, strict=False))


def test_ten_runs_give_the_same_bytes(decoder: HardwareDecoder) -> None:
    files = [coded(picture(150 + k, 200 - k, seed=k), SAMPLINGS[k % 4]) for k in range(48)]
    first, _ = on_gpu(decoder, files)
    for _ in range(9):
        again, _ = on_gpu(decoder, files)
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_what_is_damaged_is_told_and_spoils_nothing_else(decoder: HardwareDecoder) -> None:
    good = coded(picture(120, 90), "444")
    tables = bytes(good).index(b"\xff\xc4")
    broken = good.copy()
    broken[tables + 5 : tables + 21] = 9  # more codes than there can be
    without = np.delete(good, range(tables, tables + 2 + (int(good[tables + 2]) << 8 | int(good[tables + 3]))))
    files = [good, good[:-2], good, good[: len(good) // 2], broken, good, without, np.append(good, 0).astype(np.uint8)]
    pictures, trusted = on_gpu(decoder, files)
    assert trusted.tolist() == [True, False, True, False, False, True, False, False]
    for index in np.flatnonzero(trusted):
        assert np.array_equal(pictures[index], on_cpu(good))
    assert (pictures[1] == GUARD).all() and (pictures[4] == GUARD).all()


@pytest.mark.parametrize("windowed", [False, True])
def test_a_turn_takes_what_others_leave_and_sorts_out_what_is_refused(decoder: HardwareDecoder, windowed: bool) -> None:
    import cupy

    files = [coded(picture(40 + k, 90 - k, seed=k), SAMPLINGS[k % 4]) for k in range(60)]
    for k in (3, 30):
        tables = bytes(files[k]).index(b"\xff\xc4")
        files[k] = files[k].copy()
        files[k][tables + 5 : tables + 21] = 9  # more codes than there can be
    sizes = np.array([(40 + k, 90 - k) for k in range(60)])
    windows = np.concatenate([np.full((60, 2), 5), sizes - 9] if windowed else [np.zeros((60, 2), np.int64), sizes], axis=1)
    requests = np.zeros((60, libjpeg.FIELDS), np.int64)
    requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE] = addresses_of(files), [len(file) for file in files]
    requests[:, [libjpeg.HEIGHT, libjpeg.WIDTH]] = sizes
    requests[:, libjpeg.FIRST_ROW : libjpeg.COLUMNS + 1] = windows
    slab = cupy.zeros((60, 100 * 90 * 3), cupy.uint8)
    cupy.cuda.Device().synchronize()
    places = np.stack([slab.data.ptr + np.arange(60) * slab.strides[0], windows[:, 3] * 3], axis=1)
    job = Job(60, 55, requests)
    others = {job.take() for _ in range(7)}
    assert others == set(range(53, 60))
    turn = decoder.take_turn(job.queue, requests, places, job.outcomes, files=files)
    trusted = decoder.wait(turn)
    assert set(np.flatnonzero(trusted)) == set(range(53)) - {3, 30}
    assert turn.milliseconds > 0 and turn.begun is None and job.take() == -1
    host = slab.get()
    for k in range(60):
        y, x, h, w = windows[k].tolist()
        got = host[k, : h * w * 3].reshape(h, w, 3)
        assert np.array_equal(got, on_cpu(files[k])[y : y + h, x : x + w]) if trusted[k] else not got.any()


def test_errors_in_the_data_do_not_reach_beyond_their_picture(decoder: HardwareDecoder) -> None:
    good = coded(picture(200, 190), "420")
    generator = np.random.default_rng(11)
    start = bytes(good).index(b"\xff\xda") + 14
    files = [good]
    for _ in range(30):
        bad = good.copy()
        bad[generator.integers(start, len(good) - 2, 9)] = generator.integers(0, 256, 9)
        files += [bad, good]
    pictures, trusted = on_gpu(decoder, files)
    assert all(trusted[0::2]) and all(np.array_equal(got, on_cpu(good)) for got in pictures[0::2])


def test_the_hardware_waits_for_the_event_that_it_is_told(decoder: HardwareDecoder) -> None:
    import cupy

    file = coded(picture(100, 120), "444")
    slow = cupy.RawKernel(
        'extern "C" __global__ void slow(unsigned char *p, int n) {'
        "  long long begin = clock64(); while (clock64() - begin < 60000000LL) {}"
        "  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = 1; }", "slow",
    )  # fmt: skip
    stream = cupy.cuda.Stream(non_blocking=True)
    target = cupy.zeros((100, 120, 3), cupy.uint8)
    cupy.cuda.Device().synchronize()
    with stream:
        slow((1,), (256,), (target, np.int32(target.size)))
        event = cupy.cuda.Event()
        event.record()
    decoder.decode([file], np.array([target.data.ptr], np.uint64), np.array([360]), after=event, patience=1.0)
    assert np.array_equal(target.get(), on_cpu(file))


def test_a_batch_may_be_prepared_while_another_is_decoded(decoder: HardwareDecoder) -> None:
    import cupy

    files = [coded(picture(100, 120, seed=k), "420") for k in range(40)]
    slab = cupy.empty((40, 100, 120, 3), cupy.uint8)
    targets = slab.data.ptr + np.arange(40, dtype=np.uint64) * np.uint64(36000)
    pitches = np.full(40, 360)
    batches = [decoder.submit(files[k : k + 8], targets[k : k + 8], pitches[k : k + 8]) for k in range(0, 40, 8)]
    assert all(decoder.wait(batch).all() for batch in batches)
    assert all(np.array_equal(got, on_cpu(file)) for file, got in zip(files, slab.get(), strict=True))


def test_files_beyond_the_largest_side_are_refused_by_both(decoder: HardwareDecoder) -> None:
    side = LARGEST_SIDE
    fits, over = (coded(np.zeros((16, width, 3), np.uint8)) for width in (side, side + 16))
    assert takes(jpeg.parse_header(fits)) and not takes(jpeg.parse_header(over))
    _, trusted = on_gpu(decoder, [fits, over])
    assert trusted.tolist() == [True, False]


def test_what_does_not_answer_is_given_up() -> None:
    opened = open_decoder(0)
    if isinstance(opened, Unavailable):
        pytest.skip(f"needs JPEG hardware: {opened.reason}")
    file = coded(picture(700, 700))
    with pytest.raises(HardwareStalledError, match="others decode instead"):
        on_gpu(opened, [file] * 64, patience=0)
    assert opened.stalled
    with pytest.raises(HardwareStalledError):
        on_gpu(opened, [file])
    opened.close()


def test_the_doctor_measures_what_is_there() -> None:
    from dali_studio.kernels.cuda.measure import report

    lines = dict(report(lambda: [coded(picture(300, 400), sampling) for sampling in ("420", "411")]))
    assert "GB/s" in lines["copy"]
    assert "images/s" in lines["jpeg kernels"]
    assert "images/s" in lines["jpeg hardware"] or "none:" in lines["jpeg hardware"]
    assert set(dict(report(lambda: [np.zeros(9, np.uint8)]))) == set(lines)  # what cannot be read raises nothing

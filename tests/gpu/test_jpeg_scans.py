"""Scans of progressive JPEG by kernels: the CPU decoder's pixels, windows, any script of scans, and damaged files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.jpeg import gpu_decoder, libjpeg, scan
from dali_studio.kernels.jpeg.decode_queue import BY_KERNELS
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch
from dali_studio.kernels.jpeg.gpu_decoder import JpegKernels
from dali_studio.kernels.jpeg.gpu_rule import takes_coefficients
from dali_studio.kernels.jpeg.header import parse_header
from tests.gpu.test_jpeg_kernels import GUARD, SAMPLINGS, SCANS, SIZES, Slab, asked
from tests.images import Array, coded, encoded, on_cpu, picture, windows_of
from tests.jpeg_scans import Scan, progressive
from tests.unit.kernels.test_jpeg_coefficients import DAMAGED, GOOD, PLAIN, SCRIPTS

pytestmark = pytest.mark.gpu


@pytest.fixture
def decoder() -> Iterator[JpegKernels]:
    import cupy

    opened = JpegKernels(0, cupy.cuda.alloc)
    yield opened
    opened.close()


def on_gpu(
    decoder: JpegKernels, files: Sequence[Array], output: str = "RGB", *, windows: Sequence[Any] | None = None,
    repeated: bool = True, size: tuple[int, int] | None = None,
) -> tuple[list[Array], Array]:  # fmt: skip
    """Decode into one slab, check that nothing around the pixels was written, and return pictures and flags.

    `size`: of damaged files, whose headers may say anything.
    """
    sound = files if size is None else [GOOD_FILE] * len(files)
    requests = asked(sound, output, windows, repeated=repeated, rule=takes_coefficients)
    if size is not None:
        requests[:, [libjpeg.DATA, libjpeg.SIZE]] = [(file.ctypes.data, len(file)) for file in files]
    slab, done = Slab(requests, 3, 2), np.zeros(len(files), bool)
    done[decoder.decode(requests, slab.places, 0, len(files))] = True
    found = slab.pictures()
    assert all((pixels == GUARD).all() for pixels, there in zip(found, done, strict=True) if not there)
    return found, done


def array(file: bytes) -> Array:
    return np.frombuffer(bytes(file), np.uint8).copy()


GOOD_FILE = array(GOOD)


def gray_script(scans: Sequence[Scan]) -> list[Scan]:
    """Those of the first component."""
    return [Scan((0,), s.first, s.last, s.high, s.low, s.interval) for s in scans if 0 in s.components]


@pytest.mark.parametrize("repeated", [True, False], ids=["repeated chroma", "interpolated chroma"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_the_pixels_are_those_of_the_cpu(decoder: JpegKernels, sampling: str, repeated: bool) -> None:
    """All the sizes, with the scans that libjpeg writes of pictures in colour, or most of them."""
    files = [
        array(progressive(bytes(coded(picture(h, w), sampling, 40 + 2 * k)), SCANS[sampling == "Gray"]))
        for k, (h, w) in enumerate(SIZES)
    ]
    for output in ("RGB", "GRAY") if repeated else ("BGR",):
        pictures, done = on_gpu(decoder, files, output, repeated=repeated)
        assert done.all()
        for file, got in zip(files, pictures, strict=True):
            assert np.array_equal(got, on_cpu(file, output, repeated=repeated))


@pytest.mark.parametrize("subsampling", [0, 1, 2, "gray"])
def test_so_are_those_of_noise_in_all_qualities_with_and_without_restarts(
    decoder: JpegKernels, subsampling: Any
) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (60, 81, 3), np.uint8)
    harsh = np.where(noise > 127, 255, 0).astype(np.uint8)
    options: dict[str, Any] = {} if subsampling == "gray" else {"subsampling": subsampling}
    ways: list[dict[str, Any]] = [
        {"quality": 1}, {"quality": 50, "restart_marker_blocks": 7}, {"quality": 92}, {"quality": 100, "restart_marker_rows": 1},
    ]  # fmt: skip
    files = [
        encoded(image[..., :1] if subsampling == "gray" else image, progressive=True, **options, **way)
        for way in ways for image in (noise, harsh, picture(60, 81))
    ]  # fmt: skip
    pictures, done = on_gpu(decoder, files)
    assert done.all()
    for file, got in zip(files, pictures, strict=True):
        assert np.array_equal(got, on_cpu(file))


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_any_order_of_scans(decoder: JpegKernels, sampling: str, script: str) -> None:
    """Also more of them than are decoded at the same time."""
    generator = np.random.default_rng(4)
    scans = gray_script(SCRIPTS[script]) if sampling == "Gray" else SCRIPTS[script]
    files: list[Array] = []
    for (h, w), noise in zip(((1, 1), (19, 37), (67, 90)), (0, 20, 5), strict=True):
        image = np.clip(picture(h, w) + generator.normal(0, noise, (h, w, 3)), 0, 255).astype(np.uint8)
        files.append(array(progressive(bytes(coded(image, sampling, 90)), scans)))
    pictures, done = on_gpu(decoder, files)
    assert done.all()
    for file, got in zip(files, pictures, strict=True):
        assert np.array_equal(got, on_cpu(file))


@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_a_window_is_the_part_of_the_whole(decoder: JpegKernels, subsampling: int) -> None:
    windows, file = windows_of(53, 71, 18), encoded(picture(53, 71), subsampling=subsampling, progressive=True)
    for repeated in (True, False):
        whole = on_cpu(file, repeated=repeated)
        pictures, done = on_gpu(decoder, [file] * len(windows), windows=windows, repeated=repeated)
        assert done.all()
        for (y, x, rows, columns), got in zip(windows, pictures, strict=True):
            assert np.array_equal(got, whole[y : y + rows, x : x + columns]), (y, x, rows, columns)


def test_a_photo_of_usual_size(decoder: JpegKernels) -> None:
    """Scans of many chunks of data, and runs of blocks without any more."""
    generator = np.random.default_rng(9)
    smooth = picture(300, 410)
    noisy = [np.clip(smooth + generator.normal(0, noise, smooth.shape), 0, 255).astype(np.uint8) for noise in (0, 6, 25)]
    files = [encoded(image, progressive=True, quality=q) for image, q in zip(noisy, (92, 92, 75), strict=True)]
    pictures, done = on_gpu(decoder, files)
    assert done.all()
    for file, got in zip(files, pictures, strict=True):
        assert np.array_equal(got, on_cpu(file))


def test_short_memory_makes_several_launches_and_leaves_out_what_is_too_large(
    decoder: JpegKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [encoded(picture(20 + k, 60 - k, seed=k), subsampling=k % 3, progressive=True) for k in range(8)]
    files.insert(4, encoded(picture(120, 150), progressive=True))
    files.insert(6, coded(picture(31, 40), "420"))  # baseline among them
    monkeypatch.setattr(decoder, "_most", 40_000)
    requests = asked(files, "RGB", None, rule=lambda info: True)
    slab, done = Slab(requests), np.zeros(len(files), bool)
    done[decoder.decode(requests, slab.places, 0, len(files))] = True
    assert np.flatnonzero(~done).tolist() == [4]
    for k, got in enumerate(slab.pictures()):
        assert (got == (on_cpu(files[k]) if done[k] else GUARD)).all()


def test_room_for_scans_ends_a_launch(decoder: JpegKernels) -> None:
    """Files of more scans than pictures usually have."""
    files = [array(progressive(PLAIN, SCRIPTS["many bands and bits"]))] * 40
    assert len(files) * 48 > 12 * gpu_decoder.MAX_GROUP
    pictures, done = on_gpu(decoder, files)
    assert done.all() and all(np.array_equal(got, on_cpu(files[0])) for got in pictures)


def test_too_many_scans_are_left_to_the_cpu(decoder: JpegKernels) -> None:
    bands = [Scan((c,), k, k, 0, 0) for c in range(3) for k in range(1, 64)]
    file = array(progressive(PLAIN, [Scan((0, 1, 2), 0, 0, 0, 0), *bands]))
    assert len(bands) > scan.MAX_SCANS
    assert not on_gpu(decoder, [file])[1].any() and np.array_equal(on_cpu(file), on_cpu(array(PLAIN)))


def test_a_turn_leaves_what_others_took(decoder: JpegKernels) -> None:
    files = [encoded(picture(20 + k, 60 - k, seed=k), progressive=k % 2 > 0) for k in range(12)]
    requests = asked(files, "RGB", None, rule=lambda info: True)
    slab, job = Slab(requests), DecodeBatch(12, 9, requests)
    assert {job.take() for _ in range(3)} == {9, 10, 11}
    done = decoder.wait(decoder.take_groups(job.queue, requests, slab.places, job.outcomes))
    assert np.flatnonzero(job.outcomes == BY_KERNELS).tolist() == np.flatnonzero(done).tolist() == list(range(9))
    for k, got in enumerate(slab.pictures()):
        assert (got == (on_cpu(files[k]) if done[k] else GUARD)).all()


# ------------------------------------------------------------------------------------------------------ damaged files


def test_what_is_damaged_is_told_and_spoils_nothing_else(decoder: JpegKernels) -> None:
    info = parse_header(GOOD_FILE)
    files = [one for bad in DAMAGED.values() for one in (array(bad), GOOD_FILE)]
    pictures, done = on_gpu(decoder, files, size=(info.height, info.width))
    assert [name for name, there in zip(DAMAGED, done[::2], strict=True) if there] == []
    assert done[1::2].all() and all(np.array_equal(got, on_cpu(GOOD_FILE)) for got in pictures[1::2])


def test_changed_bytes_give_the_pixels_of_the_cpu_or_none(decoder: JpegKernels) -> None:
    generator = np.random.default_rng(11)
    first = GOOD.index(b"\xff\xda")
    whole = [GOOD, *(progressive(PLAIN, script) for script in SCRIPTS.values())]
    sound = files = 0
    for _ in range(4):
        damaged: list[Array] = []
        for k in range(60):
            bad = array(whole[k % len(whole)])
            places = generator.integers(first if k % 3 else 2, len(bad), int(generator.integers(1, 4)))
            bad[places] = generator.integers(0, 256, len(places)) if k % 2 else bad[places] ^ 1
            damaged.append(bad)
        pictures, done = on_gpu(decoder, damaged, size=(60, 45))
        for k in np.flatnonzero(done):
            assert np.array_equal(pictures[k], on_cpu(damaged[k]))
        sound, files = sound + int(done.sum()), files + len(done)
    assert 0 < sound < files

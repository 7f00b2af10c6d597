"""JPEG by kernels: the CPU decoder's pixels to the last bit, windows, memory around them, and damaged files."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from dali_studio.core.storage import addresses_of
from dali_studio.kernels.cpu.image_info import ImageInfo
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.jpeg import codec as jpeg
from dali_studio.kernels.jpeg import gpu_decoder, libjpeg
from dali_studio.kernels.jpeg.coefficients import CoefficientKernels, shared_out
from dali_studio.kernels.jpeg.decode_queue import BY_KERNELS, COEFFICIENTS
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch
from dali_studio.kernels.jpeg.gpu_decoder import JpegKernels
from dali_studio.kernels.jpeg.gpu_rule import coefficient_room, takes, takes_coefficients
from tests.images import Array, coded, encoded, on_cpu, picture, windows_of
from tests.jpeg_scans import Scan, progressive, recoded

pytestmark = pytest.mark.gpu

SAMPLINGS = ("444", "422", "420", "440", "Gray")
SIZES = ((1, 1), (1, 17), (17, 33), (8, 8), (15, 31), (33, 16), (100, 3), (3, 100), (64, 63), (103, 141))
GUARD = 0xAB
#: Of progressive files, in colour and grey.
SCANS = [
    [Scan(c, 0, 0, 0, 1), *(Scan((k,), 1, 63, 0, 1) for k in c), *(Scan((k,), 1, 63, 1, 0) for k in c), Scan(c, 0, 0, 1, 0)]
    for c in ((0, 1, 2), (0,))
]


@pytest.fixture(params=[gpu_decoder.SEGMENT, 256], ids=["", "shared"])
def decoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[JpegKernels]:
    """As it is, and with files of more than a few bytes shared between blocks of threads, as large ones are."""
    import cupy

    monkeypatch.setattr(gpu_decoder, "SEGMENT", request.param)
    opened = JpegKernels(0, cupy.cuda.alloc)
    yield opened
    opened.close()


def asked(
    files: Sequence[Array], output: str, windows: Sequence[Any] | None, *, repeated: bool = True,
    rule: Callable[[ImageInfo], bool] = takes,
) -> Array:  # fmt: skip
    """Requests for files; their targets are said elsewhere."""
    requests = np.zeros((len(files), libjpeg.FIELDS), np.int64)
    requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE] = addresses_of(files), [len(file) for file in files]
    infos = [jpeg.parse_header(file) for file in files]
    assert all(rule(info) for info in infos)
    sides = [(info.height, info.width) for info in infos]
    requests[:, [libjpeg.HEIGHT, libjpeg.WIDTH]] = sides
    requests[:, [libjpeg.COLORS, libjpeg.CHANNELS]] = libjpeg.COLOR_SPACES[output], 1 if output == "GRAY" else 3
    requests[:, libjpeg.REPEAT_CHROMA] = repeated
    requests[:, libjpeg.FIRST_ROW : libjpeg.COLUMNS + 1] = windows or [(0, 0, *side) for side in sides]
    return requests


class Slab:
    """Device memory for the pixels of requests, filled with a value that tells what was written."""

    def __init__(self, requests: Array, shift: int = 0, padding: int = 0) -> None:
        import cupy

        self._requests = requests
        self._pitches = requests[:, libjpeg.COLUMNS] * requests[:, libjpeg.CHANNELS] + padding
        self._offsets = 64 + np.cumsum([shift, *(requests[:, libjpeg.ROWS] * self._pitches + 7)])
        filled = np.full(int(self._offsets[-1]) + 64, GUARD, np.uint8)
        memory = cupy.cuda.alloc(filled.size)
        memory.copy_from_host_async(ctypes.c_void_p(filled.ctypes.data), filled.size)
        cupy.cuda.Device().synchronize()
        self._memory = cupy.ndarray(filled.shape, filled.dtype, memory)
        self.places = np.stack([memory.ptr + self._offsets[:-1], self._pitches], axis=1)

    def pictures(self) -> list[Array]:
        """What was written, and nothing around it."""
        host = self._memory.get()
        around = np.ones(host.size, bool)
        found: list[Array] = []
        for request, pitch, offset in zip(self._requests, self._pitches, self._offsets, strict=False):
            h, w, c = request[[libjpeg.ROWS, libjpeg.COLUMNS, libjpeg.CHANNELS]].tolist()
            rows = slice(int(offset), int(offset + h * pitch))
            around[rows].reshape(h, -1)[:, : w * c] = False
            found.append(host[rows].reshape(h, -1)[:, : w * c].reshape(h, w, c))
        assert (host[around] == GUARD).all(), "pixels were written outside the targets"
        return found


def on_gpu(
    decoder: JpegKernels, files: Sequence[Array], output: str = "RGB", *, windows: Sequence[Any] | None = None,
    shift: int = 0, padding: int = 0, repeated: bool = True,
) -> tuple[list[Array], Array]:  # fmt: skip
    """Decode into one slab, check that nothing around the pixels was written, and return pictures and flags.

    Files that go up from where they lie have the same pixels as those that are copied before.
    """
    ways: list[tuple[list[Array], Array]] = []
    for whole in (False, True):
        given = side_by_side(files) if whole else files
        requests = asked(given, output, windows, repeated=repeated)
        slab, done = Slab(requests, shift, padding), np.zeros(len(files), bool)
        done[decoder.decode(requests, slab.places, 0, len(files), whole=whole)] = True
        found = slab.pictures()
        assert all((pixels == GUARD).all() for pixels, there in zip(found, done, strict=True) if not there)
        ways.append((found, done))
    (found, done), (other, other_done) = ways
    assert done.tolist() == other_done.tolist() and all(map(np.array_equal, found, other))
    return found, done


def side_by_side(files: Sequence[Array]) -> list[Array]:
    """Files in one piece of page-locked memory, with bytes between them that mean something in a file."""
    import cupy

    starts = np.cumsum([1, *(len(file) + k % 5 for k, file in enumerate(files))]).tolist()
    memory = np.frombuffer(cupy.cuda.alloc_pinned_memory(starts[-1]), np.uint8, starts[-1])
    memory[:] = 0xFF
    placed = [memory[start : start + len(file)] for start, file in zip(starts, files, strict=False)]
    for place, file in zip(placed, files, strict=True):
        place[:] = file
    return placed


@pytest.mark.parametrize("repeated", [True, False], ids=["repeated chroma", "interpolated chroma"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_the_pixels_are_those_of_the_cpu(decoder: JpegKernels, sampling: str, repeated: bool) -> None:
    files = [coded(picture(h, w), sampling, 40 + 2 * k) for k, (h, w) in enumerate(SIZES)]
    for output, shift, padding in (("RGB", 0, 0), ("BGR", 1, 0), ("GRAY", 3, 0), ("RGB", 6, 5), ("GRAY", 0, 2)):
        pictures, done = on_gpu(decoder, files, output, shift=shift, padding=padding, repeated=repeated)
        assert done.all()
        for file, got in zip(files, pictures, strict=True):
            assert np.array_equal(got, on_cpu(file, output, repeated=repeated))


def test_files_go_up_from_where_they_lie_in_any_order(decoder: JpegKernels) -> None:
    files = [coded(picture(20 + k, 60 - k, seed=k), SAMPLINGS[k % 5]) for k in range(12)]
    placed = side_by_side(files)
    for order in ([*range(1, 12), 0], [*range(11, -1, -1)], [3, 3, 1, 2, 2, 8, 0]):
        requests = asked([placed[k] for k in order], "RGB", None)
        slab = Slab(requests)
        assert decoder.decode(requests, slab.places, 0, len(order), whole=True).tolist() == [*range(len(order))]
        for k, got in zip(order, slab.pictures(), strict=True):
            assert np.array_equal(got, on_cpu(files[k]))


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_so_are_those_of_noise_in_all_qualities(decoder: JpegKernels, sampling: str) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (40, 51, 3), np.uint8)
    harsh = np.where(noise > 127, 255, 0).astype(np.uint8)
    files = [coded(image, sampling, quality) for quality in (1, 5, 25, 50, 75, 98, 100) for image in (noise, harsh)]
    pictures, done = on_gpu(decoder, files)
    assert done.all()
    for file, got in zip(files, pictures, strict=True):
        assert np.array_equal(got, on_cpu(file))


@pytest.mark.parametrize("sampling", range(3))
def test_so_are_those_of_unusual_files(decoder: JpegKernels, sampling: int) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (60, 81, 3), np.uint8)
    options = (
        {"restart_marker_blocks": 1}, {"restart_marker_blocks": 7}, {"restart_marker_rows": 1}, {"optimize": True},
        {"comment": b"x" * 60000}, {"icc_profile": b"x" * 70000}, {"restart_marker_blocks": 60000},
    )  # fmt: skip
    files = [encoded(image, subsampling=sampling, **o) for o in options for image in (picture(60, 81), noise)]
    pictures, done = on_gpu(decoder, files)
    assert done.all()
    for file, got in zip(files, pictures, strict=True):
        assert np.array_equal(got, on_cpu(file))


DC_SYMBOLS = list(range(12))
AC_SYMBOLS = [0, 0xF0, *(run << 4 | size for size in range(1, 11) for run in range(16))]


def codes(lengths: Sequence[int], symbols: Sequence[int]) -> bytes:
    return bytes(list(lengths).count(n) for n in range(1, 17)) + bytes(symbols)


def any_lengths(generator: np.random.Generator, count: int) -> list[int]:
    """Of so many codes: leaves of a tree that grows somewhere; the last one would be all ones."""
    leaves = [0]
    while len(leaves) <= count:
        chosen = int(generator.choice(np.flatnonzero(np.array(leaves) < 16)))
        leaves += [leaves.pop(chosen) + 1] * 2
    return sorted(leaves)[:count]


#: Lengths of the codes of DC and AC. Tables are looked up by ten bits, further ones by how far 16 bits are behind those.
CODES = {
    "16 bits": ([16] * 12, [16] * 162),
    "11 bits": ([11] * 12, [11] * 162),
    "10 bits": ([10] * 12, [10] * 162),
    "short ones, of which ten bits show several": ([2, 2, 2, *[6] * 9], [1, 3, 3, 4, *[16] * 158]),
    "ones first": ([*range(1, 9), *[16] * 4], [*range(1, 9), *[16] * 154]),
    "ones first, ten bits": ([*range(1, 11), 16, 16], [*range(1, 9), 10, 11, *[16] * 152]),
}  # fmt: skip


@pytest.mark.parametrize("sampling", ["420", "444", "Gray"])
def test_so_are_those_of_any_codes(decoder: JpegKernels, sampling: str) -> None:
    generator = np.random.default_rng(8)
    tables = [(codes(dc, DC_SYMBOLS), codes(ac, AC_SYMBOLS)) for dc, ac in CODES.values()]
    for _ in range(6):
        dc, ac = (codes(any_lengths(generator, len(s)), generator.permutation(s).tolist()) for s in (DC_SYMBOLS, AC_SYMBOLS))
        tables.append((dc, ac))
    noise = generator.integers(0, 256, (40, 51, 3), np.uint8)
    originals = [bytes(coded(picture(60, 81), sampling)), bytes(coded(noise, sampling, 97)), bytes(coded(noise, sampling, 30))]
    wanted = [on_cpu(np.frombuffer(file, np.uint8)) for file in originals]
    files = [np.frombuffer(recoded(file, *one), np.uint8) for one in tables for file in originals]
    # one code for all blocks, which are flat
    flat = bytes(coded(np.full((40, 51, 3), 128, np.uint8), sampling))
    files += [np.frombuffer(recoded(flat, codes([a], [0]), codes([b], [0])), np.uint8) for a in (1, 10, 16) for b in (1, 11, 16)]
    wanted = wanted * len(tables) + [on_cpu(np.frombuffer(flat, np.uint8))] * 9
    pictures, done = on_gpu(decoder, files)
    assert done.all()
    for file, got, expected in zip(files, pictures, wanted, strict=True):
        assert np.array_equal(on_cpu(file), expected) and np.array_equal(got, expected)


@pytest.mark.parametrize("output", ["RGB", "GRAY"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_a_window_is_the_part_of_the_whole(decoder: JpegKernels, sampling: str, output: str) -> None:
    windows, file = windows_of(53, 71, 18), coded(picture(53, 71), sampling)
    for repeated in (True, False):
        whole = on_cpu(file, output, repeated=repeated)
        pictures, done = on_gpu(decoder, [file] * len(windows), output, windows=windows, shift=3, repeated=repeated)
        assert done.all()
        for (y, x, rows, columns), got in zip(windows, pictures, strict=True):
            assert np.array_equal(got, whole[y : y + rows, x : x + columns]), (y, x, rows, columns)


def test_a_file_with_many_parts_is_right_and_equal_runs_give_equal_bytes(
    decoder: JpegKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part of the stream is longer than the least, and some parts begin in the middle of a code."""
    noise = np.random.default_rng(7).integers(0, 256, (300, 410, 3), np.uint8)
    files = [coded(noise, "444", 97), coded(picture(300, 410), "420", 95), coded(noise, "420", 90)]
    restarts: dict[str, Any] = {"quality": 97, "subsampling": 0, "restart_marker_blocks": 3}
    files.append(encoded(noise, **restarts))
    assert len(files[0]) > 64 * gpu_decoder.PARTS
    if len(files[0]) > gpu_decoder.SEGMENT:
        monkeypatch.setattr(gpu_decoder, "SEGMENT", 20_000)  # in which there are parts for all threads
    for y, x, h, w in ((0, 0, 300, 410), (0, 0, 300, 410), (131, 37, 50, 200), (250, 0, 50, 9)):
        pictures, done = on_gpu(decoder, files, windows=[(y, x, h, w)] * len(files))
        assert done.all()
        for got, file in zip(pictures, files, strict=True):
            assert np.array_equal(got, on_cpu(file)[y : y + h, x : x + w])


def test_short_memory_makes_several_launches_and_leaves_out_what_is_too_large(
    decoder: JpegKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_decoder, "SEGMENT", 1 << 20)
    files = [coded(picture(20 + k, 60 - k, seed=k), SAMPLINGS[k % 5]) for k in range(10)]
    files.insert(4, coded(picture(120, 150), "444"))
    sizes: list[int] = []
    allocate = decoder._allocate
    monkeypatch.setattr(decoder, "_allocate", lambda size: sizes.append(size) or allocate(size))
    monkeypatch.setattr(decoder, "_most", 40_000)
    pictures, done = on_gpu(decoder, files)
    assert np.flatnonzero(~done).tolist() == [4]
    assert len(sizes) > 2 and max(sizes) < 50_000
    for k in np.flatnonzero(done):
        assert np.array_equal(pictures[k], on_cpu(files[k]))


@pytest.mark.parametrize("limit", [120_000, 30_000])
def test_it_makes_do_with_the_memory_that_there_is(
    decoder: JpegKernels, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    class OutOfMemoryError(Exception):
        """As CuPy's."""

    def allocate(size: int) -> Any:
        if size > limit:
            raise OutOfMemoryError
        return given(size)

    monkeypatch.setattr(gpu_decoder, "SEGMENT", 1 << 20)
    given, files = decoder._allocate, [coded(picture(60, 90, seed=k)) for k in range(6)]
    monkeypatch.setattr(decoder, "_allocate", allocate)
    monkeypatch.setattr(decoder, "_most", 1_600_000)
    monkeypatch.setattr(gpu_decoder, "MIN_MEMORY", 100_000)
    if limit < gpu_decoder.MIN_MEMORY:
        with pytest.raises(OutOfMemoryError):
            on_gpu(decoder, files)
    else:
        pictures, done = on_gpu(decoder, files)
        assert done.all() and all(np.array_equal(got, on_cpu(f)) for got, f in zip(pictures, files, strict=True))


def test_a_turn_leaves_what_others_took_and_what_is_damaged(
    decoder: JpegKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    import cupy

    monkeypatch.setattr(gpu_decoder, "MIN_GROUP", 6)
    files = [coded(picture(20 + k, 60 - k, seed=k), SAMPLINGS[k % 5]) for k in range(30)]
    for k in (3, 20):
        files[k] = np.delete(files[k], range(len(files[k]) - 40, len(files[k]) - 2))
    files, windows = side_by_side(files), [(5, 5, 10 + k, 40 - k) for k in range(30)]
    requests = asked(files, "RGB", windows)
    slab, job = Slab(requests), DecodeBatch(30, 26, requests)
    assert {job.take() for _ in range(7)} == set(range(23, 30))
    event = cupy.cuda.Event()
    event.record()
    submitted = decoder.take_groups(
        job.queue, requests, slab.places, job.outcomes, files=files, after=event, whole=True
    )
    done = decoder.wait(submitted)
    assert set(np.flatnonzero(done)) == set(range(23)) - {3, 20}
    assert np.flatnonzero(job.outcomes == BY_KERNELS).tolist() == np.flatnonzero(done).tolist()
    assert submitted.milliseconds > 0 and job.take() == -1
    for k, got in enumerate(slab.pictures()):
        y, x, h, w = windows[k]
        expected = on_cpu(files[k])[y : y + h, x : x + w] if done[k] else GUARD
        assert (got == expected).all()


# -------------------------------------------------------------------------------------------------- progressive files


def by_coefficients(
    files: Sequence[Array], output: str = "RGB", *, windows: Sequence[Any] | None = None, repeated: bool = True,
    most: int = gpu_decoder.MAX_MEMORY,
) -> list[Array]:  # fmt: skip
    """Decode with a thread for the coefficients, and check that nothing around the pixels was written."""
    requests = asked(files, output, windows, repeated=repeated, rule=takes_coefficients)
    slab, stream = Slab(requests, shift=3, padding=2), GpuStream(0)
    starts, size = shared_out(np.array([coefficient_room(jpeg.parse_header(file)) for file in files]))
    with stream.use(stream.begin()):
        start = stream.pinned(size).ctypes.data
        rooms = np.stack([starts + start, np.diff(starts, append=size)], axis=1)
        batch = DecodeBatch(len(files), 0, requests, rooms=rooms)
        batch.finish(lambda: False)
        assert (batch.outcomes == COEFFICIENTS).all()
        kernels = CoefficientKernels(stream)
        kernels._most = most
        kernels.draw(rooms, slab.places, lambda size: nullcontext(), nullcontext)
        stream.filled()
        stream.synchronize()
    return slab.pictures()


@pytest.mark.parametrize("repeated", [True, False], ids=["repeated chroma", "interpolated chroma"])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_progressive_files_have_the_pixels_of_the_cpu(sampling: str, repeated: bool) -> None:
    files = [
        np.frombuffer(progressive(bytes(coded(picture(h, w), sampling, 40 + 2 * k)), SCANS[sampling == "Gray"]), np.uint8)
        for k, (h, w) in enumerate(SIZES)
    ]
    for output in ("RGB", "BGR", "GRAY"):
        for file, got in zip(files, by_coefficients(files, output, repeated=repeated), strict=True):
            assert np.array_equal(got, on_cpu(file, output, repeated=repeated))


@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_so_have_their_windows_in_several_launches(subsampling: int) -> None:
    windows = windows_of(53, 71, 18)
    files = [encoded(picture(53, 71, seed=k), subsampling=subsampling, progressive=True) for k in range(len(windows))]
    for repeated in (True, False):
        pictures = by_coefficients(files, windows=windows, repeated=repeated, most=100_000)
        for file, (y, x, rows, columns), got in zip(files, windows, pictures, strict=True):
            assert np.array_equal(got, on_cpu(file, repeated=repeated)[y : y + rows, x : x + columns]), (y, x, rows, columns)


# ------------------------------------------------------------------------------------------------------ damaged files

SOI, SOF, DHT, DQT, DRI, SOS = 0xD8, 0xC0, 0xC4, 0xDB, 0xDD, 0xDA
GOOD, MARKED = (bytes(encoded(picture(60, 45), subsampling=0, **o)) for o in ({}, {"restart_marker_blocks": 5}))
END = b"\xff\xd9"


def segment(file: bytes, marker: int) -> tuple[int, int]:
    """Where the first segment of a kind begins and ends."""
    begin = file.index(bytes([0xFF, marker]))
    return begin, begin + 2 + int.from_bytes(file[begin + 2 : begin + 4], "big")


def without(file: bytes, marker: int) -> bytes:
    begin, end = segment(file, marker)
    return file[:begin] + file[end:]


def changed(file: bytes, marker: int, offset: int, value: bytes) -> bytes:
    """The file with some bytes of a segment changed, counted from its marker."""
    at = segment(file, marker)[0] + offset
    assert file[at : at + len(value)] != value
    return file[:at] + value + file[at + len(value) :]


def resized(file: bytes, height: int) -> bytes:
    return changed(file, SOF, 5, height.to_bytes(2, "big"))


_DATA = segment(GOOD, SOS)[1]
_MIDDLE = (_DATA + len(GOOD)) // 2
_SECOND = MARKED.index(b"\xff\xd1")
_NOISE = bytes(encoded(np.random.default_rng(2).integers(0, 256, (60, 45, 3), np.uint8)))
_STUFFED = _NOISE.index(b"\xff\0", segment(_NOISE, SOS)[1])
DAMAGED = {
    "0xFF twice": _NOISE[:_STUFFED] + b"\xff" + _NOISE[_STUFFED:],
    "cut off": GOOD[:_MIDDLE] + END,
    "cut off near the end": GOOD[:-4] + END,
    "no data": GOOD[:_DATA] + END,
    "the end marker belongs to the header": GOOD[: _DATA - 2] + END,
    "an end marker in the middle": GOOD[:_MIDDLE] + END + GOOD[_MIDDLE:],
    "another marker in the middle": GOOD[:_MIDDLE] + b"\xff\xc4" + GOOD[_MIDDLE:],
    "a restart marker where none belongs": GOOD[:_MIDDLE] + b"\xff\xd0" + GOOD[_MIDDLE:],
    "a restart marker behind the data": MARKED[:-2] + b"\xff\xd7" + END,
    "restart markers in wrong order": MARKED[:_SECOND] + b"\xff\xd2" + MARKED[_SECOND + 2 :],
    "a restart marker is missing": MARKED[:_SECOND] + MARKED[_SECOND + 2 :],
    "bytes before a restart marker": MARKED[:_SECOND] + b"\x55\x55" + MARKED[_SECOND:],
    "a lost byte before a restart marker": MARKED[: _SECOND - 6] + MARKED[_SECOND - 5 :],
    "a shorter interval": changed(MARKED, DRI, 4, b"\0\4"),
    "a longer interval": changed(MARKED, DRI, 4, b"\0\6"),
    "no interval": changed(MARKED, DRI, 4, b"\0\0"),
    "bytes behind the data": GOOD[:-2] + b"\x55\x55" + END,
    "too few blocks": resized(GOOD, 68),
    "too many blocks": resized(GOOD, 50),
    "codes that overflow": changed(GOOD, DHT, 5, b"\7" * 16),
    "a code of ones": changed(GOOD, DHT, 5, bytes([2, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0])),
    "no codes": changed(GOOD, DHT, 5, bytes(15) + b"\x0c"),
    "no table of codes": without(GOOD, DHT),
    "no quantisation": without(GOOD, DQT),
    "a quantisation table that nobody defined": changed(GOOD, SOF, 12, b"\3"),
    "two frames": GOOD[: segment(GOOD, SOF)[0]] + GOOD[slice(*segment(GOOD, SOF))] + GOOD[segment(GOOD, SOF)[0] :],
    "bits that are left out": changed(GOOD, SOS, 13, b"\1"),
    "fewer coefficients": changed(GOOD, SOS, 12, b"\x3e"),
    "components in another order": changed(GOOD, SOS, 5, b"\2"),
    "a longer scan header": changed(GOOD, SOS, 3, b"\x0e"),
}  # fmt: skip


def by_hand(block: str) -> Array:
    """A grey file of 72 equal blocks: 0, then 13 bits, is a difference; 0 ends a block, 10 and 110 come before 13 bits."""
    bits = block * 72
    bits += "1" * (-len(bits) % 8)
    data = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    tables = b"\xff\xdb\0\x43\0" + b"\1" * 64 + b"\xff\xc4\0\x14\0\1" + bytes(15) + b"\x0d"
    tables += b"\xff\xc4\0\x16\x10\1\1\1" + bytes(13) + b"\0\x0d\x1d"
    frame, scan = b"\xff\xc0\0\x0b\x08\0\x48\0\x40\1\1\x11\0", b"\xff\xda\0\x08\1\1\0\0\x3f\0"
    return np.frombuffer(b"\xff\xd8" + tables + frame + scan + data + END, np.uint8)


def test_values_beyond_all_bounds_come_out_as_from_the_cpu(decoder: JpegKernels) -> None:
    files = [by_hand("0" + d * 13 + a + "0") for d in "01" for a in ("", "10" + "1" * 13, "110" + "0" * 13)]
    pictures, done = on_gpu(decoder, files)
    assert done.all()
    for file, got in zip(files, pictures, strict=True):
        assert np.array_equal(got, on_cpu(file))


def test_what_is_damaged_is_told_and_spoils_nothing_else(decoder: JpegKernels) -> None:
    intact = np.frombuffer(GOOD, np.uint8), np.frombuffer(MARKED, np.uint8)
    files = [one for k, bad in enumerate(DAMAGED.values()) for one in (np.frombuffer(bad, np.uint8), intact[k % 2])]
    pictures, done = on_gpu(decoder, files)
    assert [name for name, there in zip(DAMAGED, done[::2], strict=True) if there] == []
    assert done[1::2].all()
    for file, got in zip(files[1::2], pictures[1::2], strict=True):
        assert np.array_equal(got, on_cpu(file))


@pytest.mark.parametrize("file", [GOOD, MARKED], ids=["plain", "restarts"])
def test_changed_bits_give_the_pixels_of_the_cpu_or_none(decoder: JpegKernels, file: bytes) -> None:
    generator = np.random.default_rng(11)
    files: list[Array] = []
    for _ in range(60):
        bad = np.frombuffer(file, np.uint8).copy()
        place = generator.integers(segment(file, SOS)[1], len(file) - 2, 2)
        bad[place] ^= np.uint8(1) << generator.integers(0, 8, 2).astype(np.uint8)
        files.append(bad)
    pictures, done = on_gpu(decoder, files)
    assert not done.all()
    for k in np.flatnonzero(done):
        assert np.array_equal(pictures[k], on_cpu(files[k]))

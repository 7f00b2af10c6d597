"""Coefficients of progressive files: those of the same picture in a baseline file, and no harm from damaged files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.jpeg import coefficients
from dali_studio.kernels.jpeg.gpu_rule import coefficient_room, takes_coefficients
from dali_studio.kernels.jpeg.header import parse_header
from dali_studio.kernels.jpeg.scan import PICTURE
from tests.images import coded, encoded, picture
from tests.jpeg_scans import ZIGZAG, Array, Scan, baseline, progressive, segments

_HEAD, _GUARD = 1664, 0xAB
SIZES = ((1, 1), (17, 33), (8, 8), (3, 50), (41, 23))
ALL = (0, 1, 2)
WHOLE = (Scan(ALL, 0, 0, 0, 0), *(Scan((c,), 1, 63, 0, 0) for c in ALL))
#: Of colour files; those of grey ones are the scans of the first component.
SCRIPTS = {
    "without refinement": WHOLE,
    "each component alone": tuple(Scan((c,), *band, 0, 0) for c in ALL for band in ((0, 0), (1, 63))),
    "chroma together": (Scan((0,), 0, 0, 0, 1), Scan((1, 2), 0, 0, 0, 1), Scan(ALL, 0, 0, 1, 0), *WHOLE[1:]),
    "libjpeg": (
        Scan(ALL, 0, 0, 0, 1), Scan((0,), 1, 5, 0, 2), Scan((2,), 1, 63, 0, 1), Scan((1,), 1, 63, 0, 1), Scan((0,), 6, 63, 0, 2),
        Scan((0,), 1, 63, 2, 1), Scan(ALL, 0, 0, 1, 0), *(Scan((c,), 1, 63, 1, 0) for c in (2, 1, 0)),
    ),
    "mozjpeg": (
        Scan((0,), 0, 0, 0, 0), Scan((1, 2), 0, 0, 0, 0), Scan((0,), 1, 8, 0, 2), Scan((1,), 1, 8, 0, 0), Scan((2,), 1, 8, 0, 0),
        Scan((0,), 9, 63, 0, 2), Scan((0,), 1, 63, 2, 1), Scan((0,), 1, 63, 1, 0), Scan((1,), 9, 63, 0, 0), Scan((2,), 9, 63, 0, 0),
    ),
    "many bands and bits": tuple(
        Scan((c,), *band, low + 1 if low < 3 else 0, low)
        for low in (3, 2, 1, 0) for c in ALL for band in ((0, 0), (1, 2), (3, 40), (41, 63))
    ),
    "restarts": (
        Scan(ALL, 0, 0, 0, 1, 2), *(Scan((c,), 1, 63, 0, 2, 3) for c in ALL), Scan(ALL, 0, 0, 1, 0, 1),
        *(Scan((c,), 1, 63, low + 1, low, 5 - low) for low in (1, 0) for c in ALL),
    ),
}  # fmt: skip


def decoded(file: bytes | Array, size: tuple[int, int] | None = None, room: int | None = None) -> tuple[Any, Array] | None:
    """What kernels are told of the picture, and its coefficients, in rows; ``None`` if the file is left to libjpeg."""
    data = np.frombuffer(bytes(file), np.uint8).copy()
    if size is None or room is None:
        info = parse_header(data)
        size, room = size or (info.height, info.width), coefficient_room(info) if room is None else room
    memory = np.full(room + 256, _GUARD, np.uint8).view(np.int64)
    inside = memory[16 : 16 + room // 8]
    found = kernel("jpeg_coefficients")(data, *size, inside)
    around = np.concatenate([memory[:16], memory[16 + room // 8 :]]).view(np.uint8)
    assert (around == _GUARD).all()
    if not found:
        return None
    told = inside.view(np.uint8)[: PICTURE.itemsize].view(PICTURE)[0]
    return told, inside.view(np.int16)[_HEAD // 2 :][: 64 * int(told["blocks"])].reshape(-1, 64)


def check(file: bytes | Array, plain: bytes | Array) -> None:
    """The coefficients of blocks that have pixels are those of a baseline file; others have none but for DC."""
    assert takes_coefficients(parse_header(file))
    frame, expected = baseline(bytes(plain))
    got = decoded(file)
    assert got is not None and len(got[1]) == len(expected)
    shown = np.zeros(len(expected), bool)
    shown[[block for c in range(frame.components) for blocks, _ in frame.order((c,)) for block, _ in blocks]] = True
    assert np.array_equal(got[1][shown], expected[shown]) and not got[1][~shown, 1:].any()


@pytest.mark.parametrize("subsampling", [0, 1, 2, "gray"])
def test_coefficients_are_those_of_the_baseline_file(subsampling: Any) -> None:
    generator = np.random.default_rng(3)
    for number, (h, w) in enumerate(SIZES):
        noisy = np.clip(picture(h, w) + generator.normal(0, 8 * number, (h, w, 3)), 0, 255).astype(np.uint8)
        image, options = (noisy[..., :1], {}) if subsampling == "gray" else (noisy, {"subsampling": subsampling})
        for more in ({"quality": 95}, {"quality": 20}, {"quality": 100, "restart_marker_blocks": 3}):
            plain, file = (encoded(image, progressive=p, **options, **more) for p in (False, True))
            check(file, plain)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("sampling", ["444", "422", "420", "440", "Gray"])
def test_any_order_of_scans(sampling: str, script: str) -> None:
    generator = np.random.default_rng(4)
    scans = [s for s in SCRIPTS[script] if sampling != "Gray" or s.components[0] == 0]
    if sampling == "Gray":
        scans = [Scan((0,), *(getattr(s, name) for name in ("first", "last", "high", "low", "interval"))) for s in scans]
    for (h, w), noise in zip(((1, 1), (19, 37), (37, 20)), (0, 20, 5), strict=True):
        image = np.clip(picture(h, w) + generator.normal(0, noise, (h, w, 3)), 0, 255).astype(np.uint8)
        plain = bytes(coded(image, sampling, 90))
        check(progressive(plain, scans), plain)


def test_geometry_and_tables() -> None:
    file = encoded(picture(50, 70), subsampling=2, progressive=True, quality=60)
    got = decoded(file)
    assert got is not None
    told = got[0]
    assert [told[name] for name in ("components", "h", "v", "columns_of_units", "units", "blocks")] == [3, 2, 2, 5, 20, 120]
    tables = {body[0]: body[1:] for marker, body, _ in segments(bytes(file)) if marker == 0xDB}
    made = np.zeros((2, 64), int)
    for which, values in tables.items():
        made[which, ZIGZAG] = list(values)
    assert told["quant"].tolist() == made[[0, 1, 1]].tolist()


# ------------------------------------------------------------------------------------------------------ damaged files

GOOD = bytes(encoded(picture(60, 45), subsampling=2, progressive=True))
PLAIN = bytes(coded(picture(60, 45), "420"))
END = b"\xff\xd9"


#: Size of these pictures, and room for their coefficients.
FITS = (60, 45), coefficient_room(parse_header(GOOD))


def of(*scans: Scan) -> bytes:
    return progressive(PLAIN, scans)


_DC, _Y, _CB, _CR = WHOLE
_SECOND = GOOD.index(b"\xff\xda", GOOD.index(b"\xff\xda") + 2)
DAMAGED = {
    "cut off": GOOD[: len(GOOD) // 2] + END,
    "no scan": GOOD[: GOOD.index(b"\xff\xda")] + END,
    "cut off behind a scan": GOOD[: GOOD.index(b"\xff\xc4", _SECOND)] + END,
    "no end": GOOD[:-2],
    "bytes behind a scan": GOOD[:-2] + b"\x55" + END,
    "a restart marker where none belongs": GOOD[: _SECOND - 30] + b"\xff\xd0" + GOOD[_SECOND - 30 :],
    "no codes": GOOD.replace(b"\xff\xc4", b"\xff\xfe"),
    "no quantisation": GOOD.replace(b"\xff\xdb", b"\xff\xfe"),
    "other tables later": of(_DC, _Y, _CB, _CR)[:-2] + GOOD[slice(GOOD.index(b"\xff\xdb"), GOOD.index(b"\xff\xc2"))] + END,
    "a component is missing": of(_DC, _Y, _CB),
    "a coefficient is missing": of(_DC, Scan((0,), 1, 62, 0, 0), _CB, _CR),
    "a bit is missing": of(_DC, Scan((0,), 1, 63, 0, 1), _CB, _CR),
    "a bit of DC is missing": of(Scan(ALL, 0, 0, 0, 1), _Y, _CB, _CR),
    "a component twice": of(*WHOLE, _Y),
    "AC before DC": of(_Y, _DC, _CB, _CR),
    "a bit twice": of(_DC, Scan((0,), 1, 63, 0, 1), *[Scan((0,), 1, 63, 1, 0)] * 2, _CB, _CR),
    "a bit too early": of(_DC, Scan((0,), 1, 63, 0, 2), Scan((0,), 1, 63, 1, 0), _CB, _CR),
    "two bits at once": of(_DC, Scan((0,), 1, 63, 0, 2), Scan((0,), 1, 63, 2, 0), _CB, _CR),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGED)
def test_what_is_damaged_or_incomplete_is_left_to_libjpeg(what: str) -> None:
    assert DAMAGED[what] != GOOD and decoded(DAMAGED[what], *FITS) is None


def test_another_size_or_too_little_room_is_refused() -> None:
    needed = FITS[1]
    assert decoded(GOOD) is not None and decoded(GOOD, (60, 46)) is None and decoded(GOOD, (61, 45)) is None
    assert decoded(GOOD, room=needed - 128) is None and decoded(GOOD, room=0) is None and decoded(GOOD, room=_HEAD) is None


def test_whatever_bytes_change_nothing_is_written_outside_the_room() -> None:
    generator = np.random.default_rng(8)
    files = [GOOD, *(of(*script) for script in SCRIPTS.values())]
    outcomes: list[bool] = []
    for k in range(2000):
        file = bytearray(files[k % len(files)])
        for _ in range(int(generator.integers(1, 5))):
            file[int(generator.integers(2, len(file) if k % 3 else 700))] = int(generator.integers(256))
        outcomes.append(decoded(bytes(file), *FITS) is not None)
    assert any(outcomes) and not all(outcomes)


def test_rooms_beyond_the_limit_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coefficients, "MAX_ROOM", 1000)
    starts, size = coefficients.shared_out(np.array([0, 128, 0, 512, 384, 0, 128]))
    assert starts.tolist() == [-1, 0, -1, 128, -1, -1, -1] and size == 640
    assert coefficients.shared_out(np.zeros(3, np.int64))[1] == 0

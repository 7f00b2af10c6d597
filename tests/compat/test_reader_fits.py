"""``fn.experimental.readers.fits`` against nvidia.dali: scaled numbers, units, damaged files, `on_error`."""

from __future__ import annotations

import base64
import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from peers import OURS, THEIRS, assert_equal, check, check_refused, refused, run

from dali_studio import Pipeline, fn
from dali_studio.schema.fits_samples import compressed, unit

pytestmark = pytest.mark.usefixtures("nvidia")

READ = "fn.experimental.readers.fits(files=files)"
NUMBERS = np.arange(0, 250, 10).reshape(5, 5)
PRIMARY = unit(np.zeros((2, 3), np.uint8), first=True)
SCALES = [
    {"BSCALE": 2}, {"BZERO": 5}, {"BSCALE": 2.5}, {"BSCALE": "5D-1", "BZERO": 1}, {"BZERO": -128}, {"BZERO": 32768},
    {"BZERO": 2147483648}, {"BZERO": "1E30"}, {"BSCALE": -1}, {"BSCALE": 100000}, {"BLANK": 30}, {"BSCALE": 0},
    {"BZERO": 9223372036854775808},
]  # fmt: skip


def write(folder: Path, *contents: bytes) -> list[str]:
    for number, content in enumerate(contents):
        (folder / f"{number}.fits").write_bytes(content)
    return [str(folder / f"{number}.fits") for number in range(len(contents))]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "float32", "float64"])
@pytest.mark.parametrize("cards", SCALES, ids=str)
def test_scaled_numbers_and_their_types(dtype: str, cards: dict[str, object], tmp_path: Path) -> None:
    files = write(tmp_path, PRIMARY + unit((NUMBERS - (dtype != "uint8") * 100).astype(dtype), cards))
    check(READ, names={"files": files}, batch_size=1, iterations=1)


@pytest.mark.parametrize("cards", [cards for cards in SCALES if not cards.keys() & {"BLANK"} and cards != {"BZERO": "1E30"}], ids=str)
def test_scaled_numbers_of_64_bits(cards: dict[str, object], tmp_path: Path) -> None:
    """In nvidia.dali, what BLANK stands for is a number that it has never set."""
    lowest = -(2**63) if cards.get("BZERO") == 2**63 else -100
    files = write(tmp_path, PRIMARY + unit(NUMBERS + lowest, cards))
    check(READ, names={"files": files}, batch_size=1, iterations=1)


def test_numbers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    for cards in ({"BZERO": "1E30"}, {"BZERO": 9223372036854775808}):
        files = write(tmp_path, PRIMARY + unit(NUMBERS, cards))
        check_refused(READ, codes="DS301", names={"files": files}, batch_size=1)


@pytest.mark.parametrize("shape", [(7,), (2, 3, 4), (1, 1, 1, 1), (0, 3)])
def test_shapes_behind_units_of_other_kinds(shape: tuple[int, ...], tmp_path: Path) -> None:
    table = unit(np.zeros((3, 8), np.uint8), {"XTENSION": "'BINTABLE'", "TFIELDS": 1, "TFORM1": "'8B'", "PCOUNT": 3000})
    table += bytes(2880)
    empty = unit(np.float32(0).reshape(()), {"NAXIS": 0}, first=True)[:2880]
    image = unit(np.random.default_rng(1).normal(size=shape).astype(np.float32))
    files = write(tmp_path, empty + table + image)
    check("fn.experimental.readers.fits(files=files, hdu_indices=[3])", names={"files": files}, batch_size=1, iterations=1)
    for number, says in ((1, "no image"), (2, "is a table"), (4, "it has 3 units")):
        program = f"fn.experimental.readers.fits(files=files, hdu_indices=[{number}])"
        assert says in refused(program, names={"files": files}, batch_size=1)
        check_refused(program, codes="DS301", names={"files": files}, batch_size=1)


GOOD = PRIMARY + unit(NUMBERS.astype(np.int16))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no FITS file"),
        (b"garbage" * 1000, "no FITS file"),
        (GOOD[:-1], "ends before the data of unit 2"),
        (GOOD[:6000], "ends before the header of unit 2"),
        (GOOD[:5760], "it has 1 units"),
        (GOOD.replace(b"NAXIS1  ", b"NAXIS9  "), "'NAXIS9' where NAXIS1 belongs"),
        (PRIMARY + unit(NUMBERS.astype(np.int16), {"BITPIX": 17}), "BITPIX is 17"),
        (PRIMARY + unit(NUMBERS.astype(np.int16), {"NAXIS2": -5}), "the extents are (-5, 5)"),
        (PRIMARY + unit(NUMBERS.astype(np.int16), {"NAXIS2": 99999999}), "ends before the data of unit 2"),
        (PRIMARY + unit(NUMBERS.astype(np.int16), {"NAXIS": "'two'"}), "NAXIS is 'two'"),
        (PRIMARY + unit(NUMBERS.astype(np.int16), {"BSCALE": "'two'"}), "BSCALE is 'two'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damaged_files_are_refused_or_left_out(content: bytes, says: str, tmp_path: Path) -> None:
    files = write(tmp_path, GOOD, content, GOOD)
    assert says in refused(READ, codes="DS301", names={"files": files}, batch_size=3)
    pipeline = Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipeline:
        pipeline.set_outputs(fn.experimental.readers.fits(files=files, on_error="skip"))
    (images,) = pipeline.run()
    assert [np.asarray(images.at(i)).tolist() for i in range(2)] == [NUMBERS.tolist()] * 2
    (failed,) = (one for one in pipeline.failed_samples() if one.iteration == 0)  # others were computed ahead
    assert failed.sample == 1 and says in failed.message


@pytest.mark.parametrize(
    ("unit_", "name", "card"),
    [
        (0, "SIMPLE", "X"), (0, "SIMPLE", "TRUE"), (0, "SIMPLE", "'T'"), (0, "SIMPLE", "\f  T"), (1, "NAXIS1", ""), (1, "NAXIS1", "1 6"), (1, "NAXIS1", "'5'"),
        (1, "PCOUNT", "5"), (1, "PCOUNT", ""), (1, "GCOUNT", "0"), (1, "GCOUNT", "-1"), (1, "XTENSION", "'image'"), (1, "XTENSION", "'IMAGE"),
        (1, "EXTRA", "abc"), (1, "BSCALE", "abc"),
    ],
)  # fmt: skip
def test_odd_headers_are_read_or_refused_alike(unit_: int, name: str, card: str, tmp_path: Path) -> None:
    units = [PRIMARY, unit(NUMBERS.astype(np.int16), {"EXTRA": 1, "BSCALE": 1, "OTHER": 2})]
    content = units[unit_]
    place = content.index(name.ljust(8).encode())
    units[unit_] = content[:place] + f"{name:8}= {card:>20}".encode() + content[place + 30 :]
    files = write(tmp_path, b"".join(units))
    try:
        theirs = run(THEIRS, READ, names={"files": files}, batch_size=1)
    except RuntimeError:
        refused(READ, codes="DS301", names={"files": files}, batch_size=1)
    else:
        assert_equal(run(OURS, READ, names={"files": files}, batch_size=1)[0], theirs[0])


def test_headers_in_another_order_are_refused(tmp_path: Path) -> None:
    for number in (0, 1):
        units = [PRIMARY, unit(NUMBERS.astype(np.int16))]
        one = units[number]
        units[number] = one[:80] + one[160:240] + one[80:160] + one[240:]
        check_refused(READ, codes="DS301", names={"files": write(tmp_path, b"".join(units))}, batch_size=1)


TILES = {kind: PRIMARY + compressed(np.arange(40.0).reshape(5, 8), kind) for kind in ("rice", "gzip tiles", "plio", "rounded")}


@pytest.mark.parametrize(
    ("kind", "change", "says"),
    [
        ("rice", (b"'RICE_1'", b"'HCOM'"), "compressed by HCOM; RICE_ONE"),
        ("rice", (b"ZTILE2  =                    1", b"ZTILE2  =                   -1"), "tiles have the extents (-1, 8)"),
        ("rice", (b"ZNAXIS2 =                    5", b"ZNAXIS2 =                    6"), "does not have 6 rows of tiles"),
        ("rice", (b"'COMPRESSED_DATA'", b"'COMPRESSED_DATE'"), "does not have 5 rows of tiles"),
        ("rice", (b"ZVAL2   =                    2", b"ZVAL2   =                    3"), "its numbers have 3 bytes"),
        ("rice", (b"'1PB'", b"'1QB'"), "does not have 5 rows of tiles"),
        ("gzip tiles", (b"\x1f\x8b\x08", b"\x1f\x8b\x00"), "tile 1 is damaged"),
        ("plio", (b"\x00\x00\x00\x07\xff\x9c", b"\x00\x00\x00\x07\x7f\x9c"), "tile 1 is damaged"),
    ],
)
def test_damaged_tiles_are_refused(kind: str, change: tuple[bytes, bytes], says: str, tmp_path: Path) -> None:
    old, new = change
    content = TILES[kind].replace(old, new.ljust(len(old)), 1)
    assert content != TILES[kind] and len(content) == len(TILES[kind])
    (tmp_path / "0.fits").write_bytes(content)
    assert says in refused(READ, names={"files": [str(tmp_path / "0.fits")]}, batch_size=1)


def test_tiles_that_break_off_are_refused(tmp_path: Path) -> None:
    for number, (kind, content) in enumerate(TILES.items()):
        begin = content.index(b"END     ", 5760) // 2880 * 2880 + 2880  # of the table, whose first number is a size
        place = begin + 3
        files = write(tmp_path, content[:place] + bytes([content[place] // 2]) + content[place + 1 :])
        assert "cannot be read: tile 1 " in refused(READ, names={"files": files}, batch_size=1), (number, kind)


def test_files_in_gzip_that_break_off_are_refused(tmp_path: Path) -> None:
    whole = gzip.compress(GOOD)
    for content, says in ((whole[:-30], "breaks off"), (whole[:40] + b"\xff" * 40 + whole[80:], "damaged"), (gzip.compress(b"x"), "no FITS file")):
        assert says in refused(READ, names={"files": write(tmp_path, content)}, batch_size=1)


def test_no_number_stays_none(tmp_path: Path) -> None:
    """In nvidia.dali, what stands for no number is one that it has never set."""
    content = TILES["rounded"].replace(b"ZQUANTIZ", b"ZBLANK  ").replace(b"         'NO_DITHER'", f"{0:>20}".encode())
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.experimental.readers.fits(files=write(tmp_path, content)))
    (out,) = pipe.run()
    assert np.isnan(out.at(0)).any() and not np.isnan(out.at(0)).all()


#: The same picture, written by cfitsio's HCOMPRESS: whole, and rounded to fours.
PICTURE = np.add.outer(np.arange(13) ** 2, 7 * np.arange(18)) % 97 - 30
PYRAMIDS = {
    "whole": (
        r"-I)LY01W^D01^NI00000000001V9N02m5WdJ>lEiO!pqX&KH%9qXfR!pbVc#pw5H<qaiW?E%K3U%eIOj69561>XH7x=mRnUKHeSC4KnCIM8Es~"
        r"`#9a`FxG+pzRov#3^kxb|MtJ9>fgMxGax_z>;L}0|LZd{1ON8Fr|RFlvoj<9_7VF(yU=ZDAF~eZ`#0aW>pOxgJ^m0gGb1xHGczyvKmTj`ey#gU"
        r"{`)xH=rGoS`#9a`FxG+pzwi70`#9a`FxG(pq5vTQ6d;5Ez(xrmiI@NY1cD<8gF%o"
    ),
    "rounded": (
        r"-I)LY01W^D01^NI00aO4000000T2fU1^aEbJ>lEiO!pqX&KH%9qXfR!pbVc#pw5H<qaiW?E%K3U%eIOj69561>XH7x=mRnUKHeSC4KnCI`|RU)"
        r"pu<`R{`)xH=rGoS5C7W!pR0cI%*=rQ|F8f0|NpGa$o3KYKfBOvXdkl<?E5$0x9dBCD?R=YGczMIGBYzT`|RU)pu<`R?BjQ!!&(Ra|G(g(03iVs"
        r"AcO$GMhPH^m;ea`MiT~uAO"
    ),
}


def pyramid(kind: str, change: tuple[int, int] | None = None, **cards: object) -> bytes:
    """A file with the picture; another byte at a place, if there is a `change`."""
    tile = bytearray(base64.b85decode(PYRAMIDS[kind]))
    if change:
        tile[change[0]] = change[1]
    given = {"XTENSION": "'BINTABLE'", "PCOUNT": len(tile), "TFIELDS": 1, "TTYPE1": "'COMPRESSED_DATA'", "TFORM1": "'1PB'", "ZIMAGE": "T",
             "ZBITPIX": 16, "ZNAXIS": 2, "ZNAXIS1": 18, "ZNAXIS2": 13, "ZTILE1": 18, "ZTILE2": 13, "ZCMPTYPE": "'HCOMPRESS_1'",
             "ZNAME1": "'SCALE'", "ZVAL1": 0, "ZNAME2": "'SMOOTH'", "ZVAL2": 0, **cards}  # fmt: skip
    table = np.frombuffer(struct.pack(">ii", len(tile), 0), np.uint8).reshape(1, 8)
    return PRIMARY + unit(table, given, heap=bytes(tile))


@pytest.mark.parametrize("kind", PYRAMIDS)
def test_pyramids_are_read(kind: str, tmp_path: Path) -> None:
    files = write(tmp_path, pyramid(kind))
    check(READ, names={"files": files}, batch_size=1)
    (found,) = run(OURS, READ, names={"files": files}, batch_size=1)[0]
    assert np.abs(found.samples[0] - PICTURE).max() <= (0 if kind == "whole" else 4)


def test_damaged_pyramids_are_refused(tmp_path: Path) -> None:
    for place, value in ((0, 0), (5, 14), (9, 0), (14, 127), (22, 200), (25, 0x77), (2, 255)):
        files = write(tmp_path, pyramid("whole", (place, value)))
        assert "tile 1 is damaged" in refused(READ, names={"files": files}, batch_size=1), place
    files = write(tmp_path, pyramid("whole", ZVAL2=1))
    assert "smoothed" in refused(READ, names={"files": files}, batch_size=1)

"""``fn.experimental.readers.fits`` against nvidia.dali: scaled numbers, units, damaged files, `on_error`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from peers import check, check_refused, refused

from dali_studio import Pipeline, fn
from dali_studio.schema.fits_samples import unit

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
        (GOOD.replace(b"NAXIS1  ", b"NAXIS9  "), "NAXIS1 is ''"),
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

"""Former names of operators make what nvidia.dali makes under them."""

from __future__ import annotations

import warnings

import pytest
from declared import declared
from images import pictures
from peers import check, check_refused

from dali_studio import samples
from dali_studio.schema.tolerance import EXACT

pytestmark = pytest.mark.usefixtures("nvidia")

_FILES = f"fn.file_reader(file_root={str(samples.photos())!r})[0]"


@pytest.mark.parametrize(
    "program",
    [
        "fn.uniform(range=[0.0, 5.0], shape=[3])", "fn.coin_flip(probability=0.2, shape=[6])",
        "fn.normal_distribution(mean=1.0, stddev=3.0, shape=[3])", "fn.transform_translation(offset=[1.0, 2.0])",
        f"fn.image_decoder({_FILES}, output_type=types.GRAY)", f"fn.experimental.decoders.image({_FILES})",
        f"fn.image_decoder_random_crop({_FILES}, seed=5)", f"fn.image_decoder_crop({_FILES}, crop=[20, 30])",
        f"fn.image_decoder_slice({_FILES}, [0.1, 0.2], [0.3, 0.3])",
        f"fn.experimental.decoders.image_random_crop({_FILES}, seed=5)",
    ],
)  # fmt: skip
def test_the_same_as_in_nvidia_dali(program: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        check(program, iterations=2)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("fn.rotate(x, angle=9.0, output_dtype=types.FLOAT)", "Use dtype instead"),
        ("fn.crop_mirror_normalize(x, crop=(5, 4), output_dtype=types.FLOAT16)", "Use dtype instead"),
        ("fn.crop(x, crop=(5, 4), output_dtype=types.FLOAT, image_type=types.RGB)", "Use dtype instead"),
        ("fn.slice(x, start=(1, 2), output_dtype=types.FLOAT)", "Use dtype instead"),
        ("fn.warp_affine(x, matrix=(1, 0, 1, 0, 1, 2), output_dtype=types.FLOAT)", "Use dtype instead"),
        ("fn.lookup_table(x, keys=[1], values=[2.0], output_dtype=types.INT16)", ""),
        ("fn.flip(x, horizontal=1, seed=5)", "its seed has no effect"),
        ("fn.resize(x, size=9, image_type=types.RGB, interp_type=types.INTERP_NN)", ""),
        ("x + fn.cast(x, dtype=types.UINT8, seed=types.Constant(3, device='cpu'))", "its seed has no effect"),
    ],
)  # fmt: skip
def test_former_arguments(program: str, says: str) -> None:
    data = {"x": pictures([(20, 31), (9, 7)])}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", DeprecationWarning)
        check(program, data, declared(program[3:].split("(", maxsplit=1)[0]) if program.startswith("fn.") else EXACT)
    ours = [one for one in told if "nvidia" not in one.filename and says in str(one.message)]
    assert not says or ours
    assert not says or all(one.filename == "<string>" for one in ours), ours


def test_an_argument_under_both_names_is_refused() -> None:
    check_refused("fn.rotate(x, angle=9.0, dtype=types.FLOAT, output_dtype=types.FLOAT)", {"x": pictures([(20, 31)])})

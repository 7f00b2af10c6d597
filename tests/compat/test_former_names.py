"""Former names of operators make what nvidia.dali makes under them."""

from __future__ import annotations

import warnings

import pytest
from peers import check

from dali_studio import samples

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

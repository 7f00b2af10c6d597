"""Programs for nvidia.dali."""

from __future__ import annotations

from dali_studio.codegen.dialects.base import Dialect
from dali_studio.schema.dali_functions import BRANCHES, DALI_VERSION, FUNCTIONS

DIALECT = Dialect(
    name="nvidia.dali",
    title="NVIDIA DALI",
    module="nvidia.dali",
    functions=FUNCTIONS | BRANCHES,
    version=DALI_VERSION,
    # measured: where a sample is copied in several blocks (from some 16 kB), all but the first lie wrong
    wrong_steps="it gives wrong elements of larger tensors for a step along the first axis",
    # measured: the whole number counts as less than any real one
    wrong_comparisons="whole numbers below 0 are less than any real number there",
    arguments={
        ("*", "on_error"): "it stops at the first file that it cannot read or decode",
        ("*", "max_pixels"): "it decodes pictures of any size",
    },
)

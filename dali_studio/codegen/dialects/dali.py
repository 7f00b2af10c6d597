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
    arguments={
        ("*", "on_error"): "it stops at the first file that it cannot read or decode",
        ("*", "max_pixels"): "it decodes pictures of any size",
    },
)

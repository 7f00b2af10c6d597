"""``fn.copy``."""

# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from dali_studio.core.meta import TensorMeta
from dali_studio.operators.tensor.views import View
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input


class Copy(View):
    """Gives the data as it is.

    No bytes are copied: nobody writes to results of operators.
    """

    icon = "copy"
    keywords = "identity pass through"
    inputs = (Input("input"),)

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0]

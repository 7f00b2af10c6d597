"""What operators that add noise share: element types, the seed, and the stream of a sample."""

from __future__ import annotations

from typing import Annotated, Any

from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import Doc

TYPES = (T.UINT8, T.INT8, T.UINT16, T.INT16, T.UINT32, T.INT32, T.UINT64, T.INT64, T.FLOAT)
_WORD = 0xFFFFFFFFFFFFFFFF


class NoiseArguments:
    """The seed."""

    seed: Annotated[int | None, Doc("Seed of the stream; unset: the pipeline hands one out.")] = None


def stream_of(args: Args) -> dict[str, Any]:
    """The key of the operator's stream, the upper half of each sample's counters, and the draws before the first."""
    context = args.context
    return {"key": context.seed & _WORD, "highs": context.highs, "origin": context.stream_offset}

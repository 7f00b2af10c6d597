"""What conformance tests run: every example of every registered operator, with data that its inputs accept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from images import Array, encoded, picture, pictures

from dali_studio import Pipeline, fn
from dali_studio.api.default import default_registry
from dali_studio.core.dtypes import NUMERIC, from_numpy, to_numpy
from dali_studio.core.tensors import TensorListCPU
from dali_studio.schema.declare import Example, Operator
from dali_studio.schema.traits import PerSample

REGISTRY = default_registry()
#: Large enough for the windows of the examples, of odd shapes.
SIZES = ((57, 43), (64, 91), (41, 53), (33, 40))
DTYPES = tuple(to_numpy(dtype) for dtype in NUMERIC)


def operators(trait: type | None = None) -> list[str]:
    """Names of the operators with examples (and a trait)."""
    return [n for n in REGISTRY if REGISTRY.operator(n).examples and (trait is None or REGISTRY.has_trait(n, trait))]


def examples(names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Every example, as operator and number."""
    return ((name, number) for name in names for number in range(len(REGISTRY.operator(name).examples)))


def example(name: str, number: int) -> Example:
    """The example itself."""
    return REGISTRY.operator(name).examples[number]


def function(name: str) -> Callable[..., Any]:
    """The ``fn`` function of an operator."""
    found: Any = fn
    for part in name.split("."):
        found = getattr(found, part)
    return found


def data(name: str, dtype: Any = np.uint8, layout: str = "HWC") -> list[Array] | None:
    """A batch for the operator's first input; ``None`` if it needs none."""
    operator: type[Operator] = REGISTRY.operator(name)
    needed = [declared for declared in operator.schema.inputs if not declared.optional]
    if not needed:
        return None
    if needed[0].kind == "encoded":
        return [encoded(picture(*size, seed=i), quality=85, subsampling=i % 3) for i, size in enumerate(SIZES)]
    return pictures(SIZES, 3, dtype, planar=layout == "CHW")


def pipeline(
    name: str, number: int, batch: Sequence[Array] | None, layout: str = "HWC", *, declared: bool = True, **options: Any
) -> Pipeline:
    """A pipeline of one operator behind an external source."""
    size = len(batch) if batch is not None else len(SIZES)
    made = Pipeline(**{"batch_size": size, "num_threads": 2, "seed": 99, **options})
    with made:
        inputs: list[Any] = []
        if batch is not None:
            encoded_files = batch[0].ndim == 1
            facts = {"dtype": from_numpy(batch[0].dtype), "layout": None if encoded_files else layout} if declared else {}
            if declared and encoded_files:
                facts["ndim"] = 1
            inputs = [fn.external_source(source=lambda: list(batch), name="data", **({"layout": layout} if not encoded_files else {}) | facts)]
        made.set_outputs(function(name)(*inputs, name="node", **example(name, number).arguments))
    return made


def arrays(batch: TensorListCPU) -> list[Array]:
    """Copies of a batch's samples."""
    return [np.array(batch.at(i)) for i in range(len(batch))]


def assert_same(result: Sequence[Array], expected: Sequence[Array]) -> None:
    """Bit-equal batches."""
    assert len(result) == len(expected)
    for index, (a, b) in enumerate(zip(result, expected, strict=True)):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), index
        assert a.tobytes() == b.tobytes(), index


PER_SAMPLE = operators(PerSample)
EXAMPLES = list(examples(operators()))
PER_SAMPLE_EXAMPLES = list(examples(PER_SAMPLE))

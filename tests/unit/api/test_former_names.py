"""Names that nvidia.dali still has, deprecated: they warn, and make the operators of today."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest

import dali_studio
from dali_studio import Pipeline, fn
from dali_studio.api.default import default_registry

REGISTRY = default_registry()
FORMER = REGISTRY.former()


def test_former_names_are_of_functions_that_there_are() -> None:
    assert {"experimental.equalize", "experimental.debayer", "experimental.peek_image_shape"} <= FORMER.keys()
    assert not FORMER.keys() & set(REGISTRY)


def first(result: Any) -> Any:
    """The first output of a call."""
    return next(iter(result.values() if isinstance(result, dict) else result)) if isinstance(result, dict | list) else result


@pytest.mark.parametrize(("former", "today"), sorted(FORMER.items()))
def test_a_former_name_warns_and_traces_the_operator_of_today(former: str, today: str) -> None:
    schema = REGISTRY.schema(today)
    arguments = {argument.name: argument.start for argument in schema.arguments if argument.required}
    pipeline = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipeline:
        inputs = [fn.external_source(source=lambda: [0]) for _ in range(schema.least_inputs)]
        with pytest.warns(DeprecationWarning, match=rf"^fn\.{former} is deprecated\. Use fn\.{today} instead\.$"):
            node = attrgetter(f"fn.{former}")(dali_studio)(*inputs, **arguments)
        name = schema.called(former).class_name
        with pytest.warns(DeprecationWarning, match=rf"^ops\.{name} is deprecated\. Use ops\.{schema.class_name} instead\.$"):
            made = attrgetter(f"ops.{name}")(dali_studio)(**arguments)
        other = made(*inputs)
        pipeline.set_outputs(first(node), first(other))
    assert [pipeline.graph.node(port.node).operator for port in pipeline.graph.outputs] == [today, today]

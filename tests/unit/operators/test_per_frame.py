"""What validation says of wires that an operator has no input for."""

from __future__ import annotations

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.graph.validate import validate
from dali_studio.pipeline import Pipeline


def test_an_input_too_many_is_the_only_finding() -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipeline:
        numbers = fn.external_source(name="numbers", ndim=1)
        pipeline.set_outputs(fn.per_frame(numbers, name="frames"))
    graph = pipeline.graph
    (source,) = graph.inputs("frames")
    assert source is not None
    graph.connect(source, "frames", 1)
    found = validate(graph, default_registry()).diagnostics
    assert [finding.code for finding in found] == ["DS202"]

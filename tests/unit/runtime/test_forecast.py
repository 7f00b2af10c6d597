"""What an iteration will take of memory, told before it runs: equal to what a run measures, in each example."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gallery_examples import GALLERY, name_of

from dali_studio import cli, fn, samples
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.cli.document import open_document
from dali_studio.pipeline import Pipeline
from dali_studio.runtime.forecast import forecast
from dali_studio.runtime.probe import Probe

REGISTRY = default_registry()
#: What follows from the data: where sound begins, where an object is; and operators that see the whole batch at once.
UNKNOWN = {
    "log_mel_speech": {"heard", "emphasized", "power", "mel", "decibels", "normal", "features"},
    "medical_volumes": {"normal"}, "region_of_interest": {"window"}, "standardized": {"at_once"},
}  # fmt: skip


@pytest.mark.parametrize("name", [name_of(path) for path in GALLERY])
def test_an_example(name: str) -> None:
    graph, probe = open_document(name, samples=True), Probe()
    engine = Engine(graph, REGISTRY, background=False, probe=probe, devices=False)
    try:
        told = forecast(engine.plan, REGISTRY, engine.seed, graph.options.batch_size)
        assert set(told.unknown) <= UNKNOWN.get(name, set())
        engine.schedule()
        engine.result()
        found = probe.summary()
        for key, node in told.nodes.items():
            if node.host is not None:
                measured = found.get(key)
                assert node.host + node.passing == (measured.host + measured.passing if measured else 0), key
    finally:
        engine.close()


def test_functions_of_the_program_are_not_called() -> None:
    def never(_: Any) -> Any:
        raise AssertionError("called")

    pipe = Pipeline(batch_size=4, num_threads=1, device_id=None, seed=1)
    with pipe:
        files, labels = fn.readers.file(file_root=str(samples.photos()))
        changed = fn.python_function(fn.decoders.image(files), function=never)
        pipe.set_outputs(fn.flip(changed), fn.external_source(source=never), labels)
    text = pipe.explain()
    assert "memory of the first batch, 4 samples" in text and "not known before a run" in text
    data = json.loads(pipe.explain(as_json=True))
    assert len(data["memory"]["unknown"]) == 3
    pipe.release()


def test_the_pipeline_goes_on_where_it_was() -> None:
    def batches(*, asked: bool) -> list[list[int]]:
        pipe = Pipeline(batch_size=4, num_threads=1, device_id=None, seed=1)
        with pipe:
            _, labels = fn.readers.file(file_root=str(samples.photos()), random_shuffle=True)
            pipe.set_outputs(labels, fn.random.uniform())
        made: list[list[int]] = []
        for _ in range(3):
            if asked:
                pipe.explain()
            made.append([batch.as_array().tolist() for batch in pipe.run()])
        pipe.release()
        return made

    assert batches(asked=True) == batches(asked=False)


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "resnet50", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    (normal,) = (step for stage in data["stages"] for step in stage["steps"] if step["node"] == "normalize")
    assert normal["memory"]["host"] == 64 * 3 * 224 * 224 * 4
    assert data["returns"] and data["memory"]["peak_host"] > normal["memory"]["host"]

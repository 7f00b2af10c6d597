"""The checks find what they are there for: operators with planted faults, and sound ones that nothing else uses yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from direct import check_saved, check_storage, plain

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import PerSample

CASE = Case((images(),))


class Doubled(Operator):
    """Gives every pixel twice: as it is, and one more."""

    inputs = (Input("image", "image", layouts="HWC"),)
    outputs = (Output("same", "image"), Output("more", "image"))
    traits = (PerSample,)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        return inputs[0], inputs[0]

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(inputs[0].shapes, {}, (inputs[0].shapes,))

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        np.copyto(outputs[0], inputs[0])
        np.add(inputs[0], 1, out=outputs[1])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        for index in range(len(inputs[0])):
            Doubled.cpu(work, index, [inputs[0][index]], [batch[index] for batch in outputs])


class AnotherBatch(Doubled):
    """Adds two where whole batches are computed."""

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        Doubled.cpu_batch(work, inputs, outputs)
        for index in range(len(outputs[1])):
            outputs[1][index][...] += 1


class AssumesDense(Doubled):
    """Takes the samples of any batch for the rows of one array."""

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        for row in range(len(inputs[0])):
            size = int(inputs[0].counts[row])
            flat = inputs[0].samples.slab if hasattr(inputs[0].samples, "slab") else inputs[0][0].reshape(-1)
            outputs[0][row].reshape(-1)[:] = np.resize(flat[row * size : (row + 1) * size], size)
            np.add(inputs[0][row], 1, out=outputs[1][row])


class NeedsASample(Doubled):
    """Looks at the first sample, which an empty batch has not."""

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        return Work(inputs[0].shapes, {"first": inputs[0].shapes[0]}, (inputs[0].shapes,))


@pytest.mark.parametrize("pick", [[0, 1, 2, 3], [1, 1, 1], []], ids=["ragged", "of one shape", "none"])
def test_a_sound_operator_passes(pick: list[int]) -> None:
    check_storage(Doubled, CASE, pick)
    check_storage(Doubled, Case((tensors(((2, 3, 1), (1, 1, 3)), layout="HWC"),)), pick and [0, 1])


@pytest.mark.parametrize(
    ("operator", "pick"), [(AnotherBatch, [0, 1]), (AssumesDense, [0, 1, 2]), (NeedsASample, [])], ids=lambda value: str(value)
)
def test_planted_faults_are_found(operator: type[Operator], pick: list[int]) -> None:
    with pytest.raises((AssertionError, IndexError)):
        check_storage(operator, CASE, pick)


class Counting(Operator):
    """Counts on from where it was."""

    outputs = (Output("numbers"),)
    stateful = True

    @staticmethod
    def open(args: Args) -> dict[str, int]:
        return {"next": 5}

    @staticmethod
    def run(state: dict[str, int], args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        state["next"] += len(args.context.indices)
        return (Batch.of_array(np.arange(state["next"], state["next"] + len(args.context.indices))),)

    @staticmethod
    def save(state: dict[str, int]) -> dict[str, Any]:
        return dict(state)

    @staticmethod
    def restore(state: dict[str, int], saved: Mapping[str, Any]) -> None:
        state.update(saved)


class Forgetful(Counting):
    """Saves nothing."""

    @staticmethod
    def save(state: dict[str, int]) -> dict[str, Any]:
        return {}


def test_states() -> None:
    check_saved(Counting, Case())
    with pytest.raises(AssertionError):
        check_saved(Forgetful, Case())
    assert plain({"a": [1, "b", None, {"c": np.zeros(3)}]}) and not plain({"a": object()})

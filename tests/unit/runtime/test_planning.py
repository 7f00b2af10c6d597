"""Steps on a GPU are planned again when, and only when, something changed that the plan depends on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.api.default import default_registry
from dali_studio.compiler.plan import Step
from dali_studio.core.batch import Batch, meta_of
from dali_studio.core.storage import Dense
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.planning import Planned, Planner
from dali_studio.schema.arguments import Args, canonical

REGISTRY = default_registry()
BYTES = meta_of(np.dtype(np.uint8), 3, "HWC", "gpu")


class Planning:
    """A planner, and how often it asked for arguments."""

    def __init__(self, operator: str, wired: tuple[str, ...] = (), **arguments: Any) -> None:
        schema = REGISTRY.schema(operator)
        found = {name: schema.argument(name) for name in arguments}
        self.values = {name: canonical(found[name], value) for name, value in arguments.items()}  # pyright: ignore[reportArgumentType]
        ports = {name: PortRef(node=name) for name in wired}
        self.step = Step("step", operator, (PortRef(node="in"),), ports, (PortRef(node="step"),), self.values)
        self.planner, self.asked = Planner(REGISTRY), 0
        self.memory: dict[Any, Any] = {}

    def __call__(self, shapes: list[list[int]], meta: Any = BYTES, **wired: np.ndarray[Any, Any]) -> Planned:
        view = Batch.view(meta, np.array(shapes, np.int64))

        def arguments() -> Args:
            self.asked += 1
            rows = {name: Dense(table) for name, table in wired.items()}
            schema = REGISTRY.schema(self.step.operator)
            return Args(schema, self.values, rows, len(shapes), memory=self.memory)

        return self.planner.plan(self.step, arguments, (view,))


SAME, OTHER = [[20, 30, 3], [25, 26, 3]], [[20, 30, 3], [25, 27, 3]]


def test_a_constant_step_is_planned_once() -> None:
    plan = Planning("hsv", hue=20.0)
    first = plan(SAME)
    part = first.part(Batch.view(BYTES, first.work.shapes))
    again = plan([list(row) for row in SAME])
    assert again is first and plan.asked == 1
    assert again.part(Batch.view(BYTES, first.work.shapes)) is part


def test_other_shapes_and_types_are_planned_anew() -> None:
    plan = Planning("crop", crop=(10.0, 12.0))
    first = plan(SAME)
    assert plan(OTHER) is not first and plan.asked == 2
    floats = plan(OTHER, meta_of(np.dtype(np.float32), 3, "HWC", "gpu"))
    assert plan.asked == 3 and floats.dtype == np.float32 and first.dtype == np.uint8
    assert plan([[3, 20, 30]], meta_of(np.dtype(np.uint8), 3, "CHW", "gpu")).work.shapes.tolist() == [[3, 10, 12]]


def test_arguments_that_are_fed_are_asked_for_every_time() -> None:
    plan = Planning("rotate", ("angle",), keep_size=True)
    first = plan(SAME, angle=np.array([0.0, 10.0], np.float32))
    second = plan(SAME, angle=np.array([0.0, 20.0], np.float32))
    assert plan.asked == 2
    assert np.array_equal(first.work.params["matrices"][0], second.work.params["matrices"][0])
    assert not np.array_equal(first.work.params["matrices"][1], second.work.params["matrices"][1])
    assert first.work.shapes is second.work.shapes  # so that what follows need not compare


def test_what_does_not_depend_on_the_argument_that_is_fed_is_kept_until_shapes_change() -> None:
    plan = Planning("crop_mirror_normalize", ("mirror",), crop=(10.0, 12.0), mean=(1.0,), std=(2.0,))
    first = plan(SAME, mirror=np.array([0, 1], np.int32))
    second = plan(SAME, mirror=np.array([1, 1], np.int32))
    other = plan(OTHER, mirror=np.array([1, 0], np.int32))
    assert [p.work.params["mirror"].tolist() for p in (first, second, other)] == [[0, 1], [1, 1], [1, 0]]
    assert first.work.params["anchors"].tolist() == [[5, 9], [8, 7]]
    assert second.work.params["anchors"].tolist() == [[5, 9], [8, 7]]
    assert other.work.params["anchors"].tolist() == [[5, 9], [8, 8]]


def test_equal_shapes_become_one_array() -> None:
    plan = Planning("flip")
    shapes = plan(SAME).inputs[0][1]
    view = Batch.view(BYTES, np.array(SAME, np.int64))
    plan.planner.plan(plan.step, pytest.fail, (view,))
    assert view.shapes is shapes


def test_what_is_forgotten_is_planned_anew() -> None:
    plan = Planning("hsv")
    first = plan(SAME)
    plan.planner.forget()
    assert plan(SAME) is not first

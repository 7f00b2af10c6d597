"""What operators save is that of the last iteration that was returned, and comes back when a run is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from dali_studio.api.checkpoints import Checkpoint, Position, State, decode
from dali_studio.api.engine import Engine
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError, DaliStudioError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, GraphOptions, Node
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator
from dali_studio.schema.registry import Registry

SIZE = 3


class Walk(Operator):
    """Adds up random steps; it fails where it is told to."""

    path = "walk"
    category = "random"
    seeded = True
    stateful = True
    failing = -1

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return TensorMeta(DALIDataType.FLOAT64, 1)

    @staticmethod
    def open(args: Args) -> Any:
        return {"generator": np.random.default_rng(args.context.seed), "at": np.zeros(2), "steps": 0}

    @staticmethod
    def run(state: Any, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        if args.context.iteration == Walk.failing:
            raise ArgumentError("it stumbles.", hint="Go on.")
        state["at"] = state["at"] + state["generator"].random(2)
        state["steps"] += 1
        return (Batch.of([state["at"] + k for k in range(args.count)]),)

    @staticmethod
    def save(state: Any) -> dict[str, Any]:
        return {
            "at": state["at"], "steps": np.int64(state["steps"]), "generator": state["generator"].bit_generator.state
        }  # fmt: skip

    @staticmethod
    def restore(state: Any, saved: Mapping[str, Any]) -> None:
        state["at"], state["steps"] = saved["at"], saved["steps"]
        state["generator"].bit_generator.state = saved["generator"]


def engine(restored: Checkpoint | None = None, **options: Any) -> Engine:
    graph = Graph(GraphOptions(batch_size=SIZE, num_threads=1, seed=4, prefetch_queue_depth=3))
    graph.add_node(Node(key="walk", operator="walk"))
    graph.set_outputs([PortRef(node="walk", output=0)])
    return Engine(graph, Registry([Walk]), checkpointing=True, restored=restored, **options)


def steps(made: Engine, count: int) -> list[Any]:
    got: list[Any] = []
    for _ in range(count):
        made.prefetch()
        try:
            got.append([np.array(sample).tolist() for sample in made.result()[0]])
        except DaliStudioError:
            got.append("failed")
    return got


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("cut", [0, 1, 4])
def test_saved_states_come_back(cut: int, background: bool) -> None:
    whole = steps(engine(), 8)
    made = engine(background=background)
    assert steps(made, cut) == whole[:cut]
    place = decode(made.checkpoint().encode())
    assert place.position == Position(iteration=cut, samples=cut * SIZE, epoch_iteration=cut)
    if cut:
        assert place.state.saved["walk"]["steps"] == cut
        assert place.state.saved["walk"]["at"].dtype == np.float64
    assert steps(engine(place, background=background), 8 - cut) == whole[cut:]
    assert steps(made, 8 - cut) == whole[cut:]


def test_an_iteration_that_fails_is_behind_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Walk, "failing", 2)
    made = engine()
    first = steps(made, 4)
    assert first[2] == "failed"
    place = decode(made.checkpoint().encode())
    assert place.position.iteration == 4
    assert steps(engine(place), 3) == steps(made, 3)


def test_what_cannot_be_saved_is_named() -> None:
    place = Checkpoint(
        position=Position(), state=State(saved={"walk": {"at": object()}}), batch_size=1, seed=0, operations={}, outputs=[]
    )  # fmt: skip
    with pytest.raises(TypeError, match="saved a object; plain values and arrays"):
        place.encode()

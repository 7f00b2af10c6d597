"""Memory of the GPU in the designer: what previews may take, and what a run that is stopped gives back."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

from dali_studio import fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.kernels.cuda.device import cupy
from dali_studio.runtime import gpu
from dali_studio.studio.protocol import messages, run_messages
from dali_studio.studio.session import Session

pytestmark = pytest.mark.gpu
SIDE = 64


@pytest.fixture
def client() -> Any:
    """A session of a pipeline on a GPU, and what it has told."""

    @pipeline_def(batch_size=4, num_threads=2, device_id=0, seed=5)
    def turning() -> Any:
        one = np.full((SIDE, SIDE, 3), 90, np.uint8)
        small = fn.external_source(source=lambda: [one] * 4, layout="HWC", name="given").gpu()
        return fn.rotate(fn.resize(small, size=(200.0, 300.0), name="large"), angle=10.0, name="turned")

    told: list[messages.KernelMessage] = []

    def take(message: messages.KernelMessage, buffers: Sequence[bytes]) -> None:
        told.append(message)

    session = Session(turning().graph, default_registry(), take, images=samples.photos)
    yield session, told
    session.close()


def test_previews_have_a_quarter_of_the_memory_and_say_what_to_do_beyond_it(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, told = client

    def small(device: int) -> int:
        return 400_000

    monkeypatch.setattr(gpu, "total_memory", small)
    session.receive({"type": "ready"})
    assert session.worker.wait(120)
    (found,) = next(m for m in told if isinstance(m, messages.Previews)).failed
    assert found.node == "large" and found.code == "DS304"
    assert found.message.startswith("Previews may take 25 % of the GPU's memory, and what large makes")
    assert found.hint.startswith("Press Free memory, make the images smaller before large, or set its device to cpu.")
    session.receive({"type": "run", "batches": 2})  # it has no such limit
    assert session.worker.wait(120)
    assert next(m for m in told if isinstance(m, run_messages.RunFinished)).failed == ()


def test_a_run_that_is_stopped_gives_its_memory_back(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session, told = client
    made: list[weakref.ref[Any]] = []

    class Pool(cupy().cuda.MemoryPool):
        def __init__(self) -> None:
            super().__init__()
            made.append(weakref.ref(self))

    monkeypatch.setattr(cupy().cuda, "MemoryPool", Pool)
    session.receive({"type": "run", "batches": 10_000})
    end = monotonic() + 60
    while monotonic() < end and not any(isinstance(m, run_messages.RunProgress) and m.done > 1 for m in told):
        sleep(0.01)
    assert sum(pool.total_bytes() for ref in made if (pool := ref()) is not None) > 200 * 300 * 3
    session.receive({"type": "stop"})
    assert session.worker.wait(60)
    finished = next(m for m in told if isinstance(m, run_messages.RunFinished))
    assert finished.stopped and 0 < finished.batches < 10_000
    # but for small tables, which go with the pool
    assert sum(pool.total_bytes() for ref in made if (pool := ref()) is not None) < 16_000

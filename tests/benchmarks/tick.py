"""What a slider's tick costs in the designer's Python half: ``python tests/benchmarks/tick.py``.

A tick is one edit of an argument. Times are medians in ms, from the arrival of the edit:

operators   until the first operator is computed, what Python spends before it
answered    until the browser has the new graph and its findings
images      until the new previews are sent
code        until the new program is sent, at the lowest priority
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dali_studio as ds
from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.runtime.executor import Executor
from dali_studio.studio.protocol import messages
from dali_studio.studio.session import Session

STAGES = ("operators", "answered", "images", "code")
_NAMES = {messages.RevisionChanged: "answered", messages.Previews: "images", messages.Code: "code"}


class Watch:
    """A browser's stand-in that notes when what arrives."""

    def __init__(self, graph: Graph) -> None:
        self.marks: dict[str, float] = {}
        self.session = Session(graph, default_registry(), self._take, images=ds.samples.photos)
        run = Executor.run

        def watched(executor: Executor, *given: Any, **more: Any) -> Any:
            self.marks.setdefault("operators", time.perf_counter())
            return run(executor, *given, **more)

        Executor.run = watched

    def _take(self, message: messages.KernelMessage, buffers: Sequence[bytes]) -> None:
        if type(message) in _NAMES:
            self.marks.setdefault(_NAMES[type(message)], time.perf_counter())

    def tick(self, node: str, argument: str, value: float) -> dict[str, float]:
        """Move a slider; milliseconds by stage."""
        self.marks.clear()
        edit = {"type": "set_argument", "key": node, "argument": argument, "value": value}
        begin = time.perf_counter()
        self.session.receive(
            {"type": "apply_edits", "base_revision": self.session.revision, "edits": [edit], "gesture": "drag"}
        )
        if not self.session.worker.wait(60):
            raise TimeoutError("the worker did not come to an end")
        return {name: (at - begin) * 1e3 for name, at in self.marks.items()}


def example() -> tuple[Graph, str, str]:
    """The first example of the gallery that rotates."""
    path = Path(ds.__file__).parent.parent / "gallery"
    found = next((p for p in sorted(path.rglob("*.dali.json")) if "rotate" in p.read_text()), None)
    if found is None:
        raise FileNotFoundError(f"there is no example with a rotation in {path}")
    graph, _, _ = document.load(found, default_registry())
    return graph, "rotate", "fill_value"


def long() -> tuple[Graph, str, str]:
    """60 nodes: photos that go through 28 pairs of an operator and its random number."""

    @ds.pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=1)
    def chain() -> Any:
        files, labels = fn.readers.file(file_root=str(ds.samples.photos()), name="reader")
        images = fn.resize(fn.decoders.image(files, name="decode"), size=(120.0, 160.0), name="resize")
        for number in range(28):
            amount = fn.random.uniform(range=(0.9, 1.1), name=f"amount_{number}")
            images = fn.brightness_contrast(images, brightness=amount, contrast=1.0, name=f"light_{number}")
        return fn.rotate(images, angle=10.0, fill_value=0.0, name="rotate"), labels

    return chain().graph, "rotate", "angle"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--ticks", type=int, default=60)
    options = parser.parse_args()
    sys.stdout.write(f"{'':10}{'nodes':>8}" + "".join(f"{stage:>12}" for stage in STAGES) + "\n")
    for make in (example, long):
        graph, node, argument = make()
        watch = Watch(graph)
        watch.session.receive({"type": "ready"})
        watch.session.worker.wait(60)
        ticks = [watch.tick(node, argument, float(i % 50 + 1)) for i in range(options.ticks + 5)][5:]
        watch.session.close()
        medians = {stage: statistics.median(tick[stage] for tick in ticks) for stage in STAGES}
        figures = "".join(f"{medians[stage]:12.1f}" for stage in STAGES)
        sys.stdout.write(f"{make.__name__:10}{len(graph):8}{figures}\n")


if __name__ == "__main__":
    main()

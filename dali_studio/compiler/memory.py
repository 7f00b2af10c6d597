"""What an iteration of a plan will take of memory. Data only; `runtime.forecast` makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NodeMemory:
    """Memory of one node in a batch, in bytes.

    Attributes
    ----------
    host, device : int or None
        Results that exist as a whole, on the host and on the GPU; ``None`` if they depend on what is not known before
        a run.
    passing : int
        Results of which each sample is read at once, and kept no longer.
    working : int
        On the GPU, beside the results, while the node runs: what decoders need.
    peak_host, peak_device : int
        What the iteration holds while the node runs, as far as it is known: results on the host; results and working
        memory on the GPU.
    """

    host: int | None = 0
    device: int | None = 0
    passing: int = 0
    working: int = 0
    peak_host: int = 0
    peak_device: int = 0


@dataclass(frozen=True, slots=True)
class Forecast:
    """Memory of an iteration.

    Attributes
    ----------
    batch_size : int
    nodes : mapping of str to NodeMemory
        In the order of the plan.
    """

    batch_size: int
    nodes: Mapping[str, NodeMemory]

    @property
    def host(self) -> int:
        """Most bytes of results on the host at a time."""
        return max((node.peak_host for node in self.nodes.values()), default=0)

    @property
    def device(self) -> int:
        """Most bytes on the GPU at a time."""
        return max((node.peak_device for node in self.nodes.values()), default=0)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Nodes whose results depend on what is not known before a run."""
        return tuple(key for key, node in self.nodes.items() if node.host is None)

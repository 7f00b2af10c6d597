"""What earlier runs have told about nodes: a time for each device on which a node was measured."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.model import Graph, structural_keys
from dali_studio.graph.placement import on_cpu
from dali_studio.runtime.probe import NodeTime
from dali_studio.schema.model import Device
from dali_studio.schema.registry import Registry
from dali_studio.studio.protocol.run_messages import DeviceTime

_MAX_KEPT = 4096


class KnownTimes:
    """Measured times by what a node computes, wherever it and the nodes before it were placed.

    A time stands for a node as long as operator, arguments, everything upstream, batch size and threads are those of
    the run. Random seeds do not count. Nothing is estimated: a device without a run has no time. Of nodes that compute
    the same, each has its own time; one that joined them after the run has the time of the first.

    Parameters
    ----------
    registry : Registry
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._times: OrderedDict[tuple[object, ...], DeviceTime] = OrderedDict()

    def learn(self, graph: Graph, devices: Mapping[str, Device], times: Mapping[str, NodeTime]) -> None:
        """Keep the times of a run.

        Parameters
        ----------
        graph : Graph
            That was run.
        devices : mapping of str to {"cpu", "gpu", "mixed"}
            Where each node ran.
        times : mapping of str to NodeTime
        """
        contexts = self._contexts(graph)
        for key, time in times.items():
            device = devices.get(key, "cpu")
            # A mixed decoder that runs on the CPU for want of a GPU does not do what the CPU's does.
            if key not in contexts or time.group or (device == "cpu" and graph.node(key).device == "mixed"):
                continue
            at = (*contexts[key], device)
            self._times[at] = DeviceTime(key="", device=device, milliseconds=time.median, cpu=time.cpu, gpu=time.gpu)
            self._times.move_to_end(at)
        while len(self._times) > _MAX_KEPT:
            self._times.popitem(last=False)

    def of(self, graph: Graph) -> tuple[DeviceTime, ...]:
        """What is known about the nodes of `graph`."""
        found: list[DeviceTime] = []
        for key, (context, twin) in self._contexts(graph).items() if self._times else ():
            for device in ("cpu", "mixed", "gpu"):
                time = self._times.get((context, twin, device)) or self._times.get((context, 0, device))
                if time is not None:
                    made = DeviceTime(
                        key=key, device=device, milliseconds=time.milliseconds, cpu=time.cpu, gpu=time.gpu
                    )
                    found.append(made)
        return tuple(found)

    def _contexts(self, graph: Graph) -> dict[str, tuple[object, int]]:
        """What the time of a node depends on, device aside, and how many nodes before it depend on the same.

        Copies are left out, and all nodes of a graph with a cycle.
        """
        options = graph.options
        settings = options.batch_size, options.num_threads, options.device_id or 0
        try:
            keys = structural_keys(on_cpu(graph, self._registry), self._registry, {})
        except DaliStudioError:
            return {}
        before = Counter[str]()
        found: dict[str, tuple[object, int]] = {}
        for key, made in keys.items():
            found[key] = (made, *settings), before[made]
            before[made] += 1
        return found

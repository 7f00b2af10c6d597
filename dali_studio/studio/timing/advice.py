"""What sets the pace of a pipeline, by rules over a measured run; each shows its numbers and says what may help."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dali_studio.core.limits import MAX_THREADS
from dali_studio.core.wording import byte_count, time_words
from dali_studio.graph.edits import Edit, SetArgument, SetDevice, SetPipeline
from dali_studio.graph.model import Graph
from dali_studio.graph.placement import on_gpu
from dali_studio.runtime.probe import NodeTime
from dali_studio.schema.model import OperatorSchema
from dali_studio.schema.registry import Registry
from dali_studio.studio.protocol.run_messages import Advice

#: Shares from which a rule speaks: of the work of all nodes, and of a batch's time that threads must be busy.
_SHARE, _BUSY = 0.4, 0.6
#: Samples below which a batch is small; what it is set to, at most.
_SMALL, _LARGE = 16, 64
_MAX_ADVICE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Advice, and the edits that it is about; none if it must be done by hand."""

    name: str
    lead: str
    proof: str
    offer: str
    node: str = ""
    edits: tuple[Edit, ...] = ()

    def advice(self) -> Advice:
        """What the browser shows."""
        return Advice(
            name=self.name, lead=self.lead, proof=self.proof, offer=self.offer, node=self.node,
            measurable=bool(self.edits),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A measured run.

    Attributes
    ----------
    milliseconds : float
        The median batch, made alone.
    working : float
        Threads that work at a time, the average of all batches: medians would lose work where some batches are slow.
    times : mapping of str to NodeTime
    cores : int
        That this process may use.
    gpu : bool
        Whether there is one.
    """

    milliseconds: float
    working: float
    times: Mapping[str, NodeTime]
    cores: int
    gpu: bool


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def advise(graph: Graph, registry: Registry, run: Observed) -> tuple[Proposal, ...]:
    """What may make the pipeline faster: first what can be tried at once, and of that the most promising.

    Parameters
    ----------
    graph : Graph
        That was run.
    registry : Registry
    run : Observed
    """
    if not run.times:
        return ()
    rules = _threads, _decode, _reader, _python, _copies, _gpu, _ahead, _small_batch
    found = [advice for rule in rules for advice in rule(graph, registry, run)]
    return tuple(sorted(found, key=lambda one: not one.edits))[:_MAX_ADVICE]


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _lead(key: str, run: Observed) -> str:
    """What a node's share of the work means: another node may have a larger one."""
    sets = run.times[key].share == max(time.share for time in run.times.values())
    return f"{key} sets the pace:" if sets else f"{key} takes long, too:"


def _busy(run: Observed, threads: int) -> float:
    """The part of a batch's time in which the threads work, 0 to 1."""
    return min(run.working / threads, 1.0)


def _threads(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    del registry
    now, best = graph.options.num_threads, min(run.cores, MAX_THREADS)
    edits = (SetPipeline(option="num_threads", value=best),)
    if now > best:
        yield Proposal(
            name="threads", lead="More threads than cores:",
            proof=f"{now} threads share {best} {'core' if best == 1 else 'cores'}, and wait for each other.",
            offer=f"Use {best} threads.", edits=edits,
        )  # fmt: skip
    elif now < best and _busy(run, now) >= _BUSY:
        yield Proposal(
            name="threads", lead="The CPU's threads set the pace:",
            proof=f"{now} of {best} cores work, {_percent(_busy(run, now))} of the time.",
            offer=f"Use {best} threads.", edits=edits,
        )  # fmt: skip


def _decode(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    for key, schema, time in _nodes(graph, registry, run):
        decodes = [port.kind for port in schema.inputs[:1]] == ["encoded"]
        if not decodes or graph.node(key).device != "cpu" or time.share < _SHARE:
            continue
        proof = f"{_percent(time.share)} of the work of all nodes, {time_words(time.cpu)} in the median batch."
        if run.gpu and "mixed" in schema.devices:
            device = () if graph.options.device_id is not None else (SetPipeline(option="device_id", value=0),)
            moved = on_gpu(graph, registry)
            edits = tuple(
                SetDevice(key=node.key, device=node.device)
                for node in moved.nodes()
                if node.key in graph and graph.node(node.key).device != node.device
            )
            alone = len(moved) == len(graph)  # no copies are needed in between
            yield Proposal(
                name="decode", node=key, lead=_lead(key, run), proof=proof,
                offer="Decode on the GPU, and go on there.", edits=(*device, *edits) if alone else (),
            )  # fmt: skip
        else:
            fast = schema.argument("jpeg_fancy_upsampling")
            offer = "Smaller files decode faster: store the photos nearer to the size that is used."
            quick = fast is not None and graph.node(key).arguments.get("jpeg_fancy_upsampling") is True
            yield Proposal(
                name="decode", node=key, lead=_lead(key, run), proof=proof,
                offer="Leave the smooth upsampling of colour out." if quick else offer,
                edits=(SetArgument(key=key, argument="jpeg_fancy_upsampling", unset=True),) if quick else (),
            )  # fmt: skip


def _reader(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    for key, schema, time in _nodes(graph, registry, run):
        if schema.role != "reader" or time.share < _SHARE:
            continue
        given = graph.node(key).arguments.get("prefetch_queue_depth")
        depth = given if isinstance(given, int) else 1
        deeper = min(depth * 4, 16)
        decodes = schema.outputs[0].kind in ("video", "audio")
        known = not decodes and schema.argument("prefetch_queue_depth") is not None and deeper > depth
        offer = "Move the files to a faster disk."
        if decodes:
            offer = "Store the files nearer to the size or rate that is used, or in a format that decodes faster."
        yield Proposal(
            name="reader", node=key, lead=_lead(key, run),
            proof=f"{_percent(time.share)} of the work is reading{' and decoding' if decodes else ''} files.",
            offer=f"Read {deeper} batches ahead." if known else offer,
            edits=(SetArgument(key=key, argument="prefetch_queue_depth", value=deeper),) if known else (),
        )  # fmt: skip


def _python(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    for key, schema, time in _nodes(graph, registry, run):
        written = any(callable(value) for value in graph.node(key).objects.values())
        if written and time.share >= _SHARE:
            yield Proposal(
                name="python", node=key, lead=_lead(key, run),
                proof=f"{_percent(time.share)} of the work is Python, which uses one core at a time.",
                offer=f"Give whole batches in fn.{schema.name}, or do it with operators.",
            )  # fmt: skip


def _copies(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    del graph, registry
    copied = sum(c.milliseconds for time in run.times.values() for c in time.copies)
    whole = sum(time.median for time in run.times.values())
    if whole and copied / whole >= _SHARE:
        size = sum(c.size for time in run.times.values() for c in time.copies)
        yield Proposal(
            name="copies", lead="Copies to and from the GPU set the pace:",
            proof=f"{byte_count(size)} in {time_words(copied)} of the median batch.",
            offer="Copy bytes and not floats: normalise behind the copy.",
        )  # fmt: skip


def _gpu(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    del registry
    # nodes that one kernel computes have the kernel's time each
    spent = {(time.group or (key,)): time.gpu for key, time in run.times.items() if time.gpu and key in graph}
    busy = min(sum(spent.values()) / max(run.milliseconds, 1e-9), 1.0)
    if busy >= _BUSY:
        most = max(spent, key=lambda group: spent[group])
        names = most[0] if len(most) == 1 else f"{most[0]} to {most[-1]}"
        yield Proposal(
            name="gpu", node=most[0], lead="The GPU sets the pace:",
            proof=f"it works {_percent(busy)} of the time of the median batch, {time_words(spent[most])} of it for "
            f"{names}.",
            offer="Make pictures smaller before it, or place steps on the CPU.",
        )  # fmt: skip


def _ahead(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    del registry
    depth = graph.options.prefetch_queue_depth
    if depth == 1 and _busy(run, graph.options.num_threads) < 1:
        yield Proposal(
            name="ahead", lead="Batches are made one at a time:",
            proof=f"1 batch is made ahead, and {_percent(1 - _busy(run, graph.options.num_threads))} "
            "of the threads' time is free.",
            offer="Make 2 batches ahead.", edits=(SetPipeline(option="prefetch_queue_depth", value=2),),
        )  # fmt: skip


def _small_batch(graph: Graph, registry: Registry, run: Observed) -> Iterator[Proposal]:
    del registry
    size, free = graph.options.batch_size, 1 - _busy(run, graph.options.num_threads)
    if size < _SMALL and free > 1 - _BUSY:
        larger = min(size * 4, _LARGE)
        yield Proposal(
            name="batch", lead="The batch is small:",
            proof=f"{size} samples leave the threads without work {_percent(free)} of the time.",
            offer=f"Make batches of {larger}.", edits=(SetPipeline(option="batch_size", value=larger),),
        )  # fmt: skip


def _nodes(graph: Graph, registry: Registry, run: Observed) -> Iterator[tuple[str, OperatorSchema, NodeTime]]:
    """Measured nodes whose operators are known, the slowest first."""
    for key, time in sorted(run.times.items(), key=lambda item: -item[1].median):
        if key in graph and graph.node(key).operator in registry:
            yield key, registry.schema(graph.node(key).operator), time

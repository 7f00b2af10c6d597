"""``dali-studio run``: runs a document and shows what came out and what it cost."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

import msgspec
from tqdm import tqdm

from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.api.placement import check_devices
from dali_studio.cli.images import shows_images, strips
from dali_studio.cli.output import folder_for, write
from dali_studio.cli.text import note, report, say, table, waiting
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import refusals, validate
from dali_studio.runtime.failures import FailedSample
from dali_studio.runtime.probe import Probe

#: Iterations of a pipeline that has no reader, and hence no epoch.
_ITERATIONS = 10
#: Samples whose shapes are shown.
_LOOKED_AT = 8
#: Failed samples that are written out; the report has all of them.
_SHOWN_FAILURES = 5


@dataclass(slots=True)
class Run:
    """What a run has given.

    Attributes
    ----------
    probe
        Times of every node.
    first
        Outputs of the first iteration.
    samples
        Sizes of the batches.
    seconds
        How long all of them took. Iterations overlap, hence it is not the sum of theirs.
    failed
        Samples of these batches that could not be read or decoded, where that does not end the run (`on_error`).
    made
        Types and shapes of what each node gives for the first samples.
    """

    probe: Probe
    first: tuple[TensorListCPU, ...] = ()
    samples: list[int] = field(default_factory=list[int])
    seconds: float = 0.0
    failed: list[FailedSample] = field(default_factory=list[FailedSample])
    made: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def throughput(self) -> float:
        """Samples per second."""
        return sum(self.samples) / self.seconds if self.seconds else 0.0


def run_document(graph: Graph, batches: int | None, out: str | None) -> None:
    """Run `graph`, write the tables, and leave a contact sheet and a report in the folder `out`.

    Raises
    ------
    DaliStudioError
        With every finding that prevents the run, or the sample that ended it.
    """
    folder = None if out is None else folder_for(out)
    result = run(graph, batches)
    names = _output_names(graph)
    count = "1 batch" if len(result.samples) == 1 else f"{len(result.samples)} batches"
    say(f"{sum(result.samples)} samples in {count}, {result.throughput:,.0f} samples/s")
    say()
    say(time_table(graph, result.probe, result.made))
    _tell_failures(result.failed)
    if shows_images():
        say(strips(result.first))
    if folder is not None:
        from dali_studio.cli.sheet import contact_sheet  # noqa: PLC0415 - matplotlib takes a moment to import

        with waiting("Drawing the contact sheet"):
            sheet = contact_sheet(names, result.first)
        if sheet is not None:
            write(folder / "contact_sheet.png", sheet.png)
            if sheet.webp:
                write(folder / "contact_sheet.webp", sheet.webp)
        write(folder / "report.json", json.dumps(_summary(graph, result), indent=2) + "\n")
        say()
        if sheet is None:
            note("No output holds images, so that there is no contact sheet.")
        else:
            moving = f", and moving: {folder / 'contact_sheet.webp'}" if sheet.webp else ""
            say(f"contact sheet: {folder / 'contact_sheet.png'}{moving}")
        say(f"report: {folder / 'report.json'}")


def _tell_failures(failed: list[FailedSample]) -> None:
    skipped = sum(sample.action == "skip" for sample in failed)
    replaced = len(failed) - skipped
    for count, what in ((skipped, "left out"), (replaced, "replaced by black pictures")):
        if count:
            note(f"warning: {count} sample{'s' * (count > 1)} could not be read or decoded; {what} (on_error):")
    for sample in failed[:_SHOWN_FAILURES]:
        note(f"  {sample.node} (batch {sample.iteration}, sample {sample.sample}): {sample.message} [{sample.source}]")
    if len(failed) > _SHOWN_FAILURES:
        note(f"  and {len(failed) - _SHOWN_FAILURES} more; the report of --out has all.")


def _output_names(graph: Graph) -> list[str]:
    """The key of the node, or the name of the output where a node has several."""
    registry, names = default_registry(), list[str]()
    for port in graph.outputs:
        node = graph.node(port.node)
        declared = registry.outputs(node.operator, node.arguments, len(graph.inputs(node.key)))
        names.append(port.node if len(declared) == 1 else declared[port.output].name)
    return names


def run(graph: Graph, batches: int | None) -> Run:
    """Run `graph` for `batches` iterations; an epoch if ``None``."""
    registry = default_registry()
    validation = validate(graph, registry)
    if found := refusals(graph, registry, validation):
        raise DaliStudioError(found)
    report(validation.diagnostics)
    check_devices(graph, registry)
    _warm_up(graph)
    made = _made(graph)
    probe = Probe()
    with waiting("Listing what is read"):
        engine = Engine(graph, registry, probe=probe)
    result = Run(probe, made=made)
    try:
        wanted = batches or _epoch(engine)
        # shown on a terminal alone; standard error may be closed
        bar = tqdm(total=wanted, unit="batch", disable=sys.stderr is None or None, file=sys.stderr)
        with bar, _interrupts() as check:
            begin = perf_counter()
            while len(result.samples) < wanted and _next(engine, result):
                check()
                result.seconds = perf_counter() - begin
                bar.update()
    finally:
        engine.close()
    # iterations that were computed ahead have failures as well, but are not part of the result
    counted = (sample for sample in engine.failed_samples() if sample.iteration < len(result.samples))
    result.failed = sorted(counted, key=lambda sample: (sample.iteration, sample.sample))
    if not result.samples:
        raise DaliStudioError(
            Diagnostic(code="DS303", message="The sources gave no data.", hint="Feed at least one batch.")
        )
    return result


@contextmanager
def _interrupts() -> Generator[Callable[[], None], None, None]:
    """What is yielded raises KeyboardInterrupt after Ctrl-C.

    Python does so by itself, but only reports it where it happens to run a finaliser, and goes on.
    """
    told = False

    def tell(*_: object) -> None:
        nonlocal told
        told = True
        raise KeyboardInterrupt

    def check() -> None:
        if told:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # signals belong to the main thread
        yield check
        return
    before = signal.signal(signal.SIGINT, tell)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)


def _warm_up(graph: Graph) -> None:
    """Run an iteration that counts for nothing: in the first one, kernels compile or load."""
    with waiting("Listing what is read"):
        engine = Engine(graph, default_registry(), background=False)
    try:
        with waiting("Computing a first batch (kernels of a GPU are compiled once)"):
            _next(engine, Run(Probe()))
    finally:
        engine.close()


def _made(graph: Graph) -> dict[str, str]:
    """Types and shapes of what each node gives for the first samples, which a run of its own computes."""
    registry, whole = default_registry(), graph.copy()
    needed = graph.reachable(registry=registry)
    ports = [
        PortRef(node=node.key, output=output)
        for node in graph.nodes() if node.key in needed
        for output in range(len(registry.outputs(node.operator, node.arguments, len(graph.inputs(node.key)))))
    ]  # fmt: skip
    # those of the pipeline stay first: seeds follow from the order of outputs
    whole.set_outputs([*graph.outputs, *(port for port in ports if port not in graph.outputs)])
    whole.options = msgspec.structs.replace(graph.options, batch_size=min(graph.options.batch_size, _LOOKED_AT))
    engine, result = Engine(whole, registry, background=False), Run(Probe())
    try:
        _next(engine, result)
    finally:
        engine.close()
    texts = dict[str, list[str]]()
    batches = dict(zip(engine.plan.outputs, result.first, strict=False))
    for port in ports:
        if port in batches:
            texts.setdefault(port.node, []).append(_described(batches[port]))
    return {key: ", ".join(described) for key, described in texts.items()}


def _described(batch: TensorListCPU) -> str:
    """``uint8 HWC 300-512×400×3``: the type, the layout, and the extents of each axis over the samples."""
    axes = zip(*batch.shape(), strict=False)
    extents = "×".join(f"{min(axis)}" if min(axis) == max(axis) else f"{min(axis)}-{max(axis)}" for axis in axes)
    return " ".join(part for part in (str(batch.dtype).rpartition(".")[2].lower(), batch.layout(), extents) if part)


def _next(engine: Engine, result: Run) -> bool:
    engine.prefetch()
    try:
        made = engine.result()
    except StopIteration:
        return False
    result.first = result.first or tuple(batch.as_cpu() for batch in made)
    result.samples.append(max(len(batch) for batch in made))
    return True


def _epoch(engine: Engine) -> int:
    sizes = [meta["epoch_size_padded"] for meta in engine.reader_meta().values()]
    return -(-max(sizes) // engine.graph.options.batch_size) if sizes else _ITERATIONS


def time_table(graph: Graph, probe: Probe, made: Mapping[str, str]) -> str:
    """Times of the nodes as text, in the order of computation; the CPU's and the GPU's apart where there are both.

    Parameters
    ----------
    made
        What each node gives, as text.
    """
    times = probe.summary()
    both = any(time.gpu or time.copies for time in times.values())
    rows: list[tuple[str, ...]] = []
    for key in (key for key in graph.order() if key in times):
        time = times[key]
        parts = (f"{time.cpu:.2f}", f"{time.median - time.cpu:.2f}") if both else ()
        rows.append(
            (key, graph.node(key).operator, f"{time.median:.2f}", *parts, f"{time.p95:.2f}", f"{time.share:.0%}",
             made.get(key, ""))
        )  # fmt: skip
    heads = ("node", "operator", "ms/batch", *(("cpu", "gpu") if both else ()), "p95", "share", "gives")
    return table(heads, rows, numbers=tuple(range(2, len(heads) - 1)))


def _summary(graph: Graph, result: Run) -> dict[str, Any]:
    times = result.probe.summary()
    return {
        "pipeline": graph.options.name,
        "batch_size": graph.options.batch_size,
        "num_threads": graph.options.num_threads,
        "batches": len(result.samples),
        "samples": sum(result.samples),
        "samples_per_second": round(result.throughput, 2),
        "failed": [asdict(sample) for sample in result.failed],
        "nodes": {
            key: {
                "operator": graph.node(key).operator,
                "median_ms": round(t.median, 4),
                "p95_ms": round(t.p95, 4),
                "cpu_ms": round(t.cpu, 4),
                "gpu_ms": round(t.gpu, 4),
                "copies": [
                    {"direction": c.direction, "bytes": c.size, "ms": round(c.milliseconds, 4)} for c in t.copies
                ],
                "host_bytes": t.host,
                "gpu_bytes": t.device,
                "share": round(t.share, 4),
            }
            for key, t in times.items()
        },
    }

"""How two pipelines differ: what was added, removed and changed, and what that does to the numbers of each node."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dali_studio.api.default import default_registry
from dali_studio.cli.document import open_document
from dali_studio.cli.text import note, say, table, waiting
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.random import resolve_pipeline_seed
from dali_studio.core.wording import plural
from dali_studio.graph.difference import difference
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.runtime.workers import WorkerPool
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.revision import Revision

#: Samples whose numbers are compared, at most.
_MAX_SAMPLES = 8


def diff_documents(before: str, after: str, images: str | None, *, pixels: bool) -> bool:
    """Print how one pipeline became the other; ``True`` if they are equal.

    Parameters
    ----------
    before, after : str
        Documents, programs or examples; ``COMMIT:PATH`` is a file as Git has it.
    images : str, optional
        Folder that all readers are to read.
    pixels : bool
        Run both, and compare what the nodes of the same names give.

    Raises
    ------
    DaliStudioError
        If one cannot be read.
    """
    graphs = _opened(before, images, samples=pixels), _opened(after, images, samples=pixels)
    found = difference(*graphs)
    for line in found.lines():
        say(line)
    if not found:
        note("The pipelines are equal.")
    elif pixels:
        _compare_numbers(*graphs)
    return not found


def _opened(text: str, images: str | None, *, samples: bool) -> Graph:
    commit, colon, path = text.partition(":")
    if not colon or len(commit) < 2 or Path(text).exists():  # one letter is a drive
        return open_document(text, images, samples=samples)
    command = ["git", "show", "--end-of-options", f"{commit}:./{path}"]
    try:
        made = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - no shell; the user's own words
    except OSError as error:
        reason = error.strerror or str(error)
    else:
        reason = made.stderr.decode(errors="replace").strip() if made.returncode else ""
        if not made.returncode:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / Path(path).name
                file.write_bytes(made.stdout)
                return open_document(str(file), images, samples=samples)
    message = f"Git has no {path} in {commit}: {reason}."
    raise DaliStudioError(Diagnostic(code="DS302", message=message, hint="Write COMMIT:PATH, as for git show."))


def _compare_numbers(before: Graph, after: Graph) -> None:
    """Print a table of the nodes that are in both and give other numbers."""
    registry = default_registry()
    seed = resolve_pipeline_seed(before.options.seed)
    one = Revision(before, registry, 0, seed)
    samples = range(min(before.options.batch_size, after.options.batch_size, _MAX_SAMPLES))
    pool = WorkerPool(before.options.num_threads)
    try:
        with waiting("Computing both"):
            a, b = (PreviewEngine(registry, pool).compute(r, 0, samples).outputs for r in (one, one.like(after)))
    finally:
        pool.close()
    rows = list(_rows(a, b))
    same = sum(not row[2] for row in rows)
    if changed := [(row[0], row[1], row[2]) for row in rows if row[2]]:
        say()
        say(table(("output", "samples", "how far apart"), changed))
    note(f"{plural(same, 'output')} of {len(rows)} that both have are equal in the first {len(samples)} samples.")


def _rows(a: dict[PortRef, Batch], b: dict[PortRef, Batch]) -> Iterator[tuple[str, str, str]]:
    """Name, samples that differ, and how, or an empty text."""
    for port, batch in a.items():
        if port not in b:
            continue
        pairs = list(zip(batch.samples, b[port].samples, strict=True))
        apart = [(x, y) for x, y in pairs if x.shape != y.shape or not np.array_equal(x, y)]
        name = f"{port.node}[{port.output}]" if port.output else port.node
        words = ""
        if any(x.shape != y.shape for x, y in apart):
            x, y = next((x, y) for x, y in apart if x.shape != y.shape)
            words = f"{'×'.join(map(str, x.shape))} became {'×'.join(map(str, y.shape))}"
        elif apart:
            far = [np.abs(x.astype(np.float64) - y.astype(np.float64)) for x, y in apart]
            words = f"largest {max(float(f.max()) for f in far):.4g}, mean {np.mean([f.mean() for f in far]):.4g}"
        yield name, f"{len(apart)} of {len(pairs)}", words

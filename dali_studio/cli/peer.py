"""Runs an emitted program in nvidia.dali, in a process of its own, and keeps its outputs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

#: Outputs of one batch: for each output its samples.
Outputs = list[list[NDArray[Any]]]
_MISSING = 3
_LINES = 6


def peer_batches(source: str, function: str, batches: int) -> list[Outputs]:
    """The outputs of the first batches; fewer if its data ends before.

    Raises
    ------
    DaliStudioError
        DS601 if nvidia.dali is not installed, DS304 if it cannot run the program: with what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(source, encoding="utf-8")
        command = [sys.executable, "-m", "dali_studio.cli.peer", folder, function, str(batches)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a program that we wrote
        if done.returncode == _MISSING:
            hint = "pip install nvidia-dali-cuda120 (Linux); it needs no GPU for this."
            raise DaliStudioError(Diagnostic(code="DS601", message="nvidia.dali is not installed.", hint=hint))
        if done.returncode:
            said = "\n".join(done.stderr.strip().splitlines()[-_LINES:])
            message = "nvidia.dali cannot run this program."
            raise DaliStudioError(Diagnostic(code="DS304", message=message, detail=said, hint=f"It says: {said}"))
        return [_loaded(path) for path in sorted(Path(folder).glob("*.npz"))]


def _loaded(path: Path) -> Outputs:
    with np.load(path) as kept:
        counts = kept["counts"].tolist()
        return [[kept[f"{output}_{sample}"] for sample in range(count)] for output, count in enumerate(counts)]


def _run(folder: Path, function: str, batches: int) -> int:
    try:
        import nvidia.dali as peer  # noqa: F401, PLC0415 # pyright: ignore - tells whether it is there
    except ImportError:
        return _MISSING
    source = (folder / "program.py").read_text(encoding="utf-8")
    for number, samples in zip(range(batches), run_program(source, function), strict=False):
        arrays = {f"{o}_{i}": sample for o, batch in enumerate(samples) for i, sample in enumerate(batch)}
        arrays["counts"] = np.array([len(batch) for batch in samples])
        np.savez(folder / f"{number:06}.npz", **arrays)  # pyright: ignore[reportArgumentType] - of savez itself
    return 0


def run_program(source: str, function: str) -> Iterator[Outputs]:
    """The outputs of an emitted program, batch after batch, in this process."""
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), names)  # noqa: S102 - we wrote it
    pipe = names[function]()
    pipe.build()
    while True:
        try:
            outputs = pipe.run()
        except StopIteration:
            return
        yield [[np.asarray(batch.as_cpu()[i]) for i in range(len(batch))] for batch in outputs]


if __name__ == "__main__":
    sys.exit(_run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))

"""How long a training waits for data; same names as ``nvidia.dali.plugin.pytorch.loader_evaluator``."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

__all__ = ["LoaderEvaluator"]

_MODES = ("log", "replay")


class LoaderEvaluator:
    """Iterates over a DataLoader and measures it, or replays some of its batches, which takes no time.

    A training that is no faster with ``"replay"`` than with ``"log"`` does not wait for its data.

    Parameters
    ----------
    dataloader : iterable with a length
        A ``torch.utils.data.DataLoader``, or an iterator of this package.
    mode : {"log", "replay"}
    num_cached_batches : int
        How many batches ``"replay"`` repeats: the last ones of an epoch, which is read at once.
    metrics_file : str, optional
        Where `save_metrics` writes.

    Raises
    ------
    DaliStudioError
        DS105 for another mode.
    """

    def __init__(
        self, dataloader: Any, mode: str = "log", num_cached_batches: int = 20, metrics_file: str | None = None
    ) -> None:
        if mode not in _MODES:
            raise _error("DS105", "mode", f"mode is {mode!r}; log and replay are accepted.", "Give one of them.")
        self.dataloader, self.mode = dataloader, mode
        self.num_cached_batches, self.metrics_file = num_cached_batches, metrics_file
        self.cached_batches: deque[Any] = deque(maxlen=num_cached_batches)
        if mode == "replay":
            self.cached_batches.extend(dataloader)
        self.batch_times: list[float] = []
        self.start_time: float | None = None
        self.end_time: float | None = None

    @property
    def cache_ready(self) -> bool:
        """Whether there are batches to replay."""
        return bool(self.cached_batches)

    def __len__(self) -> int:
        return len(self.dataloader)

    def __iter__(self) -> Iterator[Any]:
        if self.mode == "log":
            return self._measured(iter(self.dataloader))
        if not self.cache_ready:
            raise _error("DS304", "mode", "There is no batch to replay.", "Give a loader with at least one batch.")
        return self._measured(islice(cycle(self.cached_batches), len(self)))

    def _measured(self, batches: Iterator[Any]) -> Iterator[Any]:
        self.batch_times, self.end_time = [], None
        self.start_time = time.time()
        while True:
            begin = time.time()
            try:
                batch = next(batches)
            except StopIteration:
                break
            self.batch_times.append(time.time() - begin)
            yield batch
        self.end_time = time.time()

    def get_metrics(self) -> dict[str, Any]:
        """Seconds of the latest iteration: in all, and for each batch; empty before the first batch."""
        times = self.batch_times
        if not times:
            return {}
        total = self.end_time - self.start_time if self.start_time and self.end_time else 0
        return {
            "mode": self.mode, "total_batches": len(times), "total_time": total,
            "avg_batch_time": sum(times) / len(times), "min_batch_time": min(times), "max_batch_time": max(times),
            "batch_times": list(times), "cached_batches": len(self.cached_batches), "cache_ready": self.cache_ready,
        }  # fmt: skip

    def save_metrics(self, filename: str | None = None) -> None:
        """Write the metrics as JSON.

        Raises
        ------
        DaliStudioError
            DS105 if neither `filename` nor `metrics_file` says where.
        """
        target = filename or self.metrics_file
        if target is None:
            raise _error("DS105", "filename", "No file is named for the metrics.", "Give filename, or metrics_file.")
        Path(target).write_text(json.dumps(self.get_metrics(), indent=2), encoding="utf-8")

    def print_summary(self) -> None:
        """Print the loader and its metrics."""
        facts = {"mode": self.mode, "batches": len(self), "cached": len(self.cached_batches)}
        seconds = {name: f"{value:.4f} s" for name, value in self.get_metrics().items() if isinstance(value, float)}
        lines = [f"  {name}: {value}" for name, value in {**facts, **seconds}.items()]
        sys.stdout.write("\n".join(["Loader Evaluator Summary:", *lines, ""]))


def _error(code: str, argument: str, message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code=code, argument=argument, message=message, hint=hint))

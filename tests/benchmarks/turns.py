"""Starting workers, asking them, and waiting no longer than is sensible."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SCRIPT = Path(__file__).resolve().parent / "worker.py"


class Worker:
    """A process with one engine; it is started when it is first asked.

    Parameters
    ----------
    engine : {"studio", "nvidia"}
    peer : Path, optional
        The folder that nvidia.dali is unpacked in, if Python does not find it anyway.
    """

    def __init__(self, engine: str, peer: Path | None = None) -> None:
        self.engine = engine
        self._environment = dict(os.environ)
        if engine == "nvidia" and peer is not None:
            self._before("PYTHONPATH", peer)
            self._before("LD_LIBRARY_PATH", peer / "nvidia" / "cu13" / "lib")
            self._before("LD_LIBRARY_PATH", peer)
        elif engine == "studio":
            self._before("PYTHONPATH", _SCRIPT.parents[2])
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._processors: set[int] | None = None

    def bind(self, processors: set[int]) -> None:
        """Let the process use only these; call it before the first question."""
        self._processors = processors

    def _before(self, name: str, folder: Path) -> None:
        given = self._environment.get(name)
        self._environment[name] = f"{folder.resolve()}{os.pathsep}{given}" if given else str(folder.resolve())

    def send(self, question: Mapping[str, Any]) -> None:
        """Ask without waiting."""
        if self._process is None:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
            self._process = subprocess.Popen(
                [sys.executable, str(_SCRIPT), "--engine", self.engine], env=self._environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            )  # fmt: skip
            if self._processors is not None:  # before it has other threads
                os.sched_setaffinity(self._process.pid, self._processors)
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # `receive` says so

    def receive(self, timeout: float) -> dict[str, Any]:
        """The answer; ``{"error": ...}`` if there is none. A worker that does not answer is started anew."""
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], timeout)
        line = self._process.stdout.readline() if ready else b""
        if line:
            return dict(json.loads(line))
        reason = f"no answer in {timeout:.0f} s" if not ready else f"the process ended: {self._last_words()}"
        self.stop()
        return {"error": reason}

    def ask(self, question: Mapping[str, Any], timeout: float = 120.0) -> dict[str, Any]:
        """Ask and wait."""
        self.send(question)
        return self.receive(timeout)

    def _last_words(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else "without a word"

    def stop(self) -> None:
        """End the process."""
        if self._process is None:
            return
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(timeout=5)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()
        self._process = None

"""Memory of a process, and processes that answer questions or are ended."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
HERE = Path(__file__).resolve().parent
#: Sanitizers take all addresses there are, and memory of their own for each byte of ours.
SANITIZED = "libclang_rt" in os.environ.get("LD_PRELOAD", "")
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Memory:
    """How far the memory of this process grows, in bytes; 0 where the system does not tell, or sanitizers grow, too."""

    def __init__(self) -> None:
        self._before = 0
        self.begin()

    def begin(self) -> None:
        """Measure from here on."""
        if _CLEAR.exists():
            with contextlib.suppress(OSError):  # some containers forbid it; then the highest of the whole run counts
                _CLEAR.write_text("5")
            self._before = _of("VmRSS:")

    def grown(self) -> int:
        """The highest since `begin`, over what there was then."""
        return max(_of("VmHWM:") - self._before, 0) if _STATUS.exists() and not SANITIZED else 0


def _of(field: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def die_with_parent() -> None:
    """Let this process end when the one that started it does, however that ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)


def take_stdout() -> int:
    """Keep the standard output for answers: whatever else prints goes nowhere."""
    answers = os.dup(1)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    return answers


class EndedError(Exception):
    """A process that was asked has ended, or was ended since it did not answer; `reason` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Child:
    """A Python process that is asked by pickles over pipes.

    Parameters
    ----------
    module : str
        Module of this folder whose `main` it runs.
    """

    def __init__(self, module: str) -> None:
        paths = [str(HERE.parent), str(HERE.parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        # no GPU takes part, and its driver would reserve more addresses than a process here may have
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from fuzz import {module}; {module}.main()"], env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def tell(self, question: Any) -> None:
        """Send something; raises `EndedError` if nobody is there."""
        try:
            pickle.dump(question, self._process.stdin)
            self._process.stdin.flush()
        except (BrokenPipeError, OSError) as error:
            raise self._ended() from error

    def answer(self, seconds: float) -> Any:
        """What it says next.

        Raises
        ------
        EndedError
            If it ended, or said nothing for so long and was ended.
        """
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self.close()
            raise EndedError(f"no answer for {seconds:g} s")
        try:
            return pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError) as error:
            raise self._ended() from error

    def _ended(self) -> EndedError:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            code = 0
        self.close()
        return EndedError(_named(code))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


def _named(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


class Forked:
    """A process that is asked, forked from one that has imported what it needs: it is there again within milliseconds.

    Parameters
    ----------
    target : callable
        What runs there, with a function that sends an answer and the questions.
    modules : tuple of str
        What is imported before.
    """

    def __init__(self, target: Callable[..., None], modules: tuple[str, ...]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(modules))
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_forked, args=(target, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def tell(self, question: Any) -> None:
        """As `Child.tell`."""
        try:
            self._connection.send(question)
        except OSError as error:
            raise self._ended() from error

    def answer(self, seconds: float) -> Any:
        """As `Child.answer`; a question may have several."""
        try:
            if self._connection.poll(seconds):
                return self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._ended() from error
        self.close()
        raise EndedError(f"no answer for {seconds:g} s")

    def _ended(self) -> EndedError:
        self._process.join(5)
        code = self._process.exitcode or 0
        self.close()
        return EndedError(_named(code))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._connection.close()


def _forked(target: Callable[..., None], connection: Any) -> None:
    die_with_parent()
    take_stdout()
    connection.send("ready")
    target(connection.send, iter(connection.recv, None))


def serve(answer: Any) -> None:
    """Say that one is ready, then answer questions from the standard input until it ends: the other side of `Child`."""
    die_with_parent()
    stream = os.fdopen(take_stdout(), "wb")

    def tell(said: Any) -> None:
        pickle.dump(said, stream, protocol=pickle.HIGHEST_PROTOCOL)
        stream.flush()

    tell("ready")
    while True:
        try:
            question = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answer(question, tell)

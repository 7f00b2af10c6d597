"""nvidia.dali in a process of its own, since damaged files and senseless arguments may end it.

`main` is that process; `Peer` is the other side.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fuzz import programs
from fuzz.machine import Child, EndedError, Memory, serve
from fuzz.programs import Array, Call

NAME = "nvidia.dali"
#: Less than the time that a case may take, so that its slowness is never taken for ours.
SECONDS = 4.0


@dataclass(frozen=True)
class Verdict:
    """What became of one input.

    Attributes
    ----------
    arrays : list, optional
        Results by output and sample; ``None``: refused.
    message : str
        Why it was refused; begins with "ended:" where the process ended or hung.
    memory : int
        Bytes that it took, if that was asked for.
    """

    arrays: list[list[Array]] | None = None
    message: str = ""
    memory: int = 0


@dataclass
class Peer:
    """Asks the process, and starts it anew when it has ended."""

    _child: Child | None = None
    available: bool = field(default_factory=lambda: importlib.util.find_spec("nvidia") is not None and importlib.util.find_spec(NAME) is not None)

    def run(self, call: Call) -> Verdict:
        """One program."""
        return self._ask(("run", call))

    def decode(self, call: Call, files: Sequence[bytes], expected: Sequence[bool]) -> list[Verdict]:
        """Files through a decoder; those that are expected to be good go together, since one bad file fails a batch."""
        good = [i for i, is_good in enumerate(expected) if is_good]
        found: dict[int, Verdict] = {}
        if good:
            together = self._ask(("decode", call, [files[i] for i in good]))
            if together.arrays is not None:
                found = {i: Verdict([[array]]) for i, array in zip(good, together.arrays[0], strict=True)}
        return [found[i] if i in found else self._ask(("decode", call, [file])) for i, file in enumerate(files)]

    def memory(self, call: Call, file: bytes) -> int:
        """Bytes that the decoding of one file takes; 0 without nvidia.dali."""
        return 0 if not self.available else self._ask(("decode", call, [file])).memory

    def _ask(self, question: Any) -> Verdict:
        try:
            if self._child is None:
                self._child = Child("peer")
                self._child.answer(60)
            self._child.tell(question)
            return self._child.answer(SECONDS)
        except EndedError as ended:
            self._child = None
            return Verdict(message=f"ended: {ended.reason}")

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close()


def version() -> str:
    """The version of nvidia.dali; empty where it is not installed.

    Raises
    ------
    RuntimeError
        If it is there and cannot be imported: then nothing would be compared.
    """
    if not Peer().available:
        return ""
    asked = subprocess.run(
        [sys.executable, "-c", f"import {NAME}.fn; print({NAME}.__version__)"], capture_output=True, text=True, check=False
    )
    if asked.returncode:
        raise RuntimeError(f"{NAME} cannot be imported (or give --without-peer):\n{asked.stderr[-600:]}")
    return asked.stdout.split()[-1]


class _Decoders:
    """A pipeline for each call; one in which a file has failed is made anew."""

    def __init__(self) -> None:
        self._pipes: dict[str, Any] = {}

    def decode(self, call: Call, files: Sequence[bytes]) -> list[list[Array]]:
        key = repr(call)
        pipe = self._pipes.pop(key, None) or programs.decoder(NAME, call, 64)
        pipe.feed_input("files", [programs.np.frombuffer(file, programs.np.uint8) for file in files])
        made = programs.arrays(pipe.run())
        self._pipes[key] = pipe
        return made


def main() -> None:
    """Be that process."""
    decoders, memory = _Decoders(), Memory()

    def answer(question: Any, tell: Callable[[Any], None]) -> None:
        kind, call, *rest = question
        memory.begin()
        try:
            made = decoders.decode(call, *rest) if kind == "decode" else programs.run(NAME, call)
            tell(Verdict(made, memory=memory.grown()))
        except Exception as error:  # noqa: BLE001 - nvidia.dali raises nearly anything
            told = str(error).rpartition("encountered:")[2].strip()
            tell(Verdict(message=f"{type(error).__name__}: {told[:600]}", memory=memory.grown()))

    importlib.import_module(f"{NAME}.fn")
    serve(answer)

"""nvidia.dali in a process of its own, since damaged files and senseless arguments may end it.

`_serve` is that process; `Peer` is the other side.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fuzz import picture_files, programs
from fuzz.machine import EndedError, Forked, Memory
from fuzz.programs import Array, Call

NAME = "nvidia.dali"
# its reader of FITS files asks CUDA for pinned memory otherwise
os.environ.setdefault("DALI_RESTRICT_PINNED_MEM", "1")
#: Less than the time that a case may take, so that its slowness is never taken for ours.
SECONDS = 4.0
SECONDS_TO_START = 120.0
_NO_ROOM = "no room:"
#: What is said where the address space of the process is full; decoders then "fail to decode" without a reason.
_WANT = re.compile("MemoryError|TooLargeError|Resource temporarily unavailable|bad_alloc|[Cc]annot allocate|[Oo]ut of memory")

#: What is said where no more can be mapped; LMDB, which maps 1 GiB of each database, calls that an invalid argument.
_MAPPED = re.compile("File mapping failed|mdb_env_open.*Invalid argument", re.DOTALL)


@dataclass(frozen=True)
class Verdict:
    """What became of one input.

    Attributes
    ----------
    arrays : list, optional
        Results by output and sample; ``None``: refused.
    message : str
        Why it was refused; begins with "ended:" where the process ended or hung, and with "no room:" where it asked for
        more memory or threads than the search allows.
    memory : int
        Bytes that it took, if that was asked for.
    """

    arrays: list[list[Array]] | None = None
    message: str = ""
    memory: int = 0

    @property
    def is_none(self) -> bool:
        """Whether it says nothing of the input."""
        return self.message.startswith(("ended:", _NO_ROOM))


@dataclass
class Peer:
    """Asks the process, and starts it anew when it has ended."""

    _child: Forked | None = None
    available: bool = field(default_factory=lambda: importlib.util.find_spec("nvidia") is not None and importlib.util.find_spec(NAME) is not None)

    def run(self, call: Call) -> Verdict:
        """One program; where no more files can be mapped, once more in a new process, since they stay mapped."""
        verdict = self._ask(("run", call))
        if _MAPPED.search(verdict.message):
            self.close()
            verdict = self._ask(("run", call))
        return verdict

    def decode(self, call: Call, files: Sequence[bytes], expected: Sequence[bool]) -> list[Verdict]:
        """Files through a decoder; those that are expected to be good go together, since one bad file fails a batch.

        A pipeline for each bad file would take ten times as long as all else. So one is asked for the refusals of many,
        and is believed as far as refusals were expected, and if it decodes a good file in the end; everything else
        comes from pipelines in which nothing has failed.
        """
        good = [i for i, is_good in enumerate(expected) if is_good]
        found = self._refused(call, files, [i for i, is_good in enumerate(expected) if not is_good])
        together = self._together(call, files, good)
        if not together and len(good) > 1:
            refused = self._refused(call, files, good)
            together = self._together(call, files, [i for i in good if i not in refused])
        found |= together
        return [found[i] if i in found else self._ask(("decode", call, [file])) for i, file in enumerate(files)]

    def _together(self, call: Call, files: Sequence[bytes], which: Sequence[int]) -> dict[int, Verdict]:
        """Verdicts of files that are decoded as one batch; none if it fails."""
        made = self._ask(("decode", call, [files[i] for i in which])).arrays if which else None
        return {} if made is None else {i: Verdict([[array]]) for i, array in zip(which, made[0], strict=True)}

    def _refused(self, call: Call, files: Sequence[bytes], which: Sequence[int]) -> dict[int, Verdict]:
        """Verdicts of those among the files that are refused one by one in the same pipeline."""
        if not which:
            return {}
        found: dict[int, Verdict] = {}
        verdict = self._ask(("refusals", call, [files[i] for i in which]))
        for i in which:
            if verdict.message.startswith("ended:"):  # this one and what follows must be tried alone
                return found
            if verdict.message:
                found[i] = verdict
            verdict = self._next()
        return found if not verdict.message else {}

    def memory(self, call: Call, file: bytes | None = None) -> int:
        """Bytes that a program, or the decoding of one file, takes in a new process, which has none from before; 0 without nvidia.dali."""
        self.close()
        question = ("run", call) if file is None else ("decode", call, [file])
        return 0 if not self.available else self._ask(question).memory

    def start(self) -> None:
        """Have the process, so that importing nvidia.dali counts for no case; raises `EndedError`."""
        if self.available and self._child is None:
            child = Forked(_serve, (f"{NAME}.fn", f"{NAME}.types", "fuzz.peer"))
            child.answer(SECONDS_TO_START)
            self._child = child

    def _ask(self, question: Any) -> Verdict:
        try:
            self.start()
            assert self._child is not None
            self._child.tell(question)
        except EndedError as ended:
            return self._lost(ended)
        return self._next()

    def _next(self) -> Verdict:
        """The next answer to the last question."""
        assert self._child is not None
        try:
            return self._child.answer(SECONDS)
        except EndedError as ended:
            return self._lost(ended)

    def _lost(self, ended: EndedError) -> Verdict:
        self._child = None
        return Verdict(message=f"ended: {ended.reason}")

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._child is not None:
            self._child.close()
            self._child = None


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
        made = _decoded(pipe, files)
        self._pipes[key] = pipe
        return made

    def refusals(self, call: Call, files: Sequence[bytes]) -> Iterator[str]:
        """Why each is refused, in one pipeline that goes on after failures; and the same of a good file at the end."""
        pipe = programs.decoder(NAME, call, 1)
        for file in (*files, picture_files.sources("jpeg")[0]):
            try:
                _decoded(pipe, [file])
                yield ""
            except Exception as error:  # noqa: BLE001 - nvidia.dali raises nearly anything
                yield _told(error)


def _decoded(pipe: Any, files: Sequence[bytes]) -> list[list[Array]]:
    pipe.feed_input("files", [programs.np.frombuffer(file, programs.np.uint8) for file in files])
    return programs.arrays(pipe.run())


def _told(error: Exception) -> str:
    told = f"{type(error).__name__}: {str(error).rpartition('encountered:')[2].strip()[:600]}"
    return f"{_NO_ROOM} {told}" if _WANT.search(told) else told


def _serve(tell: Callable[[Any], None], questions: Iterable[Any]) -> None:
    """Be that process."""
    decoders, memory = _Decoders(), Memory()
    for kind, call, *rest in questions:
        if kind == "refusals":
            for message in decoders.refusals(call, *rest):
                tell(Verdict(message=message))
            continue
        memory.begin()
        try:
            made = decoders.decode(call, *rest) if kind == "decode" else programs.run(NAME, call)
            tell(Verdict(made, memory=memory.grown()))
        except Exception as error:  # noqa: BLE001 - nvidia.dali raises nearly anything
            tell(Verdict(message=_told(error), memory=memory.grown()))

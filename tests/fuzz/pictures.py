"""Mutated picture files through the decoders."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

import numpy as np
from declared import declared

from dali_studio.core.diagnostics import DaliStudioError
from fuzz import picture_files, picture_info, programs
from fuzz.machine import Memory
from fuzz.outcome import Outcome, compared, unexpected
from fuzz.peer import Peer, Verdict
from fuzz.programs import Array, Call, Member
from fuzz.randomness import of_case

FAMILY = "pictures"
BATCH = 64
#: What the files of a batch go through, in turn; ANY_DATA is not compared, since it can end nvidia.dali.
CALLS = (
    *(Call("decoders.image"),) * 4,
    Call("decoders.image", {"output_type": Member("GRAY")}),
    Call("decoders.image_random_crop"),
    Call("decoders.image", {"dtype": Member("FLOAT"), "output_type": Member("BGR")}),
    Call("decoders.image", {"output_type": Member("ANY_DATA")}),
    Call("decoders.image", {"output_type": Member("YCbCr"), "adjust_orientation": False}),
    Call("decoders.image_random_crop", {"output_type": Member("ANY_DATA")}),
)
#: Memory that is never too much, and how many times nvidia.dali's may be.
FREE_MEMORY, TIMES = 100 * 2**20, 10
#: Bytes of a picture that nvidia.dali has no room for when some such pictures are there: its refusal then says nothing.
LARGE = 200 * 2**20


def content(seed: int, number: int) -> bytes:
    """The file of a case."""
    return picture_files.mutated(of_case(FAMILY, seed, number))[1]


class Pictures:
    """Tries cases; `peer` gives nvidia.dali's verdicts."""

    def __init__(self, peer: Peer) -> None:
        self._peer, self._memory = peer, Memory()

    def check(self, seed: int, numbers: Sequence[int]) -> list[Outcome]:
        """Outcomes of cases of one block of `BATCH` numbers."""
        call = CALLS[numbers[0] // BATCH % len(CALLS)]
        cases = [picture_files.mutated(of_case(FAMILY, seed, number)) for number in numbers]
        files = [file for _, file in cases]
        self._memory.begin()
        try:
            ours = _decode(call, files)
        except Exception as error:  # noqa: BLE001 - on_error catches what a file can do; whatever comes out is a finding
            if len(numbers) > 1:
                return [outcome for number in numbers for outcome in self.check(seed, [number])]
            return [_raised(numbers[0], cases[0][0], error)]
        if self._memory.grown() > FREE_MEMORY and len(numbers) > 1:
            return [outcome for number in numbers for outcome in self.check(seed, [number])]
        grown = self._memory.grown()
        if grown > FREE_MEMORY:
            array = ours[0].arrays
            # it needs that of the pixels at least
            theirs = max(self._peer.memory(call, files[0]), array[0][0].nbytes if array else 0)
            if grown > FREE_MEMORY + TIMES * theirs:
                words = f"{grown / 2**20:.0f} MiB; nvidia.dali or the pixels need {theirs / 2**20:.0f} MiB. {ours[0].message}"
                return [Outcome(numbers[0], cases[0][0], "too much memory", "memory", words)]
        if not self._peer.available or call.arguments.get("output_type") == Member("ANY_DATA"):
            return [
                Outcome(number, form, "accepted" if mine.arrays else "refused")
                for number, (form, _), mine in zip(numbers, cases, ours, strict=True)
            ]
        theirs = self._peer.decode(call, files, [mine.arrays is not None for mine in ours])
        return [
            self._compare(number, form, file, call, mine, other)
            for number, (form, file), mine, other in zip(numbers, cases, ours, theirs, strict=True)
        ]

    def _compare(self, number: int, form: str, file: bytes, call: Call, ours: Verdict, theirs: Verdict) -> Outcome:
        if theirs.is_none:
            return Outcome(number, form, f"{'accepted' if ours.arrays else 'refused'}; nvidia.dali {theirs.message}")
        if ours.arrays is None and theirs.arrays is None:
            return Outcome(number, form, "both refuse")
        if ours.arrays is None:
            plain = self._peer.decode(Call("decoders.image"), [file], [False])[0]
            return compared(number, FAMILY, form, "refused, accepted", ours.message, picture_info.of_accepted(form, file, plain))
        if theirs.arrays is None:
            if ours.arrays[0][0].nbytes > LARGE:
                return Outcome(number, form, "accepted; nvidia.dali has no room for it")
            return compared(number, FAMILY, form, "accepted, refused", picture_info.of_file(form, file), theirs.message)
        # a random window follows from the place in the batch, and nvidia.dali got the files in other batches
        trouble = "" if "random" in call.operator else _difference(ours.arrays[0][0], theirs.arrays[0][0])
        if trouble:
            # damaged files leave others' pixels in nvidia.dali's buffers: only what it makes of the file alone is compared
            alone = self._peer.decode(call, [file], [True])[0]
            if alone.arrays is not None and not _difference(ours.arrays[0][0], alone.arrays[0][0]):
                return Outcome(number, form, "both accept; nvidia.dali's pixels depend on the batch")
            return compared(number, FAMILY, form, "pixels", f"{trouble}\n{picture_info.of_file(form, file)}", "")
        return Outcome(number, form, "both accept")


def _decode(call: Call, files: Sequence[bytes]) -> list[Verdict]:
    """Our verdicts; a file that fails does not stop the others."""
    kept = Call(call.operator, {**call.arguments, "on_error": "placeholder"})
    pipe = programs.decoder("dali_studio", kept, len(files))
    pipe.feed_input("files", [np.frombuffer(file, np.uint8) for file in files])
    (made,) = pipe.run()
    failed = {sample.sample: sample.message for sample in pipe.failed_samples()}
    # what stands in for a failed picture has the size that its header states, and no memory until it is copied
    return [Verdict(message=failed[i]) if i in failed else Verdict([[np.array(made.at(i))]]) for i in range(len(files))]


def _raised(number: int, form: str, error: Exception) -> Outcome:
    kind = unexpected(error) or "exception"
    # a documented refusal that on_error let through is wrong as well: it would end a run over a data set
    told = str(error) if isinstance(error, DaliStudioError) else "".join(traceback.format_exception(error)[-4:])
    return Outcome(number, form, "raised", kind, told)


def _difference(ours: Array, theirs: Array) -> str:
    try:
        declared("decoders.image").check(ours, theirs)
    except AssertionError as error:
        return str(error)
    return ""

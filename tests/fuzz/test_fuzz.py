"""A short search, and the search itself: that it finds what is wrong, and that its cases can be had again."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen import Grid

from fuzz import data_files, families, outcome, picture_files
from fuzz.machine import EndedError
from fuzz.peer import Peer
from fuzz.programs import Call
from fuzz.randomness import of_case
from fuzz.search import Lane, Log, search

REPOSITORY = Path(__file__).resolve().parents[2]


def searched(folder: Path, *options: str) -> list[dict[str, Any]]:
    """The lines of the log of a search."""
    log = folder / "log.jsonl"
    command = [sys.executable, "tests/fuzz", "--processes", "1", "--log", str(log), "--keep", str(folder / "kept"), *options]
    subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=300)
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_files_are_judged_alike_together_and_alone(nvidia: Any) -> None:
    """Whatever order and company: nvidia.dali's verdict is that of a file alone in a new pipeline."""
    files = [data for form in ("png", "jpeg") for data in picture_files.sources(form)[:3]]
    files += [b"", b"abc", *(data[:60] for data in files)]
    good = [True] * 6 + [False] * 8
    call, asked = Call("decoders.image"), Peer()
    try:
        alone = [asked.decode(call, [file], [True])[0] for file in files]
        for expected in (good, [True] * 14, [False] * 14, [not is_good for is_good in good]):
            for one, other in zip(alone, asked.decode(call, files, expected), strict=True):
                assert (one.arrays is None) == (other.arrays is None)
                assert one.arrays is None or other.arrays is None or np.array_equal(one.arrays[0][0], other.arrays[0][0])
    finally:
        asked.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "inputs"), [("pictures", 640), ("documents", 320), ("messages", 60), ("arguments", 240), ("datasets", 160)]
)
def test_nothing_is_found(family: str, inputs: int, tmp_path: Path) -> None:
    """With nvidia.dali where it is installed. Cases are the same every time; `make fuzz` tries others."""
    inputs //= 1 if Grid.whole else 2
    lines = searched(tmp_path, "--family", family, "--inputs", str(inputs))
    found = [line for line in lines if line["what"] == "finding"]
    assert not found, "\n".join(f"{family} {line['number']}: {line['finding']}: {line['detail']}" for line in found)
    assert lines[-1]["what"] == "summary" and lines[-1]["inputs"] >= inputs


@pytest.mark.parametrize("family", list(families.MODULES))
def test_a_case_follows_from_its_number(family: str) -> None:
    first = [families.content(family, 3, number) for number in range(40)]
    program = (
        f"import sys, hashlib; sys.path[:0] = {[str(REPOSITORY / 'tests'), str(REPOSITORY)]!r}\nfrom fuzz.families import content\n"
        f"print(hashlib.sha256(b''.join(content({family!r}, 3, number) for number in range(39, -1, -1))).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "17"}
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    import hashlib

    assert told.stdout.strip() == hashlib.sha256(b"".join(reversed(first))).hexdigest()
    assert len(set(first)) > 30


@pytest.mark.parametrize("form", list(picture_files.STRUCTURED))
def test_mutations_know_their_format(form: str) -> None:
    """Each changes files, and often leaves the first bytes, by which the format is recognised."""
    for mutation in picture_files.STRUCTURED[form]:
        made = [(source, mutation(of_case("test", 0, number), source)) for number, source in enumerate(picture_files.sources(form))]
        assert any(before != after for before, after in made)
        assert sum(after[:2] == before[:2] for before, after in made) > len(made) // 2


@pytest.mark.parametrize(("kind", "data"), data_files.sound_sources())
def test_mutations_know_formats_of_sounds(kind: str, data: bytes) -> None:
    made = [data_files.STRUCTURED[kind][0](of_case("test", 0, number), data) for number in range(20)]
    assert any(after != data for after in made)
    assert sum(after[:4] == data[:4] for after in made) > len(made) // 2


def test_pages_keep_their_checksums() -> None:
    """The checksum is that of the format: pages as libsndfile writes them stay as they are."""
    import soundfile

    stream = io.BytesIO()
    soundfile.write(stream, np.zeros(3000, np.float32), 16000, format="OGG")
    assert b"".join(map(data_files.framed, data_files.pages(stream.getvalue()))) == stream.getvalue()


class Broken(Lane):
    """A lane whose process does what the case says."""

    def _ask(self, family: str, numbers: list[int], seconds: float) -> list[outcome.Outcome]:
        if 13 in numbers:
            raise EndedError("SIGSEGV")
        if 5 in numbers:
            raise EndedError("no answer for 5 s")
        return [outcome.Outcome(number, "x", "fine") for number in numbers]


def test_the_case_that_ends_or_stops_the_process_is_found() -> None:
    lane = Broken(iter([("pictures", list(range(8)))]), 0, Log(None, None, {}, say=lambda _: None), lambda: True)
    found = {case.number: case.finding for case in lane.tried("pictures", list(range(4, 16)))}
    assert found == dict.fromkeys(range(4, 16), "") | {13: "crash", 5: "hang"}


def test_what_is_late_among_others_is_tried_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 5 is late on a busy machine only, case 6 always."""
    begun: list[str] = []

    def tried(lane: Lane, family: str, numbers: list[int]) -> list[outcome.Outcome]:
        quiet = not lane.is_alive()
        begun.extend(f"{number} alone" for number in numbers if quiet)
        return [
            outcome.Outcome(number, "x", *("hang", "hang") if number == 6 or (number == 5 and not quiet) else ("fine", ""))
            for number in numbers
        ]

    monkeypatch.setattr(Lane, "tried", tried)
    log = Log(None, None, {}, say=lambda _: None)
    search(inputs=16, seconds=None, seed=0, families=["documents"], processes=1, first=0, log=log)
    assert begun == ["5 alone", "6 alone"]
    assert log.cases >= 16 and log.findings == {("documents", "x", "hang"): 1}


class Silent:
    """A process that is ready, and then answers nothing until it is killed."""

    def __init__(self, module: str) -> None:
        self._killed, self._asked = threading.Event(), False

    def tell(self, question: Any) -> None:
        self._asked = True

    def answer(self, seconds: float) -> Any:
        if self._asked and self._killed.wait(60.0):
            raise EndedError("SIGKILL")
        return "ready"

    def kill(self) -> None:
        self._killed.set()

    def close(self) -> None:
        self.kill()


class Absent(Silent):
    """A process that ends before it is ready."""

    def answer(self, seconds: float) -> Any:
        raise EndedError("exit code 1")


def impossible(module: str) -> Any:
    raise BlockingIOError("Resource temporarily unavailable")


@pytest.mark.parametrize(
    ("process", "why"),
    [(Silent, "it went on for 0 s after the end"), (Absent, "does not start: exit code 1"), (impossible, "Resource temporarily unavailable")],
)
def test_the_search_ends_whatever_its_processes_do(process: Any, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.search.Child", process)
    monkeypatch.setattr("fuzz.search._SECONDS_TO_END", 0.0)
    log = Log(None, None, {}, say=lambda _: None)
    told = search(inputs=None, seconds=0.5, seed=0, families=["documents"], processes=2, first=0, log=log)
    assert len(log.stopped) == 2 and all(why in stopped and "documents" in stopped for stopped in log.stopped)
    assert "2 processes were given up" in told and not log.findings


def test_a_difference_is_a_finding_unless_it_is_listed() -> None:
    listed = outcome.compared(1, "arguments", "crop", "refused, accepted", "{} DS106 crop: volumes (DHWC) are not supported yet.", "")
    assert not listed.finding and "as listed" in listed.verdict
    other = outcome.compared(1, "arguments", "crop", "refused, accepted", "{} DS305 crop: failed.", "")
    assert other.finding == "verdict"
    assert outcome.compared(1, "arguments", "crop", "pixels", "{} mean difference 9", "").finding == "pixels"
    with pytest.raises(ValueError, match="reason"):
        outcome.Rule(family="pictures", group="png", difference="pixels", reason="")


def test_memory_is_measured() -> None:
    if sys.platform != "linux":
        pytest.skip("the system does not tell")
    program = (  # in a process that has given nothing back before
        f"import sys; sys.path[:0] = {[str(REPOSITORY / 'tests'), str(REPOSITORY)]!r}\n"
        "import numpy as np\nfrom fuzz.machine import Memory\nmemory = Memory()\nmemory.begin()\nbefore = memory.grown()\n"
        "np.ones(100 * 2**20, np.uint8)\nprint(before, memory.grown())"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    before, after = map(int, told.split())
    assert before < 20 * 2**20 and after > 90 * 2**20


def test_findings_are_logged_and_counted(tmp_path: Path) -> None:
    log = Log(tmp_path / "log.jsonl", tmp_path / "kept", {"seed": 0}, say=lambda _: None)
    log.take("pictures", 0, [outcome.Outcome(3, "png", "raised", "exception", "why"), outcome.Outcome(4, "png", "both accept")])
    assert "2 inputs in 2 cases" in log.close()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["what"] for line in lines] == ["settings", "finding", "summary"]
    assert lines[-1]["findings"] == [["pictures", "png", "exception", 1]]
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.read_bytes() == families.content("pictures", 0, 3)

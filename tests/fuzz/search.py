"""The search: processes that try cases, a watch over them, a log, and a summary."""

from __future__ import annotations

import itertools
import json
import os
import platform
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fuzz.families import BATCHES, SHARES, content
from fuzz.machine import Child, EndedError
from fuzz.outcome import LISTED, Outcome

#: How long one case may take. A batch may take longer; when it does, its cases are tried one by one.
SECONDS, SECONDS_OF_BATCH = 5.0, 30.0
#: A process is started anew after so many batches, so that no case suffers for many before it.
BATCHES_OF_PROCESS = 400
#: Of the same kind of finding in the same group, so many are kept in full.
KEPT_OF_A_KIND = 100
_SECONDS_TO_START = 180.0
#: Of the cases that took too long, so many are tried again at the end; the others are findings as they are.
_LATE_TRIED = 40


@dataclass
class Log:
    """Counts what happens, and writes what is found: one JSON object a line."""

    path: Path | None
    folder: Path | None
    settings: dict[str, Any]
    say: Callable[[str], None] = print
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    findings: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    inputs: int = 0
    cases: int = 0

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._stream = self.path.open("w", encoding="utf-8") if self.path else None
        self._begun = time.monotonic()
        self._write("settings", **self.settings)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._begun

    def take(self, family: str, seed: int, outcomes: Sequence[Outcome]) -> None:
        """Count cases, and write what is wrong with them."""
        with self._lock:
            for outcome in outcomes:
                self.cases += 1
                self.inputs += outcome.inputs
                self.counts[family, outcome.group, outcome.verdict] += 1
                if outcome.finding:
                    self._found(family, seed, outcome)

    def _found(self, family: str, seed: int, outcome: Outcome) -> None:
        key = family, outcome.group, outcome.finding
        self.findings[key] += 1
        if self.findings[key] <= KEPT_OF_A_KIND:
            self._write("finding", family=family, seed=seed, **asdict(outcome))
            self.say(f"{family} {outcome.number} ({outcome.group}): {outcome.finding}: {outcome.detail[:300]}")
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
                name = f"{outcome.finding}_{family}_{outcome.group.replace('/', '_')[:30]}_{seed}_{outcome.number}"
                (self.folder / name).write_bytes(content(family, seed, outcome.number))

    def progress(self) -> None:
        """One line about how far it is."""
        with self._lock:
            found = sum(self.findings.values())
            self._write("progress", seconds=round(self.seconds), inputs=self.inputs, findings=found)
            self.say(f"{self.seconds:.0f} s: {self.inputs} inputs, {self.inputs / self.seconds:.0f} a second, {found} findings")

    def close(self) -> str:
        """Write the summary; returns it as text."""
        own = sum(os.times()[:2])
        lines = [
            f"{self.inputs} inputs in {self.cases} cases, {self.seconds:.0f} s, {self.inputs / self.seconds:.0f} inputs a second.",
            f"Handing out and counting took {own:.1f} s of this process, {own / max(self.inputs, 1) * 1000:.3f} ms an input.",
        ]
        of_group: Counter[tuple[str, str]] = Counter()
        for (family, group, _), count in self.counts.items():
            of_group[family, group] += count
        lines += [
            f"  {count:8}  {count / of_group[family, group]:7.2%}  {family} / {group}: {verdict}"
            for (family, group, verdict), count in sorted(self.counts.items())
        ]
        listed: Counter[str] = Counter()
        for (family, _, verdict), count in self.counts.items():
            if verdict.startswith(LISTED):
                listed[f"{family}: {verdict.removeprefix(LISTED)}"] += count
        lines += ["Differences that are listed, by rule:", *(f"  {count:8}  {rule}" for rule, count in listed.most_common())]
        of_family: Counter[str] = Counter()
        for (family, _), count in of_group.items():
            of_family[family] += count
        lines += ["Cases by family:", *(f"  {count:8}  {family}" for family, count in sorted(of_family.items()))]
        lines.append(f"{sum(self.findings.values())} findings" + (":" if self.findings else "."))
        lines += [f"  {count:8}  {family} / {group}: {kind}" for (family, group, kind), count in sorted(self.findings.items())]
        text = "\n".join(lines)
        self._write(
            "summary", inputs=self.inputs, cases=self.cases, seconds=round(self.seconds, 1),
            counts=_listed(self.counts), findings=_listed(self.findings), text=text,
        )  # fmt: skip
        if self._stream:
            self._stream.close()
        return text

    def _write(self, what: str, **facts: Any) -> None:
        if self._stream:
            self._stream.write(json.dumps({"what": what, **facts}) + "\n")
            self._stream.flush()


def _listed(counts: Counter[tuple[str, str, str]]) -> list[list[Any]]:
    return [[*key, count] for key, count in sorted(counts.items())]


def schedule(shares: dict[str, int], first: int = 0) -> Iterator[tuple[str, list[int]]]:
    """Batches without end: families in proportion to their shares, numbers in turn from `first`."""
    begin = dict.fromkeys(shares, first)
    given = dict.fromkeys(shares, 0.0)
    while True:
        family = min(shares, key=lambda name: given[name] / shares[name])
        # a conversation counts for several inputs
        given[family] += BATCHES[family] * (5 if family == "messages" else 1)
        yield family, list(range(begin[family], begin[family] + BATCHES[family]))
        begin[family] += BATCHES[family]


class Lane(threading.Thread):
    """Tries one batch after the other in a process of its own, and finds out which case ended or stopped it."""

    def __init__(self, batches: Iterator[tuple[str, list[int]]], seed: int, log: Log, goes_on: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        self._batches, self._seed, self._log, self._goes_on = batches, seed, log, goes_on
        self._child: Child | None = None
        self._asked = 0
        #: Cases that took too long while others ran beside them.
        self.late: list[tuple[str, Outcome]] = []

    def run(self) -> None:
        while self._goes_on() and (batch := next(self._batches, None)) is not None:
            family, numbers = batch
            outcomes = self.tried(family, numbers)
            self.late += [(family, outcome) for outcome in outcomes if outcome.finding == "hang"]
            self._log.take(family, self._seed, [outcome for outcome in outcomes if outcome.finding != "hang"])
        self.close()

    def tried(self, family: str, numbers: list[int]) -> list[Outcome]:
        """Outcomes of the cases, whatever they do to the process."""
        try:
            return self._ask(family, numbers, SECONDS_OF_BATCH if len(numbers) > 1 else SECONDS)
        except EndedError:
            if len(numbers) > 1:
                return [outcome for number in numbers for outcome in self.tried(family, [number])]
        try:  # once more, in a fresh process: another program may have kept the machine busy
            return self._ask(family, numbers, SECONDS)
        except EndedError as ended:
            kind = "hang" if ended.reason.startswith("no answer") else "crash"
            return [Outcome(numbers[0], "the process", kind, kind, ended.reason)]

    def _ask(self, family: str, numbers: list[int], seconds: float) -> list[Outcome]:
        if self._child is None or self._asked >= BATCHES_OF_PROCESS:
            self.close()
            self._child, self._asked = Child("families"), 0
            self._child.answer(_SECONDS_TO_START)
        self._asked += 1
        try:
            self._child.tell((family, self._seed, numbers))
            return self._child.answer(seconds)
        except EndedError:
            self._child = None
            raise

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close()
            self._child = None


def search(
    *, inputs: int | None, seconds: float | None, seed: int, families: list[str], processes: int, first: int, log: Log
) -> str:
    """Try cases until one of the limits; returns the summary."""
    ends = time.monotonic() + seconds if seconds is not None else float("inf")
    lock = threading.Lock()
    endless = schedule({name: SHARES[name] for name in families}, first)

    def batches() -> Iterator[tuple[str, list[int]]]:
        while True:
            with lock:
                batch = next(endless)
            yield batch

    def goes_on() -> bool:
        return (inputs is None or log.inputs < inputs) and time.monotonic() < ends

    lanes = [Lane(batches(), seed, log, goes_on) for _ in range(processes)]
    for lane in lanes:
        lane.start()
    try:
        for tick in itertools.count(1):
            for lane in lanes:
                lane.join(timeout=1.0 / len(lanes))
            if not any(lane.is_alive() for lane in lanes):
                break
            if tick % 30 == 0:
                log.progress()
    except KeyboardInterrupt:
        log.say("stopped")
    finally:
        for lane in lanes:
            lane.close()
    _judge_late([late for lane in lanes for late in lane.late], seed, log)
    return log.close()


def _judge_late(late: list[tuple[str, Outcome]], seed: int, log: Log) -> None:
    """Try what took too long once more, when nothing else runs: where all cores are busy, much is late."""
    quiet = Lane(iter(()), seed, log, lambda: True)
    for position, (family, outcome) in enumerate(late):
        log.take(family, seed, quiet.tried(family, [outcome.number]) if position < _LATE_TRIED else [outcome])
    quiet.close()


def facts() -> dict[str, Any]:
    """What the log says of the machine and the packages."""
    from importlib import metadata

    from dali_studio import __version__

    installed = {dist.metadata["Name"].lower(): dist.version for dist in metadata.distributions()}
    names = ("numpy", "pillow", "simplejpeg", "msgspec", "nvidia-dali-cuda120", "nvidia-dali-cuda130")
    return {
        "dali_studio": __version__, "python": platform.python_version(), "machine": platform.platform(),
        "packages": {name: installed[name] for name in names if name in installed},
    }  # fmt: skip

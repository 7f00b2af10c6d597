"""Frames of videos for batches to come, which a GPU's decoders give side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count, groupby
from typing import Any, NamedTuple

from dali_studio.core.limits import MAX_WAITING_THREADS
from dali_studio.kernels.cpu.video_codec import FrameColors, VideoError, VideoIndex
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.video import AT_ONCE, GpuVideoFile
from dali_studio.operators.readers.ahead import AHEAD

#: Threads, each of which feeds a decoder and mostly waits for it: more than six for each of the seven that the largest
#: GPUs have (docs/video.md). And tasks that are to be there for them: those of some batches are done.
_THREADS, _TASKS = 48, 96
#: Tasks, with those that have ended, beyond which these are forgotten.
_ENDED = 256
#: Videos that stay open, and those among them that keep a decoder, to go on where they have ended.
_OPEN, _HALFWAY = 64, 4
#: Of a GPU's memory, the part that batches may take that are read in advance.
_SHARE = 8
#: The weight of a batch in the average of how many tasks batches begin.
_WEIGHT = 0.1


class Frame(NamedTuple):
    """A frame of a sequence.

    Attributes
    ----------
    path : str
    video : VideoIndex
    number : int
    position, place : int
        Of the sequence in its batch, and of the frame in the sequence.
    """

    path: str
    video: VideoIndex
    number: int
    position: int
    place: int


@dataclass(slots=True, eq=False)
class _Goal:
    """The frames of a batch."""

    rooms: Sequence[Any]
    left: int
    failures: dict[int, Exception] = field(default_factory=dict[int, Exception])
    #: What ends the run, such as memory that is too small.
    defect: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, frames: int) -> None:
        """Take note of frames that need not be waited for any more."""
        with self.lock:
            self.left -= frames
            if not self.left:
                self.ended.set()


class _Wanted(NamedTuple):
    """A frame of a task; they are sorted by number, and then as they came."""

    number: int
    came: int
    position: int
    place: int
    goal: _Goal


@dataclass(slots=True)
class _Task:
    """Frames that follow one key frame, or several that are near to each other; more may come while it goes on.

    It has a lock of its own: one for all would be waited for by threads that then wait for the interpreter's, and most
    decoders would stand still.
    """

    path: str
    index: VideoIndex
    wanted: list[_Wanted] = field(default_factory=list[_Wanted])
    #: The number of the last frame that was taken, and whether no more may come.
    at: int = -1
    ended: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, wanted: Sequence[_Wanted]) -> bool:
        """Let it decode these frames, too, unless it is past one of them."""
        with self.lock:
            if self.ended or min(wanted).number <= self.at:
                return False
            for one in wanted:
                heappush(self.wanted, one)
            return True

    def next(self) -> list[_Wanted]:
        """The places of the next frames, in order; those of sequences that have failed need them no more."""
        found = list[_Wanted]()
        with self.lock:
            while self.wanted and len(found) < AT_ONCE:
                number = self.wanted[0].number
                while self.wanted and self.wanted[0].number == number:
                    one = heappop(self.wanted)
                    if one.position in one.goal.failures or one.goal.defect is not None:
                        one.goal.count(1)
                    else:
                        found.append(one)
            self.ended = not found
            if found:
                self.at = found[-1].number
        return found


class Engines:
    """Decoders at work on frames of many batches.

    What is asked for is sorted by the key frames that it follows. A decoder takes one key frame's frames after the
    other, for all batches that want them, and waits for no other decoder; so all of them have work as soon as as many
    key frames are asked for (`in_advance`).

    Parameters
    ----------
    stream : GpuStream
    colors : FrameColors
    """

    def __init__(self, stream: GpuStream, colors: FrameColors) -> None:
        self.stream, self._colors = stream, colors
        self._threads = ThreadPoolExecutor(_THREADS, "dali-studio-video")
        self._tasks: dict[tuple[str, int], _Task] = {}
        self._goals: set[_Goal] = set()
        self._idle: list[tuple[str, GpuVideoFile]] = []
        #: Of tasks and goals, and of files that wait.
        self._lock, self._files = threading.Lock(), threading.Lock()
        self._came, self._closed = count(), False
        #: Tasks that a batch begins, on average, and its bytes; none is known before the first batch.
        self._begun, self._size = 0.0, 0

    def in_advance(self) -> int:
        """Batches that are to be read at the same time, for all decoders to have work and memory to be enough."""
        if not self._size:
            return AHEAD
        wanted = 1 + int(_TASKS / max(self._begun, _TASKS / MAX_WAITING_THREADS))
        return min(wanted, self.stream.capacity // _SHARE // max(self._size, 1), MAX_WAITING_THREADS)

    def decode(self, frames: Iterable[Frame], rooms: Sequence[Any], size: int) -> dict[int, Exception]:
        """Decode the frames of a batch into their rooms, on the default stream; gives why sequences failed.

        Parameters
        ----------
        frames : iterable of Frame
        rooms : sequence of DeviceFrames
            Of the sequences.
        size : int
            Bytes of the batch.
        """
        groups: dict[tuple[str, int], list[Frame]] = {}
        for frame in frames:
            groups.setdefault((frame.path, frame.video.group_before(frame.number)), []).append(frame)
        goal = _Goal(rooms, sum(map(len, groups.values())))
        if not goal.left:
            return {}
        with self._lock:
            if self._closed:
                raise CancelledError
            begun = 0
            self._goals.add(goal)
            if len(self._tasks) > _ENDED:
                self._tasks = {key: task for key, task in self._tasks.items() if not task.ended}
            for key, its in groups.items():
                wanted = [_Wanted(one.number, next(self._came), one.position, one.place, goal) for one in its]
                task = self._tasks.get(key)
                if task is None or not task.add(wanted):
                    task = self._tasks[key] = _Task(its[0].path, its[0].video, sorted(wanted))
                    self._threads.submit(self._work, task)
                    begun += 1
            self._begun += (begun - self._begun) * (_WEIGHT if self._size else 1)
            self._size = size
        goal.ended.wait()
        self._goals.discard(goal)
        if goal.defect is not None:
            try:
                raise goal.defect
            finally:
                goal.defect = None  # it knows this call, and so the memory of the batch
        return goal.failures

    def close(self) -> None:
        """Give back what open files hold; batches that are being read end with `CancelledError`."""
        with self._lock:
            self._closed = True  # before the threads end: `decode` gives them work under the same lock
            self._tasks.clear()
            goals, self._goals = list(self._goals), set()
        with self._files:
            idle, self._idle = self._idle, []
        self._threads.shutdown(wait=False, cancel_futures=True)
        for goal in goals:
            goal.defect = CancelledError()
            goal.ended.set()
        for _, video in idle:
            video.close()

    def _work(self, task: _Task) -> None:
        """Decode the frames of a task until none is left."""
        cuda, wanted = cupy().cuda, list[_Wanted]()
        try:
            with cuda.Device(self.stream.device_id), cuda.Stream.null:
                video: GpuVideoFile | None = None
                while wanted := self._next(task):
                    for number, its in groupby(wanted, lambda one: one.number):
                        places = [one for one in its if one.position not in one.goal.failures]
                        if not places:
                            continue
                        rooms = [one.goal.rooms[one.position][one.place] for one in places]
                        try:
                            video = video or self._open(task.path, task.index, number)
                            video.put(number, rooms, self._colors)
                        except (VideoError, OSError) as error:
                            for one in places:
                                one.goal.failures.setdefault(one.position, error)
                            if video is not None:
                                video.finish()
                                video.close()
                                video = None
                    if video is not None:
                        video.finish()
                    self._done(wanted)
                if video is not None:
                    self._keep(task.path, video)
        except BaseException as defect:  # noqa: BLE001 - raised where the batches are waited for
            while wanted := wanted or self._next(task):
                for one in wanted:
                    one.goal.defect = defect
                self._done(wanted)
                wanted = []
        task.wanted.clear()  # of one that was closed: the memory of batches goes back before the pool that it is of

    def _next(self, task: _Task) -> list[_Wanted]:
        """The places of the next frames of a task; none at its end."""
        return [] if self._closed else task.next()

    @staticmethod
    def _done(wanted: Sequence[_Wanted]) -> None:
        for goal, its in groupby(wanted, lambda one: one.goal):
            goal.count(sum(1 for _ in its))

    def _open(self, path: str, index: VideoIndex, number: int) -> GpuVideoFile:
        """An open file: one that need not go back, or to another key frame, if there is one."""
        key = index.key_before(number)
        with self._files:
            there = [(number - video.position, place) for place, (name, video) in enumerate(self._idle) if name == path]
            near = [one for one in there if 0 <= one[0] <= number - key]
            if there:
                return self._idle.pop(min(near or there)[1])[1]
        return GpuVideoFile(self.stream.device_id, path, index)

    def _keep(self, path: str, video: GpuVideoFile) -> None:
        """Let a file wait, with its decoder if it ended between two key frames."""
        if video.is_at_key:
            video.rest()  # outside of the lock, like all that waits for the hardware
        early: tuple[str, GpuVideoFile] | None = None
        surplus: GpuVideoFile | None = None
        with self._files:
            if not self._closed:
                self._idle.append((path, video))
                halfway = [place for place, (_, one) in enumerate(self._idle) if not one.is_resting]
                if len(halfway) > _HALFWAY:
                    early = self._idle.pop(halfway[0])
                elif len(self._idle) > _OPEN:
                    surplus = self._idle.pop(0)[1]
            else:
                surplus = video
        if early is not None:
            early[1].rest()
            self._keep(*early)
        if surplus is not None:
            surplus.close()

"""Mutated videos of every codec through the decoder: ``PYTHONPATH=. python tests/fuzz/videos.py 10000 [FIRST]``.

Ends with 1 if something else comes out than frames or a `VideoError`, with the number of the case, and by a signal if
the decoder crashes. Says what became of the cases, and how much memory the process has after every tenth of them.
"""

from __future__ import annotations

import os
import random
import sys
import traceback
from collections import Counter
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dali_studio.kernels.cpu.video_codec import VideoError, VideoFile
from dali_studio.schema.sample_videos import CODECS, encoded_video
from fuzz import data_files

#: More pixels in a frame, or frames in a file, are not decoded: that would only take time.
_PIXELS, _FRAMES = 1 << 22, 1000


def main(count: int, first: int = 0) -> int:
    """Try cases, from the number `first` on."""
    sources = [encoded_video(codec, 6, (64, 64)) for codec in CODECS]
    seen: Counter[str] = Counter()
    memory: list[float] = []
    for number in range(first, first + count):
        rng = random.Random(number)
        data = sources[number % len(sources)]
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = data_files.mutated(rng, "", data)
        try:
            seen[_outcome(rng, data)] += 1
        except Exception:  # noqa: BLE001 - this is what is searched
            sys.stdout.write(f"case {number}:\n{traceback.format_exc()}")
            return 1
        if not (number - first) % max(count // 10, 1):
            memory.append(_resident())
    sys.stdout.write(f"{dict(seen)} MiB: {' '.join(f'{value:.0f}' for value in memory)}\n")
    return 0


def _outcome(rng: random.Random, data: bytes) -> str:
    try:
        video = VideoFile(np.frombuffer(data, np.uint8))
        index = video.index
        if index.height * index.width > _PIXELS or len(index) > _FRAMES:
            video.close()
            return "large"
        numbers = rng.sample(range(len(index)), min(len(index), 8))  # in any order: it goes back, too
        video.read(numbers, np.empty((len(numbers), index.height, index.width, 3), np.uint8))
        video.close()
    except VideoError:
        return "refused"
    return "decoded"


def _resident() -> float:
    """MiB of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

"""What a data set of very many files costs before its first batch: seconds, and bytes of memory for each file.

usage: million_files.py [FILES], 1,000,000 if not given, in 1,000 classes with names as long as ImageNet's. The files are
empty, and lie in a temporary folder, which is removed. `file_list` names files that need not exist until they are read.
"""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLASSES = 1000


def main() -> None:
    """The command line."""
    if sys.argv[1:2] == ["measure"]:
        measure(*sys.argv[2:])
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        small, root = Path(folder, "small"), Path(folder, "train")
        for place, many in ((small, CLASSES), (root, count)):
            make(place, place.with_suffix(".txt"), many)
        for argument, ending in (("file_root", ""), ("file_list", ".txt")):
            places = [f"{place}{ending}" for place in (small, root)]
            subprocess.run([sys.executable, __file__, "measure", argument, *places], check=True)


def make(root: Path, listed: Path, count: int) -> None:
    """Empty files, an hour old, and a list of them."""
    with listed.open("w") as lines:
        for label in range(CLASSES):
            folder = root / f"n{label:08}"
            folder.mkdir(parents=True)
            for number in range(count // CLASSES):
                name = f"{folder.name}_{number}.JPEG"
                os.close(os.open(folder / name, os.O_CREAT | os.O_WRONLY))
                lines.write(f"{folder}/{name} {label}\n")
            os.utime(folder, (time.time() - 3600,) * 2)
    os.utime(root, (time.time() - 3600,) * 2)


def measure(argument: str, small: str, place: str) -> None:
    """The first pipeline behind that of a small data set, and a second one, which finds the listing of the first."""
    from dali_studio import Pipeline, fn

    def first_batch(place: str) -> tuple[float, Pipeline]:
        begin = time.perf_counter()
        made = Pipeline(batch_size=64, num_threads=2, device_id=None)
        with made:
            made.set_outputs(*fn.readers.file(**{argument: place}, random_shuffle=True, name="reader"))
        made.run()
        return time.perf_counter() - begin, made

    first_batch(small)  # takes what is imported and compiled
    before = resident()
    seconds, kept = first_batch(place)
    count = kept.epoch_size("reader")
    after, again = resident(), first_batch(place)[0]
    sys.stdout.write(
        f"{argument}: {count:,} files; first batch after {seconds:.2f} s, in a second pipeline after {again:.2f} s; "
        f"{(after - before) / count:.0f} bytes a file\n"
    )


def resident() -> int:
    """Bytes in memory, less what the allocator keeps for later."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()

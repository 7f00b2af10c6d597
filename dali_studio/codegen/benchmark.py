"""Programs that are exported tell by themselves what a batch of them is, and how fast they are."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

#: How a program ends that `emit.emit` has written.
_END = re.compile(
    r'^if __name__ == "__main__":\n    pipe = (?:.+\n)+    pipe\.build\(\)\n    outputs = pipe\.run\(\)\n\Z',
    re.MULTILINE,
)
# the imports stand behind the call, since a pipeline may be called as these modules are
_MEASURES = """
    import sys
    import time

    if "--bench" in sys.argv:  # --bench 500: over 500 batches
        batches = int(sys.argv[2]) if len(sys.argv) > 2 else 100
        for _ in range(10):  # until caches are warm and batches are prefetched
            pipe.run()
        start = time.perf_counter()
        samples = sum(len(pipe.run()[0]) for _ in range(batches))
        seconds = time.perf_counter() - start
        print(f"{samples / seconds:.1f} samples/s, {1000 * seconds / batches:.2f} ms/batch")
    else:
        for i, output in enumerate(outputs):
            shapes = sorted(set(output.shape()))
            print(f"output {i}: {len(output)} samples of {output.dtype}, shapes {shapes}")
"""


def with_benchmark(program: str, file: Path | None = None) -> str:
    """A program with lines that measure it when it is run, if it ends as programs that are written anew do.

    Parameters
    ----------
    file
        Where a text that its user has written goes: a file that is there without these lines does not get them.
    """
    with suppress(OSError):
        if file is not None and b"--bench" not in file.read_bytes():
            return program
    return f"{program}{_MEASURES}" if _END.search(program) else program

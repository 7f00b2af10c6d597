"""What only long or repeated runs show: ``python tests/benchmarks/endurance.py [memory] [corrupt] [repeat]``.

memory   thousands of batches: memory of the process and of the GPU over time, flat or not
corrupt  a data set of which some files are damaged, with on_error="skip" and "placeholder": the run goes on, and every
         sound file comes out
repeat   run after run with different numbers of threads: every byte of the outputs is the same

The exit code is 0 if all of it is as it should be.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from duel_programs import WORKS, Place
from machine import metadata
from photos import usual

from dali_studio import DaliStudioError, fn, types
from dali_studio.pipeline import Pipeline

_MIB = 1 << 20
#: Share of a long run that fills caches, queues and pools, and is not looked at.
_SETTLING = 0.25
#: Seconds after which the GPU's decoders of a new pipeline take part.
_OPENING = 0.8


def main() -> int:
    """Run the parts, print and write what they found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="memory, corrupt, repeat (default: all)")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--photos", type=Path, help="folder of class folders (default: photos of 500×375)")
    parser.add_argument("--batches", type=int, default=10_000, help="of the long run (default 10000)")
    parser.add_argument("--batch", type=int, default=32, help="samples of a batch (default 32)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 4, 16], help="of repeated runs (default 1 4 16)")
    parser.add_argument("--runs", type=int, default=10, help="with each number of threads (default 10)")
    parser.add_argument(
        "--works", nargs="+", default=["readme", "readme, our hardware too", "decode alone"],
        help="programs of repeated runs (default: readme, also with hardware, and decode alone)",
    )
    parser.add_argument("--damaged", type=float, default=0.05, help="share of damaged files (default 0.05)")
    parser.add_argument("--slack", type=float, default=64, help="MiB that a flat run may grow by (default 64)")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(_PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}; there are {', '.join(_PARTS)}")
    if options.photos is None:
        options.photos = usual()
    found: dict[str, Any] = {}
    for name in options.parts or _PARTS:
        began = time.perf_counter()
        found[name] = _PARTS[name](options)
        found[name]["seconds"] = time.perf_counter() - began
        sys.stdout.write(
            f"{name}: {json.dumps({k: v for k, v in found[name].items() if k != 'samples'}, ensure_ascii=False)}\n"
        )
        sys.stdout.flush()
        if options.out is not None:  # each time: what was found is there if the rest is not
            written = {"machine": metadata(), "device": options.device, "results": found}
            options.out.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if all(result["good"] for result in found.values()) else 1


@contextmanager
def _pipeline(options: argparse.Namespace, work: str, threads: int) -> Iterator[Pipeline]:
    gpu = options.device == "gpu"
    pipe = Pipeline(batch_size=options.batch, num_threads=threads, device_id=0 if gpu else None, seed=17)
    with pipe:
        pipe.set_outputs(*WORKS[work].define(Place(fn, types, str(options.photos), gpu, _unused, _unused, WORKS[work].ours)))
    try:
        yield pipe
    finally:
        pipe.release()


def _unused() -> Any:
    raise AssertionError("these programs read files")


# --------------------------------------------------------------------------------------------------------------- memory


def _memory(options: argparse.Namespace) -> dict[str, Any]:
    """Resident memory, memory of the GPU in use by anyone, and the pipeline's own share of it; in MiB."""
    samples: list[dict[str, float]] = []
    with _pipeline(options, "readme", max(options.threads)) as pipe:
        for number in range(options.batches):
            pipe.run()
            if number % max(options.batches // 80, 1) == 0 or number == options.batches - 1:
                samples.append({"batch": number, **_used(pipe, gpu=options.device == "gpu")})
    settled = samples[int(len(samples) * _SETTLING) :]
    half = len(settled) // 2
    growth = {
        key: max(s[key] for s in settled[half:]) - max(s[key] for s in settled[:half])
        for key in samples[0]
        if key != "batch"
    }
    good = all(value <= options.slack for value in growth.values())
    return {"good": good, "batches": options.batches, "growth": growth, "last": samples[-1], "samples": samples}


def _used(pipe: Pipeline, *, gpu: bool) -> dict[str, float]:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    found = {"resident": pages * os.sysconf("SC_PAGE_SIZE") / _MIB}
    if gpu:
        import cupy

        free, total = cupy.cuda.runtime.memGetInfo()
        assert pipe._engine is not None and pipe._engine.executor._gpu is not None
        _, held = pipe._engine.executor._gpu.memory()
        found |= {"gpu": (total - free) / _MIB, "pool": held / _MIB}
    return found


# -------------------------------------------------------------------------------------------------------------- corrupt


def _corrupt(options: argparse.Namespace) -> dict[str, Any]:
    """Two epochs over files of which some are cut off, overwritten, or empty; labels tell the files apart."""
    found: dict[str, Any] = {"good": True}
    with tempfile.TemporaryDirectory() as folder:
        files, damaged = _damaged_copy(options.photos, Path(folder), options.damaged)
        found |= {"files": len(files), "damaged": len(damaged)}
        for action in ("skip", "placeholder"):
            result = found[action] = _survives(options, Path(folder), files, damaged, action)
            found["good"] = found["good"] and result["good"]
    return found


def _damaged_copy(photos: Path, folder: Path, share: float) -> tuple[list[str], set[int]]:
    generator = random.Random(5)
    files: list[str] = []
    for number, photo in enumerate(sorted(photos.rglob("*.jpg"))):
        files.append(f"{number}.jpg")
        shutil.copy(photo, folder / files[-1])
    damaged = set(generator.sample(range(len(files)), max(round(len(files) * share), 3)))
    for kind, number in enumerate(sorted(damaged)):
        path = folder / files[number]
        data = path.read_bytes()
        path.write_bytes((b"", generator.randbytes(len(data)), data[:200])[kind % 3])
    return files, damaged


def _survives(
    options: argparse.Namespace, folder: Path, files: list[str], damaged: set[int], action: str
) -> dict[str, Any]:
    gpu = options.device == "gpu"
    pipe = Pipeline(batch_size=options.batch, num_threads=max(options.threads), device_id=0 if gpu else None, seed=3)
    seen: set[int] = set()
    sizes: list[int] = []
    black: set[int] = set()
    try:
        with pipe:
            data, labels = fn.readers.file(
                file_root=str(folder), files=files, labels=list(range(len(files))), name="Reader", on_error=action
            )
            images = fn.decoders.image(data, device="mixed" if gpu else "cpu", on_error=action)
            pipe.set_outputs(fn.resize(images, size=(64.0, 64.0)), labels)
        for _ in range(-(-2 * len(files) // options.batch)):
            made, labels = pipe.run()
            numbers = [int(label[0]) for label in np.asarray(labels.as_array())]
            pictures = made.as_cpu()
            assert len(pictures) == len(numbers)
            seen.update(numbers)
            sizes.append(len(numbers))
            black.update(number for i, number in enumerate(numbers) if not pictures.at(i).any())
    except DaliStudioError as error:
        return {"good": False, "error": str(error)[:300]}
    finally:
        pipe.release()
    sound = set(range(len(files))) - damaged
    good = sound <= seen and not black & sound
    good = good and (not seen & damaged if action == "skip" else min(sizes) == options.batch and damaged <= black)
    return {"good": good, "batches": len(sizes), "smallest": min(sizes), "sound_missing": len(sound - seen),
            "damaged_seen": len(seen & damaged), "black": len(black)}  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- repeat


def _repeat(options: argparse.Namespace) -> dict[str, Any]:
    """Digests of all bytes of an epoch and more."""
    photos = sum(1 for _ in options.photos.rglob("*.jpg"))
    batches = -(-photos // options.batch) + 2
    found: dict[str, Any] = {"good": True, "batches": batches}
    for work in options.works:
        runs = [
            _digest(options, work, threads, batches)
            for threads, _ in itertools.product(options.threads, range(options.runs))
        ]
        digests, shares = zip(*runs, strict=True)
        found[work] = {
            "runs": len(runs), "different": len(set(digests)), "digest": digests[0],
            "decoded": {who: [min(one[who] for one in shares), max(one[who] for one in shares)] for who in shares[0]},
        }  # fmt: skip
        found["good"] = found["good"] and len(set(digests)) == 1
    return found


def _digest(options: argparse.Namespace, work: str, threads: int, batches: int) -> tuple[str, dict[str, float]]:
    digest = hashlib.blake2b(digest_size=16)
    with _pipeline(options, work, threads) as pipe:
        for number in range(batches):
            outputs = pipe.run()
            if number == 0 and options.device == "gpu":
                time.sleep(_OPENING)
            for batch in outputs:
                host = batch.as_cpu()
                digest.update(repr((host.shape(), str(host.dtype), host.layout())).encode())
                for index in range(len(host)):
                    digest.update(np.ascontiguousarray(host.at(index)))
        decoded = pipe.decoded_images()
    return digest.hexdigest(), {who: count / sum(decoded.values()) for who, count in decoded.items()}


_PARTS = {"memory": _memory, "corrupt": _corrupt, "repeat": _repeat}


if __name__ == "__main__":
    sys.exit(main())

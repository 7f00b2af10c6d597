"""A training loop over an iterator for PyTorch, as a text that runs under both import prefixes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: Reads the photos in ``folder`` and leaves every pair of pictures and labels in ``seen``. ``{prefix}`` is the package,
#: ``{device}`` where files are decoded; ``{options}`` are arguments of the pipeline.
_PROGRAM = """
from {prefix} import fn, pipeline_def, types
from {prefix}.plugin import pytorch

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

@pipeline_def({options})
def crops(root):
    files, classes = fn.readers.file(name="photos", file_root=root, random_shuffle=True)
    windows = fn.decoders.image_random_crop(files, device="{device}", output_type=types.RGB)
    squares = fn.resize(windows, resize_x=256, resize_y=256)
    flipped = fn.random.coin_flip()
    normal = fn.crop_mirror_normalize(
        squares, mirror=flipped, crop_h=224, crop_w=224,
        mean=[255 * part for part in MEAN], std=[255 * part for part in DEVIATION],
    )
    return normal, classes

loader = pytorch.DALIGenericIterator([crops(folder)], ["pictures", "classes"], reader_name="photos")
seen = []
for _ in range({epochs}):
    for (batch,) in loader:
        seen.append((batch["pictures"], batch["classes"]))
"""


def execute(prefix: str, folder: Path, *, cpu: bool) -> list[tuple[Any, Any]]:
    """Pictures and labels of every batch: of two epochs on the CPU with a seed, or of one that a GPU has decoded."""
    options, device, epochs = "batch_size=16, num_threads=4, device_id=0", "mixed", 1
    if cpu:
        options, device, epochs = "batch_size=6, num_threads=4, device_id=None, seed=11", "cpu", 2
    program = _PROGRAM.format(prefix=prefix, options=options, device=device, epochs=epochs)
    space: dict[str, Any] = {"folder": str(folder)}
    exec(compile(program, f"training loop, {prefix}", "exec"), space)
    return space["seen"]

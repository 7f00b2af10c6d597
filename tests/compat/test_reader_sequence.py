"""``fn.readers.sequence`` where sequences overlap: an image is decoded once a batch, also beside damaged ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dali_studio import Pipeline, fn
from dali_studio.schema.sample_folders import frame_folders


def sequences(root: str, batch_size: int, on_error: str) -> list[bytes]:
    """All sequences of 3 images, in batches of this size."""
    made = Pipeline(batch_size=batch_size, num_threads=2, device_id=None)
    with made:
        made.set_outputs(fn.readers.sequence(file_root=root, sequence_length=3, on_error=on_error, name="reader"))
    found: list[bytes] = []
    for _ in range(made.epoch_size("reader") // batch_size):
        (output,) = made.run()
        found += [np.asarray(output.at(i)).tobytes() for i in range(len(output))]
    return found


@pytest.mark.parametrize(("kind", "on_error"), [("", "raise"), ("damaged", "skip")])
def test_overlapping_sequences_are_those_of_single_ones(tmp_path: Path, kind: str, on_error: str) -> None:
    for name, content in frame_folders(kind).files().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    one, together = (sequences(str(tmp_path), size, on_error) for size in (1, 7))
    assert len(set(one)) > 2
    assert together == one

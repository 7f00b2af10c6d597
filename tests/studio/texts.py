"""A program of a person's own, as the tests of the code pane have it."""

from __future__ import annotations

from typing import Any

from studio.clients import only

from dali_studio import samples
from dali_studio.studio.protocol import messages

TEXT = f"""from dali_studio import fn, pipeline_def, types


@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=3)
def training():
    # what is read
    files, labels = fn.readers.file(file_root={str(samples.photos())!r}, name="reader")
    images = fn.decoders.image(files)   # RGB
    images = fn.resize(images, size=[60, 80])
    return images, labels
"""


def code(got: Any) -> messages.Code:
    return only(got, messages.Code)[-1]

"""``fn.peek_image_shape`` against nvidia.dali, on real files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")
PROGRAM = """
kinds = (types.RGB, types.GRAY, types.YCbCr, types.ANY_DATA)
return (*(fn.peek_image_shape(x, image_type=kind) for kind in kinds),
        fn.peek_image_shape(x, adjust_orientation=False, dtype=types.INT32))
"""


@pytest.mark.parametrize(
    "folder", ["orientation", "png", "bmp", "tiff", "webp_lossy", "webp_lossless", "pnm", "jpeg2k", "jpeg/113"]
)
def test_real_files(data_dir: Path, folder: str) -> None:
    files = [np.fromfile(path, np.uint8) for path in sorted((data_dir / folder).iterdir()) if path.is_file()]
    check(PROGRAM, {"x": files})


def test_what_is_no_picture(data_dir: Path) -> None:
    file = np.fromfile(next((data_dir / "jpeg/113").iterdir()), np.uint8)
    for broken in (file[:100], file[2:], np.zeros(500, np.uint8)):
        check_refused("fn.peek_image_shape(x)", {"x": [file, broken]}, "DS301")

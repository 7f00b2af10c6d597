"""Pictures for tests: made with numpy, of odd sizes, as arrays and as files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import simplejpeg  # pyright: ignore[reportMissingTypeStubs]
from PIL import Image

from dali_studio.kernels.cpu import jpeg
from dali_studio.schema.samples import picture

Array = np.ndarray[Any, Any]

#: Heights and widths that find mistakes at edges, in vector tails and in aspect ratios.
ODD_SIZES: tuple[tuple[int, int], ...] = ((57, 43), (200, 301), (3, 5), (1, 9))
TINY_SIZES: tuple[tuple[int, int], ...] = ((1, 1), (1, 7), (6, 1), (2, 2))


def pictures(
    sizes: Sequence[tuple[int, int]] = ODD_SIZES, channels: int = 3, dtype: Any = np.uint8, planar: bool = False
) -> list[Array]:
    """A batch of pictures of these sizes, HWC or CHW."""
    made = [picture(h, w, channels, dtype, seed) for seed, (h, w) in enumerate(sizes)]
    return [np.ascontiguousarray(item.transpose(2, 0, 1)) for item in made] if planar else made


def encoded(array: Array, form: str = "JPEG", **options: Any) -> Array:
    """The bytes of an image file, as a uint8 array."""
    stream = io.BytesIO()
    mode = options.pop("mode", None)
    image = Image.fromarray(array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array)
    (image.convert(mode) if mode else image).save(stream, form, **options)
    return np.frombuffer(stream.getvalue(), np.uint8)


def coded(array: Array, sampling: str = "420", quality: int = 90) -> Array:
    """A JPEG file with chroma sampling "444", "422", "420" or "440", or of one component ("Gray"), as a uint8 array."""
    colors = "GRAY" if sampling == "Gray" else "RGB"
    plane = np.ascontiguousarray(array[..., :1] if sampling == "Gray" else array)
    return np.frombuffer(simplejpeg.encode_jpeg(plane, quality, colors, sampling), np.uint8)


def on_cpu(file: Array, output: str = "RGB", *, repeated: bool = True) -> Array:
    """The pixels of a JPEG file, with repeated or interpolated chroma, by the CPU's decoder."""
    return jpeg.decode(file, jpeg.parse_header(file), output, fast_upsampling=repeated)


def windows_of(h: int, w: int, more: int) -> list[tuple[int, int, int, int]]:
    """First row, first column, height and width of windows of a picture: those at its edges, and `more` random ones."""
    generator = np.random.default_rng(5)
    found = [(0, 0, h, w), (0, 0, 1, 1), (h - 1, w - 1, 1, 1), (h - 1, 0, 1, w), (0, w - 1, h, 1), (7, 9, 16, 16)]
    for _ in range(more):
        y, x = int(generator.integers(h)), int(generator.integers(w))
        found.append((y, x, int(generator.integers(1, h - y + 1)), int(generator.integers(1, w - x + 1))))
    return found


def dataset(root: Path, classes: int = 3, images: int = 4, size: tuple[int, int] = (20, 27)) -> Path:
    """A folder of class folders with small JPEG files; names sort differently as text and as numbers."""
    for label in range(classes):
        folder = root / f"class_{label}"
        folder.mkdir(parents=True)
        for number in range(images):
            array = picture(size[0] + number, size[1] + label, seed=label * 100 + number)
            (folder / f"{number * 5}.jpg").write_bytes(encoded(array, quality=90).tobytes())
    return root

"""What the JPEG kernels make of many files."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.jpeg import header_cache, libjpeg, scan
from dali_studio.kernels.jpeg.gpu_rule import coefficient_room
from dali_studio.kernels.jpeg.header import parse_header


def progressive(pixels: NDArray[np.uint8], subsampling: int, quality: int) -> bytes:
    """What the kernels are told of a progressive file, its coefficients, and its pixels."""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "JPEG", subsampling=subsampling, quality=quality, progressive=True)
    file = np.frombuffer(stream.getvalue(), np.uint8)
    room = np.zeros(coefficient_room(parse_header(file)) // 8, np.int64)
    assert kernel("jpeg_coefficients")(file, *pixels.shape[:2], room)
    out = np.zeros(pixels.shape, np.uint8)
    height, width, _ = pixels.shape
    where = file.ctypes.data, file.size, height, width, 2, 3, 0, quality % 2, 0, 0, height, width, out.ctypes.data, 3 * width
    assert libjpeg.decode_alone(np.array(where, np.int64)) == libjpeg.DONE
    return room.tobytes() + out.tobytes()


def digest() -> str:
    """A digest of keys of headers, of plans for the GPU, of pixels, and of coefficients."""
    generator, made = np.random.default_rng(8), hashlib.sha256()
    entries = libjpeg.entry_points()
    assert entries is not None
    for k in range(60):
        height, width = generator.integers(1, 70, 2).tolist()
        pixels = generator.integers(0, 256, (height, width, 3), np.uint8)
        sampling = ("444", "422", "420", "440", "411")[k % 5]
        file = np.frombuffer(simplejpeg.encode_jpeg(pixels, int(generator.integers(20, 100)), "RGB", sampling), np.uint8)
        info = parse_header(file)
        if k % 3 == 2:  # damaged, mostly in its header
            file = file.copy()
            file[generator.integers(2, min(file.size, 700), 3)] = generator.integers(0, 256, 3)
        keys, which = np.zeros((1, header_cache._KEY), np.int32), np.zeros(1, np.int64)
        kernel("jpeg_kinds")(np.array([file.ctypes.data]), np.array([file.size]), keys, which, np.zeros(4, np.int64))
        out = np.zeros((info.height, info.width, 3), np.uint8)
        request = np.array(
            [[file.ctypes.data, file.size, *out.shape[:2], 2, 3, 0, k % 2, 0, 0, *out.shape[:2], out.ctypes.data, 3 * width]]
        )
        pictures, rows, plan = np.zeros(1, scan.PICTURE), np.zeros(1, np.int64), np.zeros(scan.PLANNED, np.int64)
        scan.plan(request, np.zeros((1, 2), np.int64), 0, 1, 1 << 30, 1 << 20, pictures, rows, plan)
        outcome = libjpeg.decode(request[0], entries)
        said = (keys.tobytes() if which[0] == 0 else b"", pictures.tobytes() if plan[0] else b"", bytes([outcome]))
        for part in (*said, plan.tobytes(), out.tobytes() if outcome == libjpeg.DONE else b""):
            made.update(part)
        made.update(progressive(pixels, k % 3, 30 + k))
    return made.hexdigest()

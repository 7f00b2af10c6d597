"""Makes the sample data other than photos, of formulas and of the photos; `samples` keeps what is made here.

Each function fills an empty folder. They are called once on a machine, and take about a second each.
"""

from __future__ import annotations

import json
import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from dali_studio import sample_outlines
from dali_studio.sample_outlines import CLASSES
from dali_studio.schema.sample_videos import encoded_frames

#: Counts what is made here: another number makes it anew.
VERSION = 3
#: Samples in a second of the sounds.
RATE = 16_000

#: Photos that are filmed, extents of the frames, and how the camera moves: from where, to where.
_FILMED = ("animals/chelsea.jpg", "people/astronaut.jpg", "things/coffee.jpg", "things/motorcycle.jpg")
_FRAME = (256, 192)
_MOVES = {
    "pan": ((0.0, 0.4, 0.6), (1.0, 0.4, 0.6)), "tilt": ((0.5, 0.0, 0.6), (0.5, 1.0, 0.6)),
    "zoom": ((0.5, 0.3, 1.0), (0.5, 0.3, 0.4)),
}  # fmt: skip
#: Options of the encoder, which is slow and thorough otherwise.
_QUICK = {"deadline": "realtime", "cpu-used": "8", "b": "400k"}

#: Ellipsoids of a head, as Shepp and Logan drew it and others spread it in depth: change of the grey level, three half
#: axes, centre (x, y, z) and the turn about the z axis in degrees.
_ELLIPSOIDS = (
    (1.0, 0.69, 0.92, 0.81, 0.0, 0.0, 0.0, 0.0),
    (-0.8, 0.6624, 0.874, 0.78, 0.0, -0.0184, 0.0, 0.0),
    (-0.2, 0.11, 0.31, 0.22, 0.22, 0.0, 0.0, -18.0),
    (-0.2, 0.16, 0.41, 0.28, -0.22, 0.0, 0.0, 18.0),
    (0.1, 0.21, 0.25, 0.41, 0.0, 0.35, -0.15, 0.0),
    (0.1, 0.046, 0.046, 0.05, 0.0, 0.1, 0.25, 0.0),
    (0.1, 0.046, 0.023, 0.05, -0.08, -0.605, 0.0, 0.0),
    (0.1, 0.023, 0.046, 0.02, 0.06, -0.605, 0.0, 0.0),
)
#: Those that masks of the volumes mark, as class 1: the two ventricles.
_MARKED = (2, 3)
_VOLUME = (48, 96, 80)

#: Formants of vowels in Hz, and their strengths.
_VOWELS = {"a": (730, 1090, 2440), "e": (530, 1840, 2480), "i": (270, 2290, 3010), "o": (570, 840, 2410)}


def coco(photos: Path, folder: Path) -> None:
    """``annotations.json``: boxes and polygons of what the photos show, in the format of COCO."""
    images: list[dict[str, object]] = []
    objects: list[dict[str, object]] = []
    for number, (name, shapes) in enumerate(sample_outlines.photos()):
        with Image.open(photos / name) as photo:
            width, height = photo.size
        images.append({"id": number, "file_name": name, "width": width, "height": height})
        for shape in shapes:
            outline = [round(v, 2) for x, y in shape.points for v in (x * width, y * height)]
            left, top = min(outline[::2]), min(outline[1::2])
            objects.append({
                "id": len(objects), "image_id": number, "category_id": CLASSES.index(shape.label), "iscrowd": 0,
                "bbox": [left, top, round(max(outline[::2]) - left, 2), round(max(outline[1::2]) - top, 2)],
                "area": round(shape.area * width * height, 2), "segmentation": [outline],
            })  # fmt: skip
    categories = [{"id": number, "name": name} for number, name in enumerate(CLASSES) if number]
    made = {"images": images, "annotations": objects, "categories": categories}
    (folder / "annotations.json").write_text(json.dumps(made), encoding="utf-8")


def masks(photos: Path, folder: Path) -> None:
    """A PNG file for each photo, of its size: the number of the class at each pixel."""
    for name, shapes in sample_outlines.photos():
        with Image.open(photos / name) as photo:
            width, height = photo.size
        mask = Image.new("L", (width, height))
        pen = ImageDraw.Draw(mask)
        for shape in shapes:
            pen.polygon([(x * width, y * height) for x, y in shape.points], fill=CLASSES.index(shape.label))
        target = (folder / name).with_suffix(".png")
        target.parent.mkdir(exist_ok=True)
        mask.save(target)


def sequence(photos: Path, folder: Path) -> None:
    """Frames of a camera that follows the motorcycle: ``frame_00.jpg`` and so on, in one folder."""
    with Image.open(photos / "things" / "motorcycle.jpg") as photo:
        picture = photo.convert("RGB")
    target = folder / "motorcycle"
    target.mkdir()
    for number in range(16):
        way = number / 15
        side = 0.42 + 0.2 * way
        left, top = (1 - side) * way, (1 - side) * (0.9 - 0.5 * way)
        window = (left * picture.width, top * picture.height, (left + side) * picture.width,
                  (top + side) * picture.height)  # fmt: skip
        frame = picture.resize((240, 162), Image.Resampling.BICUBIC, box=window)
        frame.save(target / f"frame_{number:02}.jpg", quality=90)


def videos(photos: Path, folder: Path) -> None:
    """Clips (WebM, VP9, 24 frames, 12 a second) of a camera over photos, in a folder for each way that it moves."""
    for name, (begin, end) in _MOVES.items():
        (folder / name).mkdir()
        for photo in _FILMED:
            frames = _clip(photos / photo, np.linspace(begin, end, 24))
            target = (folder / name / Path(photo).name).with_suffix(".webm")
            target.write_bytes(encoded_frames(frames, rate=12, options=_QUICK))


def _clip(photo: Path, windows: NDArray[np.float64]) -> list[NDArray[np.uint8]]:
    """Frames of windows of a photo; of each the place of its centre and its side, in parts of the photo's."""
    with Image.open(photo) as opened:
        picture = opened.convert("RGB")
    width, height = _FRAME
    side = min(picture.width / width, picture.height / height)  # pixels of the photo for one of a frame
    frames: list[NDArray[np.uint8]] = []
    for x, y, part in windows.tolist():
        wide, high = width * side * part, height * side * part
        left, top = (picture.width - wide) * x, (picture.height - high) * y
        box = (left, top, left + wide, top + high)
        frames.append(np.asarray(picture.resize(_FRAME, Image.Resampling.BICUBIC, box=box)))
    return frames


def volumes(folder: Path) -> None:
    """Heads of ellipsoids, ``image/N.npy`` of float32, and what to find in them, ``mask/N.npy`` of uint8 (D, H, W)."""
    for kind in ("image", "mask"):
        (folder / kind).mkdir()
    generator = np.random.default_rng(1)
    for number in range(4):
        image, mask = _head(1.0 - 0.06 * number, 4.0 * number)
        image += generator.normal(0, 0.02, image.shape).astype(np.float32)
        np.save(folder / "image" / f"{number}.npy", image)
        np.save(folder / "mask" / f"{number}.npy", mask)


def _head(size: float, turn: float) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    z, y, x = np.meshgrid(*(np.linspace(-1, 1, n, dtype=np.float32) for n in _VOLUME), indexing="ij")
    image, mask = np.zeros(_VOLUME, np.float32), np.zeros(_VOLUME, np.uint8)
    for place, (level, a, b, c, at_x, at_y, at_z, angle) in enumerate(_ELLIPSOIDS):
        way = np.deg2rad(angle + turn)
        along, across = x / size - at_x, y / size - at_y
        u, v = along * np.cos(way) + across * np.sin(way), across * np.cos(way) - along * np.sin(way)
        inside = (u / a) ** 2 + (v / b) ** 2 + ((z / size - at_z) / c) ** 2 <= 1
        image[inside] += level
        if place in _MARKED:
            mask[inside] = 1
    return image, mask


def sounds(folder: Path) -> None:
    """WAV files of one channel: ``tones`` (a sweep, a chord, beats) and ``vowels``, with some silence around."""
    time = np.arange(RATE) / RATE
    fading = np.minimum(1, np.minimum(time, time[::-1]) * 40)
    tones = {
        "sweep": np.sin(2 * np.pi * (150 * time + 1700 * time**2)),
        "chord": sum(np.sin(2 * np.pi * f * time) for f in (261.6, 329.6, 392.0)) / 3,
        "beats": np.sin(2 * np.pi * 440 * time) * np.sin(2 * np.pi * 3 * time),
    }
    made = {f"tones/{name}": sound for name, sound in tones.items()}
    made |= {f"vowels/{name}": _vowel(time, formants) for name, formants in _VOWELS.items()}
    for number, (name, sound) in enumerate(made.items()):
        silence = [np.zeros(RATE // 10 * (1 + k)) for k in (number % 3, number % 2)]
        heard = np.concatenate([silence[0], sound * fading * 0.6, silence[1]])
        target = folder / f"{name}.wav"
        target.parent.mkdir(exist_ok=True)
        with wave.open(str(target), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes((heard * 32767).astype("<i2").tobytes())


def _vowel(time: NDArray[np.float64], formants: tuple[int, ...]) -> NDArray[np.float64]:
    """Overtones of a voice that falls from 130 to 100 Hz, each as strong as the formants let it be."""
    pitch = 130 - 30 * time
    turns = np.cumsum(pitch) / RATE
    sound = np.zeros_like(time)
    for overtone in range(1, 40):
        frequency = overtone * pitch
        strength = sum(np.exp(-(((frequency - f) / 90) ** 2)) / (1 + k) for k, f in enumerate(formants)) + 0.02
        sound += strength * np.sin(2 * np.pi * overtone * turns) * (frequency < RATE / 2)
    return sound / np.abs(sound).max()

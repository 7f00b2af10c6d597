"""Programs whose designers are measured and looked at."""

from __future__ import annotations

#: The last cell shows a designer that exists: what it takes to show it is the browser's time.
SHOW = "designer"

_BEGIN = """
from dali_studio import Designer, Pipeline, fn, samples, types
made = Pipeline(batch_size={batch_size}, num_threads=2, device_id=None, seed=1)
with made:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
"""
_END = """
designer = Designer(made)
"""
_BRANCHES = """
    small = fn.resize(fn.decoders.image(files), resize_x=96, resize_y=64)
    factors = [fn.random.uniform(range=(0.9, 1.1)) for _ in range(4)]
    ends = []
    for branch in range({branches}):
        image = small
        for step in range({steps}):
            one, two = factors[(branch + step) % 4], factors[step % 4]
            image = fn.brightness_contrast(image, brightness=one, contrast=two) if step % 2 else fn.hsv(image, saturation=one)
        ends.append(image)
    made.set_outputs(*ends, labels)
"""
_CHAIN = """
    decode = fn.decoders.image(files)
    resize = fn.resize(decode, resize_shorter=256)
    rotate = fn.rotate(resize, angle=10.0, fill_value=0.0)
    light = fn.brightness_contrast(rotate, contrast=1.1, name="light")
    colour = fn.hsv(light, hue=20.0, name="colour")
    blur = fn.gaussian_blur(colour, sigma=1.0, name="blur")
    flip = fn.flip(blur, horizontal=1)
    crop = fn.crop(flip, crop=(224.0, 224.0))
    made.set_outputs(crop, labels)
"""
_FIVE = """
    decode = fn.decoders.image(files)
    resize = fn.resize(decode, resize_shorter=256)
    rotate = fn.rotate(resize, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=0)
    light = fn.brightness_contrast(rotate, contrast=1.2)
    made.set_outputs(light, labels)
"""
_SIX = """
    decode = fn.decoders.image(files)
    resize = fn.resize(decode, resize_shorter=256)
    rotate = fn.rotate(resize, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=0)
    light = fn.brightness_contrast(rotate, contrast=1.2, name="light")
    normalize = fn.crop_mirror_normalize(light, dtype=types.FLOAT, crop=(224, 224), mean=[123.7, 116.3, 103.5],
        std=[58.4, 57.1, 57.4], mirror=fn.random.coin_flip(name="mirror"), name="normalize")
    made.set_outputs(normalize, labels)
"""
_CLIP = """
    frames, _ = fn.experimental.readers.video(
        file_root=str(samples.videos()), sequence_length=8, stride=3, step=24, name="clip"
    )
    made.set_outputs(frames)
"""
_ODD = """
    decode = fn.decoders.image(files, name="photos_of_the_second_camera_decoded")
    numbers = fn.random.uniform(range=(-123456789012.0, 123456789012.0), name="a_number_with_twelve_digits_and_a_long_name")
    mean = fn.reductions.mean(decode, name="mean_brightness_of_the_whole_photo_in_all_channels")
    large = fn.cast(mean, dtype=types.FLOAT, name="cast") * 123456789.123
    turned = fn.rotate(decode, angle=0.30000000000000004, fill_value=0, name="photos_turned_by_a_very_small_angle_to_the_left")
    made.set_outputs(turned, labels, large, numbers)
"""
_FILES = "file_root=str(samples.photos())"


def branches(count: int, steps: int, batch_size: int = 4) -> str:
    """A program with `count` branches of `steps` nodes that share four random numbers, and seven nodes more."""
    return (_BEGIN + _BRANCHES + _END).format(branches=count, steps=steps, batch_size=batch_size)


def chain() -> str:
    """Ten cards, outputs among them, eight of which have pictures; `rotate` has six operators behind it."""
    return (_BEGIN + _CHAIN + _END).format(batch_size=8)


def five() -> str:
    """The pipeline of the drawings."""
    return (_BEGIN + _FIVE + _END).format(batch_size=8)


def six() -> str:
    """`five`, and a node that makes numbers of pixels."""
    return (_BEGIN + _SIX + _END).format(batch_size=8)


def clip() -> str:
    """A video."""
    return (_BEGIN.rsplit("\n", 2)[0] + _CLIP + _END).format(batch_size=2)


def odd() -> str:
    """Long names, many digits, and nodes without pictures."""
    return (_BEGIN + _ODD + _END).format(batch_size=8)


def damaged(folder: str) -> str:
    """`five` with the photos of a folder, some of which cannot be read."""
    return five().replace(_FILES, f"file_root={folder!r}")

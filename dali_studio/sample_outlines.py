"""Outlines of what the sample photos show, drawn by hand, and cut as the photos are: the source of boxes and masks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dali_studio.sample_photos import CUTS, Cut

Points = list[tuple[float, float]]

#: Classes by number; 0 is the background of masks.
CLASSES = ("background", "cat", "person", "helmet", "rocket", "cup", "spoon", "motorcycle", "wheel", "flower", "palace")
#: What is left of an object in a cut counts from this part of the picture on.
_MIN_AREA = 0.004


@dataclass(frozen=True, slots=True)
class Shape:
    """An object in a photo: its class and its outline in parts of the width and the height."""

    label: str
    points: Points

    @property
    def area(self) -> float:
        """In parts of the photo."""
        pairs = zip(self.points, [*self.points[1:], *self.points[:1]], strict=True)
        return abs(sum(x * below - y * right for (x, y), (right, below) in pairs)) / 2


def _ellipse(x: float, y: float, across: float, down: float) -> Points:
    turns = [2 * math.pi * k / 24 for k in range(24)]
    return [(x + across * math.cos(turn), y + down * math.sin(turn)) for turn in turns]


#: By picture, in parts of its width and height; what lies in front comes last.
_SHAPES: dict[str, tuple[Shape, ...]] = {
    "chelsea.png": (
        Shape("cat", [
            (0.12, 0.0), (0.07, 0.12), (0.07, 0.3), (0.06, 0.62), (0.0, 0.85), (0.0, 1.0), (0.8, 1.0), (0.78, 0.85),
            (0.75, 0.6), (0.79, 0.45), (0.8, 0.32), (0.82, 0.2), (0.88, 0.0),
        ]),
    ),
    "flower.jpg": (
        Shape("flower", _ellipse(0.48, 0.52, 0.215, 0.32)), Shape("flower", _ellipse(0.59, 1.05, 0.14, 0.17)),
    ),
    "grace_hopper.jpg": (
        Shape("person", [
            (0.5, 0.03), (0.37, 0.1), (0.29, 0.2), (0.3, 0.33), (0.31, 0.45), (0.38, 0.52), (0.24, 0.56), (0.09, 0.64),
            (0.04, 0.8), (0.04, 1.0), (1.0, 1.0), (1.0, 0.76), (0.94, 0.64), (0.74, 0.56), (0.66, 0.52), (0.73, 0.4),
            (0.74, 0.3), (0.73, 0.18), (0.66, 0.1),
        ]),
    ),
    "china.jpg": (
        Shape("palace", [
            (0.32, 0.06), (0.3, 0.13), (0.15, 0.26), (0.18, 0.33), (0.13, 0.42), (0.16, 0.5), (0.1, 0.62), (0.12, 0.78),
            (0.33, 0.9), (0.48, 0.93), (0.57, 0.78), (0.52, 0.72), (0.55, 0.59), (0.5, 0.52), (0.52, 0.41),
            (0.46, 0.36), (0.5, 0.29), (0.35, 0.13),
        ]),
    ),
    "astronaut.png": (
        Shape("rocket", [
            (0.81, 0.0), (0.77, 0.06), (0.76, 0.18), (0.72, 0.36), (0.695, 0.43), (0.71, 0.49), (0.89, 0.53),
            (0.895, 0.45), (0.885, 0.2), (0.87, 0.08), (0.845, 0.04), (0.83, 0.0),
        ]),
        Shape("person", [
            (0.4, 0.03), (0.33, 0.08), (0.305, 0.17), (0.32, 0.24), (0.36, 0.29), (0.25, 0.33), (0.22, 0.4),
            (0.13, 0.5), (0.08, 0.6), (0.05, 0.78), (0.11, 0.92), (0.12, 1.0), (0.56, 1.0), (0.545, 0.86), (0.6, 0.75),
            (0.7, 0.69), (0.69, 0.55), (0.62, 0.46), (0.59, 0.36), (0.545, 0.27), (0.585, 0.2), (0.585, 0.1),
            (0.52, 0.04), (0.46, 0.02),
        ]),
        Shape("helmet", [
            (0.545, 0.86), (0.57, 0.78), (0.64, 0.71), (0.75, 0.67), (0.86, 0.69), (0.94, 0.76), (0.98, 0.88),
            (1.0, 0.98), (0.98, 1.0), (0.56, 1.0),
        ]),
    ),
    "camera.png": (
        Shape("person", [
            (0.36, 0.14), (0.42, 0.12), (0.5, 0.15), (0.53, 0.22), (0.52, 0.29), (0.64, 0.34), (0.63, 0.41),
            (0.52, 0.47), (0.43, 0.5), (0.42, 0.62), (0.38, 0.75), (0.4, 0.98), (0.12, 1.0), (0.05, 0.9), (0.0, 0.78),
            (0.0, 0.57), (0.1, 0.45), (0.2, 0.38), (0.28, 0.33), (0.33, 0.3), (0.32, 0.2),
        ]),
    ),
    "rocket.jpg": (
        Shape("rocket", [(0.505, 0.3), (0.49, 0.34), (0.487, 0.95), (0.53, 0.95), (0.525, 0.36), (0.52, 0.32)]),
    ),
    "coffee.png": (
        Shape("cup", [
            (0.29, 0.22), (0.31, 0.14), (0.37, 0.08), (0.47, 0.045), (0.57, 0.06), (0.65, 0.13), (0.68, 0.23),
            (0.66, 0.4), (0.62, 0.55), (0.55, 0.6), (0.43, 0.6), (0.42, 0.72), (0.36, 0.78), (0.33, 0.74),
            (0.33, 0.65), (0.37, 0.57), (0.31, 0.45), (0.29, 0.33),
        ]),
        Shape("spoon", _ellipse(0.608, 0.71, 0.067, 0.105)),
    ),
    "motorcycle_left.png": (
        Shape("motorcycle", [
            (0.13, 0.42), (0.16, 0.39), (0.22, 0.34), (0.3, 0.34), (0.36, 0.33), (0.42, 0.38), (0.5, 0.34), (0.55, 0.3),
            (0.64, 0.25), (0.69, 0.14), (0.72, 0.22), (0.77, 0.26), (0.76, 0.36), (0.72, 0.4), (0.76, 0.53),
            (0.84, 0.56), (0.92, 0.72), (0.92, 0.85), (0.88, 0.91), (0.8, 0.89), (0.72, 0.78), (0.7, 0.65),
            (0.62, 0.75), (0.5, 0.78), (0.46, 0.87), (0.43, 0.86), (0.42, 0.78), (0.36, 0.74), (0.3, 0.8),
            (0.22, 0.78), (0.17, 0.68), (0.18, 0.55), (0.2, 0.5), (0.13, 0.46),
        ]),
        Shape("wheel", _ellipse(0.275, 0.635, 0.105, 0.165)),
        Shape("wheel", _ellipse(0.82, 0.735, 0.105, 0.175)),
    ),
}  # fmt: skip


def shapes_of(cut: Cut) -> list[Shape]:
    """What is left of the objects of a picture in one of the photos cut from it; none of space."""
    height, width = cut.bottom - cut.top, cut.right - cut.left
    found: list[Shape] = []
    for shape in _SHAPES.get(cut.source, ()):
        points = [((x - cut.left) / width, (y - cut.top) / height) for x, y in shape.points]
        left = Shape(shape.label, _inside(points))
        if left.area >= _MIN_AREA:
            found.append(left)
    return found


def photos() -> list[tuple[str, list[Shape]]]:
    """Each photo, by its place in the folder of photos, and what it shows."""
    return [(f"{cut.label}/{cut.name}.jpg", shapes_of(cut)) for cut in sorted(CUTS, key=lambda c: (c.label, c.name))]


def _inside(points: Points) -> Points:
    """The part of an outline in the unit square: cut along its four sides, one after the other."""
    for axis in (0, 1):
        for sign, limit in ((1.0, 0.0), (-1.0, 1.0)):
            kept: Points = []
            for here, there in zip(points, [*points[1:], *points[:1]], strict=True):
                a, b = sign * (here[axis] - limit), sign * (there[axis] - limit)
                if a >= 0:
                    kept.append(here)
                if (a < 0) != (b < 0):
                    part = a / (a - b)
                    kept.append((here[0] + part * (there[0] - here[0]), here[1] + part * (there[1] - here[1])))
            points = kept
    return points

"""What renderers get and give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from dali_studio.core.meta import Kind
from dali_studio.studio.outputs.images import Rgb
from dali_studio.studio.protocol.bodies import PreviewBody

#: Colours of the classes 1, 2, ..., which repeat; class 0 is the background of masks.
CLASS_COLOURS = (
    (230, 97, 1), (59, 130, 224), (46, 158, 79), (178, 71, 178), (214, 177, 29), (23, 162, 162), (214, 69, 61),
)  # fmt: skip


class Class(NamedTuple):
    """What a box is of: the number of its label, and what that is called."""

    number: int
    name: str

    @property
    def colour(self) -> str:
        """Its colour, as in masks."""
        return "#{:02x}{:02x}{:02x}".format(*CLASS_COLOURS[(self.number - 1) % len(CLASS_COLOURS)])


class Backdrop(NamedTuple):
    """The image that boxes and masks belong to.

    Attributes
    ----------
    node : str
        The node that gives it.
    image : ndarray
        uint8 RGB.
    """

    node: str
    image: Rgb


class Scale(NamedTuple):
    """What the axes of a spectrogram stand for.

    Attributes
    ----------
    seconds : float or None
        From one window to the next; ``None``: not known.
    highest : float or None
        Frequency of the last row in Hz, if rows are frequencies from 0 on and that is known.
    rows : str
        What a row is otherwise, such as "mel band"; empty for frequencies.
    """

    seconds: float | None = None
    highest: float | None = None
    rows: str = ""


_UNKNOWN = Scale()


def no_backdrop() -> Backdrop | None:
    """What an output without images around it stands before."""
    return None


@dataclass(frozen=True, slots=True)
class Shown:
    """One output of a node, for one sample.

    Attributes
    ----------
    sample : ndarray
        Of any shape, empty ones included.
    layout : str
    kind : Kind
    values : tuple of float or None
        Over the whole batch, for scalars that are known without computing it; none of samples that take another branch.
    corners : bool
        Boxes are given by two corners; otherwise by a corner and the extents.
    backdrop : callable
        Gives the nearest image of the same sample.
    scale : Scale
        Of spectrograms.
    rate : float
        Of sound: moments in a second, 0 if that is not known.
    seconds : sequence of float
        Of a sequence, when its frames are shown in their file, if that is known.
    classes : callable
        Gives what boxes are of, one word for each; nothing if that is not known.
    full : bool
        Large, each pixel is shown.
    span : tuple of float or None
        The extent of the values of all images that this one is looked at beside.
    """

    sample: NDArray[Any]
    layout: str = ""
    kind: Kind = "any"
    values: tuple[float | None, ...] = ()
    corners: bool = True
    backdrop: Callable[[], Backdrop | None] = no_backdrop
    scale: Scale = _UNKNOWN
    rate: float = 0.0
    seconds: Sequence[float] = ()
    classes: Callable[[], tuple[Class, ...]] = tuple
    full: bool = False
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """What a card shows.

    Attributes
    ----------
    body : PreviewBody
    picture : ndarray or None
        uint8 RGB, no larger than was asked for, save that rows of planes are longer.
    note : str
        What must be known to read it, such as how values were mapped to the screen.
    """

    body: PreviewBody
    picture: Rgb | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Large:
    """What the inspector shows.

    Attributes
    ----------
    image : ndarray
        uint8 RGB, of any size.
    note : str
    planes, plane : int
        How many frames or slices there are, and the one that `image` is; 0 for what has none. Of a volume, `plane` is
        the number of the voxel that its planes share.
    extents : tuple of int
        Of a volume: D, H and W.
    depth : int
        How many pixels of `image` the axis D takes.
    """

    image: Rgb
    note: str = ""
    planes: int = 0
    plane: int = 0
    extents: tuple[int, ...] = ()
    depth: int = 0


class Renderer(Protocol):
    """Shows outputs of one sort."""

    def accepts(self, shown: Shown) -> bool:
        """Whether this renderer can show the output."""
        ...

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """What the card shows; its picture fits into `width` x `height`."""
        ...

    def large(self, shown: Shown, plane: int) -> Large | None:
        """The picture of the inspector; of one frame, slice or voxel, -1 for the one that is shown first."""
        ...

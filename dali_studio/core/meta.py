"""What is known of a batch before (and while) it exists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dali_studio.core.enums import DALIDataType

#: What a port carries; decides the port's letter and shape in the designer.
Kind = Literal["encoded", "image", "video", "audio", "boxes", "mask", "points", "label", "scalar", "any"]
KINDS: tuple[Kind, ...] = ("encoded", "image", "video", "audio", "boxes", "mask", "points", "label", "scalar", "any")


@dataclass(frozen=True, slots=True)
class TensorMeta:
    """Type facts of every sample of a batch; ``None`` means not known yet.

    Attributes
    ----------
    dtype : DALIDataType or None
    ndim : int or None
    layout : str or None
        One letter per axis, ``""`` if the data has no layout.
    kind : Kind
    device : {"cpu", "gpu"}
    """

    dtype: DALIDataType | None = None
    ndim: int | None = None
    layout: str | None = None
    kind: Kind = "any"
    device: Literal["cpu", "gpu"] = "cpu"

    def with_(self, **changes: object) -> TensorMeta:
        """A copy with some fields replaced."""
        return replace(self, **changes)  # pyright: ignore[reportArgumentType]

    def pixels(self) -> Kind:
        """The kind of the same pixels with other axes: an image or a mask is one while it has height and width."""
        return self.kind if self.kind in ("image", "mask") and {"H", "W"} <= set(self.layout or "") else "any"

    def channels_axis(self) -> int | None:
        """Position of ``C`` in the layout."""
        return self.layout.index("C") if self.layout and "C" in self.layout else None

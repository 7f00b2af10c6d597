"""What all transforms share, those that contain others, and those that choose what `Compose` gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dali_studio import fn, types
from dali_studio.api.branches import choose
from dali_studio.experimental.torchvision.v2.arguments import check_probability
from dali_studio.pipeline import DataNode

Device = Literal["cpu", "gpu"]


@dataclass(frozen=True)
class Images:
    """The images of a pipeline, where a transform takes them.

    Attributes
    ----------
    node : DataNode
    layout : {"HWC", "CHW"}
        That of PIL's images, and that of tensors.
    """

    node: DataNode
    layout: str

    def extent(self, axis: Literal["H", "W", "C"]) -> DataNode:
        """An extent of each image."""
        return self.node.shape()[self.layout.index(axis)]


class Transform:
    """A step of `Compose`.

    Parameters
    ----------
    device : {"cpu", "gpu"}
        Where it runs.
    """

    def __init__(self, device: Device = "cpu") -> None:
        if device not in ("cpu", "gpu"):
            raise ValueError(f"device is {device!r}; give 'cpu' or 'gpu'.")
        self.device = device

    def operate(self, images: Images) -> DataNode:
        """Add the operators to the pipeline that is being defined."""
        raise NotImplementedError

    def applied(self, images: Images) -> Images:
        """The images after this step."""
        if self.device == "gpu":
            images = replace(images, node=images.node.gpu())
        return replace(images, node=self.operate(images))

    def __call__(self, data_input: Any) -> Any:
        raise RuntimeError(
            f"{type(self).__name__} is a step of a pipeline. Put it into Compose([...]), and call that; "
            "the module functional has functions to be called at once."
        )


class RandomApply(Transform):
    """Apply all of some transforms, or none.

    Parameters
    ----------
    op_list : sequence of Transform
    p : float
        How often they are applied.
    device : {"cpu", "gpu"}
    """

    def __init__(self, op_list: Sequence[Transform], p: float = 0.5, device: Device = "cpu") -> None:
        super().__init__(device)
        check_probability(p)
        self.op_list, self.p = list(op_list), p

    def operate(self, images: Images) -> DataNode:
        def all_of_them() -> DataNode:
            made = images
            for one in self.op_list:
                made = one.applied(made)
            return made.node

        return choose(chance(self.p), all_of_them, lambda: images.node)


def chance(probability: float) -> DataNode:
    """Draw for each image whether something is done."""
    return fn.random.coin_flip(dtype=types.DALIDataType.BOOL, probability=probability)


class _Marker(Transform):
    """Changes no image, but what `Compose` gives."""

    #: What it gives: "tensor" or "pil".
    result = ""

    def operate(self, images: Images) -> DataNode:
        return images.node


class ToPureTensor(_Marker):
    """Let `Compose` give a tensor with the channels first.

    Parameters
    ----------
    device : {"cpu", "gpu"}
    """

    result = "tensor"


class PILToTensor(_Marker):
    """Let `Compose` give a tensor with the channels first; numbers stay as they are.

    Parameters
    ----------
    device : {"cpu", "gpu"}
    """

    result = "tensor"


class ToPILImage(_Marker):
    """Let `Compose` give an image of PIL.

    Parameters
    ----------
    device : {"cpu", "gpu"}
    """

    result = "pil"


def result_of(transforms: Sequence[Transform]) -> str:
    """What the last transform that says so makes `Compose` give; "" if it is what it gets."""
    return next((one.result for one in reversed(transforms) if isinstance(one, _Marker)), "")

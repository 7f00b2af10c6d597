"""Images of PIL and tensors of PyTorch, to arrays and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.optional import require

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}


def torch_module() -> Any:
    """PyTorch, which is imported when it is needed."""
    return require("torch", purpose="Transforms with torchvision's names", install="torch")


def _image_class() -> Any:
    return require("PIL.Image", purpose="Transforms with torchvision's names", install="pillow").Image


def is_image(given: Any) -> bool:
    """Whether it is an image of PIL."""
    return isinstance(given, _image_class())


def is_tensor(given: Any) -> bool:
    """Whether it is a tensor of PyTorch."""
    return isinstance(given, torch_module().Tensor)


def pixels(image: Any) -> NDArray[Any]:
    """Height, width and channels of an image of PIL; a copy.

    Raises
    ------
    ValueError
        For other modes than L, RGB and RGBA.
    """
    if image.mode not in _MODES.values():
        raise ValueError(f'The image has the mode {image.mode}; give one of L, RGB or RGBA: image.convert("RGB").')
    array = np.array(image)
    return array if array.ndim == 3 else array[:, :, None]


def image_of(array: NDArray[Any], mode: str | None = None) -> Any:
    """An image of PIL of height, width and channels.

    Parameters
    ----------
    array : ndarray
        Numbers from 0 to 1, if they are floats; otherwise levels.
    mode : str, optional
        That of PIL; by default it follows from the channels.

    Raises
    ------
    TypeError or ValueError
        For what PIL has no mode for.
    """
    if mode is None:
        if array.shape[-1] not in _MODES:
            raise ValueError(f"The image has {array.shape[-1]} channels; an image of PIL has 1, 3 or 4. Give a mode.")
        mode = _MODES[array.shape[-1]]
    if array.dtype == np.float32 and mode != "F":
        array = (array * 255).clip(0, 255).astype(np.uint8)
    if array.dtype != np.uint8 and mode in _MODES.values():
        raise TypeError(f"The image has elements of {array.dtype}; images of PIL have uint8. Convert them.")
    return require("PIL.Image", purpose="Images", install="pillow").fromarray(
        array[:, :, 0] if array.shape[-1] == 1 else array, mode
    )

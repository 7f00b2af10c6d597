"""Sizes of images, and images as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from dali_studio.experimental.dynamic import Tensor
from dali_studio.experimental.torchvision.v2.pictures import image_of, is_image, is_tensor, torch_module


def get_dimensions(inpt: Any) -> list[int]:
    """Channels, height and width.

    Parameters
    ----------
    inpt : PIL.Image.Image, torch.Tensor or Tensor
        A tensor ends with channels, height and width, or consists of the last two.
    """
    if is_image(inpt):
        return [len(inpt.getbands()), inpt.size[1], inpt.size[0]]
    if not is_tensor(inpt) and not isinstance(inpt, Tensor):
        raise TypeError(f"A {type(inpt).__name__} is neither an image of PIL nor a tensor.")
    if inpt.ndim < 2:
        raise TypeError(f"The tensor has {inpt.ndim} axes; an image has 2 or more.")
    return [1 if inpt.ndim == 2 else int(inpt.shape[-3]), int(inpt.shape[-2]), int(inpt.shape[-1])]


def get_size(inpt: Any) -> list[int]:
    """Height and width; the parameter is that of `get_dimensions`."""
    return get_dimensions(inpt)[1:]


def get_image_size(inpt: Any) -> list[int]:
    """Width and height; the parameter is that of `get_dimensions`."""
    return get_size(inpt)[::-1]


def pil_to_tensor(inpt: Any) -> Any:
    """An image of PIL as a tensor of channels, height and width, with its own numbers.

    Parameters
    ----------
    inpt : PIL.Image.Image
        Black and white (mode 1) becomes 0 and 255.
    """
    if not is_image(inpt):
        raise TypeError(f"A {type(inpt).__name__} is no image of PIL.")
    array = np.array(inpt)
    if array.dtype == np.bool_:
        array = array.astype(np.uint8) * 255
    return _channels_first(array)


def to_tensor(inpt: Any) -> Any:
    """An image as a tensor of channels, height and width; levels of 8 bits become floats from 0 to 1.

    Parameters
    ----------
    inpt : PIL.Image.Image or ndarray
        An array has height and width, and perhaps channels.
    """
    tensor = _channels_first(inpt) if isinstance(inpt, np.ndarray) else pil_to_tensor(inpt)
    torch = torch_module()
    return tensor.to(torch.float32).div(255.0) if tensor.dtype == torch.uint8 else tensor


def _channels_first(array: Any) -> Any:
    whole = array if array.ndim == 3 else array[:, :, None]
    return torch_module().from_numpy(np.ascontiguousarray(whole.transpose(2, 0, 1)))


def to_pil_image(inpt: Any, mode: str | None = None, input_layout: str = "CHW") -> Any:
    """A tensor as an image of PIL.

    Parameters
    ----------
    inpt : torch.Tensor
        Floats from 0 to 1, or levels.
    mode : str, optional
        That of PIL; by default L, RGB or RGBA, by the channels.
    input_layout : {"CHW", "HWC"}
    """
    if not is_tensor(inpt):
        raise TypeError(f"A {type(inpt).__name__} is no tensor of PyTorch.")
    if inpt.ndim != 3:
        raise ValueError(f"The tensor has {inpt.ndim} axes; give channels, height and width.")
    return image_of((inpt if input_layout == "HWC" else inpt.permute(1, 2, 0)).cpu().numpy(), mode)

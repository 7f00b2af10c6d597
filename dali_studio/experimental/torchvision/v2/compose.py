"""``Compose``: a pipeline of transforms that is called as one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from dali_studio import fn
from dali_studio.experimental.torchvision.v2.pictures import image_of, is_image, is_tensor, pixels, torch_module
from dali_studio.experimental.torchvision.v2.transform import Images, Transform, result_of
from dali_studio.pipeline import DataNode, pipeline_def
from dali_studio.tensors import TensorListGPU

DEFAULT_BATCH_SIZE = 16
DEFAULT_NUM_THREADS = max((os.cpu_count() or 1) // 2, 1)
_INPUT = "input_data"


class Compose:
    """Transforms one after the other.

    It takes an image of PIL, a tensor of channels, height and width, or a batch of these, and gives the same; a marker
    among the transforms (`ToPureTensor`, `PILToTensor`, `ToPILImage`) chooses otherwise. The first call makes the
    pipeline; later ones take the same kind of input.

    Parameters
    ----------
    op_list : sequence of Transform
    batch_size : int
        Most samples of a batch.
    num_threads : int
    **dali_pipeline_kwargs
        Further options of `Pipeline`, such as ``seed`` and ``device_id``.
    """

    def __init__(
        self, op_list: Sequence[Transform], batch_size: int = DEFAULT_BATCH_SIZE,
        num_threads: int = DEFAULT_NUM_THREADS, **dali_pipeline_kwargs: Any,
    ) -> None:  # fmt: skip
        for one in op_list:
            if not isinstance(one, Transform):
                raise TypeError(f"{one!r} is no transform of this module; use fn.python_function for functions.")
        self.op_list = list(op_list)
        self._device = self.op_list[0].device if self.op_list else "cpu"
        self._result = result_of(self.op_list)
        self._options = {"batch_size": batch_size, "num_threads": num_threads, "prefetch_queue_depth": 1}
        self._options |= dali_pipeline_kwargs
        self._layout = ""
        self._pipeline: Any = None

    def __call__(self, data_input: Any) -> Any:
        """The transformed image or images.

        Parameters
        ----------
        data_input : PIL.Image.Image or torch.Tensor
        """
        if not is_image(data_input) and not is_tensor(data_input):
            raise TypeError(f"The input is a {type(data_input).__name__}; give an image of PIL or a tensor of PyTorch.")
        layout = "HWC" if is_image(data_input) else "CHW"
        if self._pipeline is None:
            self._layout, self._pipeline = layout, self._built(layout)
        if layout != self._layout:
            kinds = {"HWC": "images of PIL", "CHW": "tensors"}
            raise TypeError(
                f"This Compose took {kinds[self._layout]} before, and now {kinds[layout]}; make another one for these."
            )
        return self._of_image(data_input) if layout == "HWC" else self._of_tensor(data_input)

    def _built(self, layout: str) -> Any:
        options = dict(self._options)
        if any(one.device == "gpu" for one in self.op_list):
            options.setdefault("device_id", torch_module().cuda.current_device())
        return _composed(self.op_list, layout, self._device, **options)

    def _of_image(self, image: Any) -> Any:
        batch = self._run(torch_module().from_numpy(pixels(image)[None]))
        if self._result == "tensor":
            return batch[0].permute(2, 0, 1).contiguous()
        return image_of(batch[0].cpu().numpy())

    def _of_tensor(self, tensor: Any) -> Any:
        if tensor.ndim not in (3, 4):
            raise ValueError(f"The tensor has {tensor.ndim} axes; give 3 (channels, height, width), or 4 of a batch.")
        batch = self._run(tensor if tensor.ndim == 4 else tensor[None])
        if self._result == "pil":
            images = [image_of(one.permute(1, 2, 0).cpu().numpy()) for one in batch]
            return images if len(images) > 1 else images[0]
        return batch if tensor.ndim == 4 else batch[0]

    def _run(self, batch: Any) -> Any:
        torch = torch_module()
        output = self._pipeline.run(**{_INPUT: batch})[0]
        if not isinstance(output, TensorListGPU):
            return torch.from_numpy(output.as_array())
        tensor = output.as_tensor()
        with torch.cuda.device(tensor.device_id()):
            # A copy: the pipeline uses the memory of its results again when nobody but PyTorch's stream reads it.
            made = torch.from_dlpack(tensor).clone()
            torch.cuda.current_stream().synchronize()
        return made


@pipeline_def(enable_conditionals=True)
def _composed(transforms: Sequence[Transform], layout: str, device: str) -> DataNode:
    images = Images(fn.external_source(name=_INPUT, layout=layout, device=device), layout)
    for one in transforms:
        images = one.applied(images)
    return images.node

"""The node behind ``DataNode.cpu()``."""

from __future__ import annotations

from dali_studio.operators.copies.common import Copy


class ToCpu(Copy):
    """Copies a batch from the GPU to the CPU: .cpu() in programs.

    The pipeline waits for the GPU at this point. Data that lies on the CPU already is passed on.
    """

    keywords = "device transfer d2h download cpu host"
    devices = ("cpu",)

"""The node behind ``DataNode.gpu()``."""

from __future__ import annotations

from dali_studio.operators.copies.common import Copy


class ToGpu(Copy):
    """Copies a batch to the GPU: .gpu() in programs.

    Where there is no GPU the designer computes the same graph on the CPU, and the copy passes its input on.
    """

    keywords = "device transfer h2d upload gpu"
    devices = ("mixed",)

"""Memory on a GPU that PyTorch reads: when pipelines may use it again."""

from __future__ import annotations

import importlib
from collections import deque
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.optional import require
from dali_studio.tensors import TensorGPU


def pytorch() -> Any:
    """The package (DS601 without it)."""
    return require("torch", purpose="Handing batches to PyTorch", install="torch")


class Loans:
    """Results on a GPU that PyTorch works with: kept until PyTorch has let go of them and its stream is past that."""

    def __init__(self) -> None:
        self._lent: list[tuple[Any, TensorGPU, Any]] = []
        self._returned: deque[tuple[Any, TensorGPU]] = deque()

    def lend(self, tensor: TensorGPU) -> Any:
        """A torch.Tensor in the memory of `tensor`."""
        torch = pytorch()
        check_cuda(torch)
        reference = importlib.import_module("torch.multiprocessing.reductions").StorageWeakRef
        with torch.cuda.device(tensor.device_id()):
            made = torch.from_dlpack(tensor)
            self._lent.append((reference(made.untyped_storage()), tensor, torch.cuda.current_stream()))
        return made

    def keep(self, tensor: TensorGPU, stream: Any) -> None:
        """Hold `tensor` until `stream` has done what was enqueued so far."""
        self.collect()
        self._returned.append((stream.record_event(), tensor))

    def collect(self) -> None:
        """Let go of what is no longer used."""
        still: list[tuple[Any, TensorGPU, Any]] = []
        for reference, tensor, stream in self._lent:
            if reference.expired():
                self._returned.append((stream.record_event(), tensor))
            else:
                still.append((reference, tensor, stream))
        self._lent = still
        while self._returned and self._returned[0][0].query():
            self._returned.popleft()


def check_cuda(torch: Any) -> None:
    """Refuse what lies on a GPU that this PyTorch cannot use (DS206)."""
    if not torch.cuda.is_available():
        raise DaliStudioError(
            Diagnostic(
                code="DS206",
                message="The data is on a GPU, which this installation of PyTorch cannot use "
                f"(torch {torch.__version__}, CUDA {torch.version.cuda or 'not included'}).",
                hint="Install a PyTorch for the CUDA version of the driver, as https://pytorch.org says.",
            )
        )

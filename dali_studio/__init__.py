"""DALI Studio: a designer and an engine for data pipelines, under nvidia.dali's names.

Public names load on first use, so that importing the package stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Pipeline": "dali_studio.pipeline",
    "pipeline_def": "dali_studio.pipeline",
    "DataNode": "dali_studio.pipeline",
    "TensorList": "dali_studio.tensors",
    "Designer": "dali_studio.studio.widget",
    "Graph": "dali_studio.graph.model",
    "DaliStudioError": "dali_studio.core.diagnostics",
    "Diagnostic": "dali_studio.core.diagnostics",
}
_MODULES = ("fn", "ops", "types", "pipeline", "tensors", "samples")
__all__ = ["__version__", *_PUBLIC, *_MODULES]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

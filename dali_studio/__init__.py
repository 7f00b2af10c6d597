"""DALI Studio: a designer and an engine for data pipelines, under nvidia.dali's names.

Public names load on first use, so that importing the package stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from dali_studio.core.loading import loading
from dali_studio.core.version import __version__

if TYPE_CHECKING:  # what editors and type checkers see of the lazy names below
    from dali_studio import (
        backend,
        data_node,
        fn,
        math,
        ops,
        pipeline,
        plugin_manager,
        samples,
        tensors,
        tfrecord,
        types,
    )  # fmt: skip
    from dali_studio.api.indexing import newaxis
    from dali_studio.api.reading.composed.whole import read_compose
    from dali_studio.api.reading.program import read
    from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
    from dali_studio.graph.model import Graph
    from dali_studio.pipeline import DataNode, OperatorConcurrency, Pipeline, StreamPolicy, pipeline_def
    from dali_studio.studio.tile_gallery.widget import Gallery
    from dali_studio.studio.widget import Designer
    from dali_studio.tensors import TensorList

_PUBLIC = {
    "Pipeline": "dali_studio.pipeline",
    "pipeline_def": "dali_studio.pipeline",
    "OperatorConcurrency": "dali_studio.pipeline",
    "StreamPolicy": "dali_studio.pipeline",
    "DataNode": "dali_studio.pipeline",
    "read": "dali_studio.api.reading.program",
    "read_compose": "dali_studio.api.reading.composed.whole",
    "newaxis": "dali_studio.api.indexing",
    "TensorList": "dali_studio.tensors",
    "Designer": "dali_studio.studio.widget",
    "Gallery": "dali_studio.studio.tile_gallery.widget",
    "Graph": "dali_studio.graph.model",
    "DaliStudioError": "dali_studio.core.diagnostics",
    "Diagnostic": "dali_studio.core.diagnostics",
}
_MODULES = (
    "backend", "data_node", "fn", "math", "ops", "types", "pipeline", "plugin_manager", "tensors", "tfrecord",
    "samples",
)  # fmt: skip
__all__ = [
    "DaliStudioError", "DataNode", "Designer", "Diagnostic", "Gallery", "Graph", "OperatorConcurrency", "Pipeline",
    "StreamPolicy", "TensorList", "__version__", "backend", "data_node", "fn", "math", "newaxis", "ops", "pipeline",
    "pipeline_def", "plugin_manager", "read", "read_compose", "samples", "tensors", "tfrecord", "types",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _PUBLIC or name in _MODULES:
        with loading():
            module = importlib.import_module(_PUBLIC.get(name, f"{__name__}.{name}"))
        return getattr(module, name) if name in _PUBLIC else module
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _jupyter_labextension_paths() -> list[dict[str, str]]:  # pyright: ignore[reportUnusedFunction]
    """What ``jupyter labextension develop`` links."""
    return [{"src": "labextension", "dest": "@dali-studio/lab"}]


def __dir__() -> list[str]:
    return sorted(__all__)

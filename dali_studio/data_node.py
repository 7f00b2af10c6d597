"""Results of operators in a definition; same names as ``nvidia.dali.data_node``."""

from __future__ import annotations

from dali_studio.api.indexing import newaxis
from dali_studio.api.tracing import DataNode

__all__ = ["DataNode", "newaxis"]

"""Pipelines; same names as ``nvidia.dali.pipeline``."""

from __future__ import annotations

from dali_studio.api.definition import pipeline_def
from dali_studio.api.pipeline import Pipeline
from dali_studio.api.rewriting import do_not_convert
from dali_studio.api.settings import OperatorConcurrency, StreamPolicy
from dali_studio.api.tracing import DataNode

__all__ = ["DataNode", "OperatorConcurrency", "Pipeline", "StreamPolicy", "do_not_convert", "pipeline_def"]

"""``pipeline_def`` under the name by which nvidia.dali's takes ``debug=True``."""

from __future__ import annotations

from dali_studio.api.definition import pipeline_def

__all__ = ["pipeline_def"]

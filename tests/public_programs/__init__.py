"""Thirty pipelines in the ways in which public projects write them: what `read` has to understand."""

from __future__ import annotations

from public_programs import features, training

HEAD = """
import os
import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
import nvidia.dali.ops as ops
from nvidia.dali import pipeline_def
from nvidia.dali.pipeline import Pipeline
"""

PROGRAMS: dict[str, str] = {**features.PROGRAMS, **training.PROGRAMS}

"""The documents of the gallery's examples, for the tests that take them all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dali_studio.api.default import default_registry

GALLERY = sorted(Path(__file__).parents[1].glob("gallery/*/pipeline.dali.json"))


def _nodes(path: Path) -> list[Any]:
    return json.loads(path.read_text())["pipeline"]["nodes"]


def _needs_gpu_there(path: Path) -> bool:
    registry = default_registry()
    used = [registry.schema(node["operator"]) for node in _nodes(path)]
    return any(one.gpu_only for schema in used for one in schema.dialects if one.dialect == "nvidia.dali")


#: Those that place nodes on a GPU, and the others.
ON_GPU = [path for path in GALLERY if any(node["device"] != "cpu" for node in _nodes(path))]
ON_CPU = [path for path in GALLERY if path not in ON_GPU]
#: Those that nvidia.dali can run on the CPU. It has operators of the others on the GPU alone; their programs copy.
ON_ITS_CPU = [path for path in ON_CPU if not _needs_gpu_there(path)]
#: Documents and dialects in which they are written without copies.
WRITTEN_AS_THEY_ARE = [*((path, "dali_studio") for path in GALLERY), *((path, "nvidia.dali") for path in (*ON_ITS_CPU, *ON_GPU))]


def name_of(value: object) -> str:
    """What a document, or anything else, is called in the names of tests."""
    return value.parent.name if isinstance(value, Path) else str(value)

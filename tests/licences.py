"""The licences of all dependencies, from the metadata of what is installed: ``python tests/licences.py``.

Writes ``docs/licences.md``; with ``--check`` it says whether a dependency is missing there.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "licences.md"
#: What runs pipelines on a GPU is not installed where there is none.
_ABSENT = {
    "cupy-cuda12x": "MIT",
    "cupy-cuda13x": "MIT",
    **{
        f"nvidia-{one}{cuda}": "NVIDIA's own (CUDA EULA)"
        for one in ("cuda-nvrtc", "cuda-runtime", "nvjpeg")
        for cuda in ("", "-cu12")
    },
    "nvidia-dali-cuda120": "Apache-2.0",
    "torch": "BSD-3-Clause",
    "jax": "Apache-2.0",
    "jaxlib": "Apache-2.0",
    "ml-dtypes": "Apache-2.0",
    "opt-einsum": "MIT",
    "tensorflow": "Apache-2.0",
    "paddlepaddle": "Apache-2.0",
    "ray": "Apache-2.0",
    "numba": "BSD-2-Clause",
    "llvmlite": "BSD-2-Clause AND Apache-2.0 WITH LLVM-exception",
}
_HEAD = """# Licences of the dependencies

DALI Studio is under [Apache-2.0](../LICENSE). It installs the packages below from PyPI and contains none of them; what the designer's front end contains is in
[LICENSE-THIRD-PARTY](../LICENSE-THIRD-PARTY), with the texts. Wheels of these packages contain libraries of others (numpy: OpenBLAS; pillow and simplejpeg: libjpeg-turbo; pillow: libtiff,
libwebp and OpenJPEG; soundfile: libsndfile and codecs, in part LGPL-2.1; av: FFmpeg and codecs, in part GPL), and bring their licences.

`python tests/licences.py` writes this page from the metadata of what is installed (Linux, Python 3.11).
"""


def direct(extras: Iterable[str] = ()) -> list[Requirement]:
    """The dependencies that ``pyproject.toml`` names, with those of the extras."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["dependencies"] if not extras else [one for extra in extras for one in project["optional-dependencies"][extra]]
    return [Requirement(one) for one in named if not one.startswith("dali-studio")]


def closure(requirements: Iterable[Requirement]) -> dict[str, str]:
    """Licences by name of all packages that the requirements bring, as far as they are installed."""
    found: dict[str, str] = {}
    waiting, seen = list(requirements), set[tuple[str, frozenset[str]]]()
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras or {""})
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if name in _ABSENT:
                found[name] = _ABSENT[name]
            continue
        found[name] = _licence(distribution)
        wanted = [Requirement(one) for one in distribution.requires or ()]
        waiting += [one for one in wanted if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)]
    return dict(sorted(found.items()))


def _licence(distribution: metadata.Distribution) -> str:
    facts = distribution.metadata
    if stated := facts.get("License-Expression"):
        return stated
    classified = [one.rpartition(" :: ")[2] for one in facts.get_all("Classifier") or () if one.startswith("License ::")]
    if classified:
        return ", ".join(classified)
    text = (facts.get("License") or "").strip()
    return text.splitlines()[0][:60] if text else "see its own files"


def page() -> str:
    """The text of the page."""
    required = closure(direct())
    parts = [_HEAD, "## What every installation brings\n", _table(required)]
    for title, extras in (("What the extras bring", ("gpu-cu12", "gpu-cu13", "video", "parquet", "remote", "torch", "jax", "tf", "paddle", "ray", "numba", "peer")), ("What only developers need", ("test", "docs", "dev"))):
        more = {name: licence for name, licence in closure(direct(extras)).items() if name not in required}
        parts += [f"## {title}\n", _table(more)]
    return "\n".join(parts)


def _table(licences: dict[str, str]) -> str:
    rows = "".join(f"| {name} | {licence} |\n" for name, licence in licences.items())
    return f"| package | licence |\n|---|---|\n{rows}"


def missing() -> list[str]:
    """Dependencies of ``pyproject.toml``, extras included, that the page does not list."""
    listed = set(re.findall(r"^\| (\S+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    named = [*direct(), *direct(("gpu-cu12", "gpu-cu13", "video", "parquet", "remote", "torch", "jax", "tf", "paddle", "ray", "peer", "test", "docs", "dev"))]
    return sorted({canonicalize_name(one.name) for one in named} - listed)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(f"{PAGE.name} lacks {', '.join(absent)}" if (absent := missing()) else 0)
    PAGE.write_text(page(), encoding="utf-8")

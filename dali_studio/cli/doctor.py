"""``dali-studio doctor``: what this installation runs on."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
from pathlib import Path

import numpy as np
from jupyter_core.paths import jupyter_path
from numpy.typing import NDArray

from dali_studio import __version__
from dali_studio.cli.text import say, waiting
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cpu.native import kernel, level
from dali_studio.kernels.cpu.video_codec import describe as describe_video
from dali_studio.kernels.cuda.device import describe
from dali_studio.kernels.cuda.device import missing as missing_gpu
from dali_studio.kernels.cuda.optical_flow import describe as describe_flow
from dali_studio.kernels.cuda.video import describe as describe_video_hardware
from dali_studio.kernels.jpeg.libjpeg import describe as describe_jpeg
from dali_studio.kernels.jpeg.measure import report
from dali_studio.samples import photos

_LIBRARIES = (
    "numpy", "simplejpeg", "pillow", "networkx", "msgspec", "anywidget", "ipywidgets", "jupyterlab", "matplotlib",
)  # fmt: skip


def examine() -> int:
    """Write the findings.

    Returns
    -------
    int
        0 if everything that a pipeline needs is there, else 1.
    """
    with waiting("Looking for a GPU and measuring"):
        gpu = [*describe(), *report(_photos)]
        if missing_gpu() is None:
            gpu += [("video hardware", describe_video_hardware()), ("optical flow", describe_flow())]
    missing = [name for name in _LIBRARIES if _version(name) is None]
    absent = _without_kernels()
    built = (Path(__file__).parents[1] / "studio" / "static" / "widget.js").is_file()
    lines = [
        ("dali-studio", __version__),
        ("python", f"{platform.python_version()} ({sys.executable})"),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("cores", str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())),
        ("kernels", absent or f"compiled for {platform.machine()} {level()}"),
        *((name, _version(name) or f"missing: pip install {name}") for name in _LIBRARIES),
        ("jpeg", absent or describe_jpeg()),
        ("video", describe_video()),
        ("designer", "built" if built else "not built: run make frontend in the checkout"),
        ("jupyterlab extension", _extension()),
        ("nvidia.dali", _peer()),
        *gpu,
    ]
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        say(f"{name.ljust(width)}  {value}")
    return 1 if missing or absent or not built else 0


def _photos() -> list[NDArray[np.uint8]]:
    try:
        return [np.fromfile(path, np.uint8) for path in sorted(photos().rglob("*.jpg"))]
    except (DaliStudioError, OSError):  # nowhere to write them: then nothing is measured
        return []


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _extension() -> str:
    """Whether the JupyterLab of this environment finds the extension, and in which version."""
    for folder in jupyter_path("labextensions"):
        about = Path(folder) / "@dali-studio" / "lab" / "package.json"
        try:
            found = str(json.loads(about.read_text(encoding="utf-8"))["version"])
        except (OSError, ValueError, LookupError, TypeError):
            continue
        return "installed" if found == __version__ else f"of version {found}: install dali-studio {__version__} there"
    return "not installed: run make setup in the checkout, or install the wheel"


def _without_kernels() -> str:
    """Why the compiled kernels cannot be used, if they cannot."""
    try:
        kernel("queue_take")
    except (ImportError, OSError) as error:
        return f"missing: {error}"
    return ""


def _peer() -> str:
    names = [name for name in ("nvidia-dali-cuda120", "nvidia-dali-cuda130", "nvidia-dali-cuda110") if _version(name)]
    return f"{_version(names[0])}, for comparison" if names else "not installed (optional, for comparison only)"

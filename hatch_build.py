"""What a wheel has beside Python and the front end: kernels, photos, and a place for JupyterLab's extension."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent


def _script(path: str) -> ModuleType:
    """A script of the package as a module, without importing the package, whose dependencies need not be there."""
    spec = importlib.util.spec_from_file_location(f"dali_studio_{Path(path).stem}", ROOT / path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look for their module there
    spec.loader.exec_module(module)
    return module


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    """Makes them in place for an editable installation, for this processor, and for a wheel all of its platform.

    ``DALI_STUDIO_TARGET`` names another platform than this one (see `TARGETS` in ``kernels/build.py``).
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files."""
        if self.target_name != "wheel":
            return
        kernels, photos = _script("dali_studio/kernels/build.py"), _script("dali_studio/sample_photos.py")
        name = os.environ.get("DALI_STUDIO_TARGET")
        if name and name not in kernels.TARGETS:
            raise ValueError(f"DALI_STUDIO_TARGET={name} is not known. Choose one of {', '.join(kernels.TARGETS)}.")
        target = kernels.TARGETS[name] if name else kernels.native_target()
        photos.make(ROOT / "dali_studio" / "photos")
        if version == "editable":
            kernels.build(target, levels=[kernels.native_level()])
            return
        # Where JupyterLab looks for extensions; in a checkout `make setup` puts a link there.
        build_data["shared_data"]["dali_studio/labextension"] = "share/jupyter/labextensions/@dali-studio/lab"
        folder = Path(kernels.CACHE) / target.name / "lib"
        for library in kernels.build(target, folder):
            build_data["force_include"][str(library)] = f"dali_studio/kernels/cpu/lib/{library.name}"
        # One wheel for all versions of Python: nothing in it is compiled against Python's headers.
        build_data["pure_python"], build_data["tag"] = False, f"py3-none-{target.tag}"

"""A new pixel operator is one header with a functor, and one module: both devices, programs and checks follow."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dali_studio.kernels import build
from dali_studio.kernels.cpu.native import level

REPOSITORY = Path(__file__).resolve().parents[2]

HEADER = """
#pragma once
#include "numbers.hpp"

// Inverts what is not below the threshold.
struct Solarize {
  float threshold, highest;
  template <class V> HD V operator()(V x) const { return x < threshold ? x : highest - x; }
};
"""
MODULE = '''
"""``fn.solarize``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.operators.common import T
from dali_studio.operators.pixels import PixelOperator
from dali_studio.schema.arguments import Args
from dali_studio.core.batch import Batch
from dali_studio.schema.declare import Functor, example
from dali_studio.schema.marks import PER_SAMPLE, Doc, Ui

_TYPES = (T.UINT8, T.FLOAT16, T.FLOAT)


class Solarize(PixelOperator):
    """Inverts intensities that are not below a threshold."""

    category = "color"
    icon = "contrast"
    examples = (example(threshold=100.0),)
    functor = Functor("Solarize", "solarize", _TYPES, _TYPES)

    threshold: Annotated[float, Doc("What is not below it is inverted."), Ui("slider", (0, 255)), PER_SAMPLE] = 128.0

    @staticmethod
    def fields(args: Args, image: Batch) -> Sequence[NDArray[Any]]:
        thresholds = args.scalars("threshold")
        return thresholds, np.full(len(thresholds), 255 if image.meta.dtype == T.UINT8 else 1)
'''
#: Run with "cpu" or "gpu": every type against numpy, with a threshold for each sample.
RESULTS = """
import sys
import numpy as np
from dali_studio import fn, pipeline_def

device = sys.argv[1]
rng = np.random.default_rng(1)
thresholds = [np.float32(t) for t in (0.3, 100, 0.7)]
for dtype in (np.uint8, np.float32, np.float16):
    unit = 1 if dtype == np.uint8 else 1 / 256  # all results are numbers of the type
    shapes = (37, 53, 3), (4, 9, 3), (64, 64, 3)
    images = [(rng.integers(0, 256, shape) * unit).astype(dtype) for shape in shapes]

    @pipeline_def(batch_size=3, num_threads=2, device_id=0 if device == "gpu" else None)
    def pipeline():
        pictures = fn.external_source(source=[images], layout="HWC", cycle=True)
        threshold = fn.external_source(source=[thresholds], cycle=True)
        return fn.solarize(pictures.gpu() if device == "gpu" else pictures, threshold=threshold)

    out, = pipeline().run()
    highest = 255 if dtype == np.uint8 else 1
    for made, image, threshold in zip(out.as_cpu(), images, thresholds, strict=True):
        x = image.astype(np.float32)
        wanted = np.where(x < threshold, x, np.float32(highest) - x).astype(dtype)
        assert np.array(made).dtype == dtype
        np.testing.assert_array_equal(made, wanted)
"""
EXPORT = """
from dali_studio import fn, pipeline_def
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit

@pipeline_def(batch_size=1, num_threads=1, device_id=None)
def pipeline():
    return fn.solarize(fn.external_source(name="pictures", layout="HWC"), threshold=99.0)

graph = pipeline().graph
here = emit(graph, default_registry(), "dali_studio")
assert "fn.solarize(" in here.source and "threshold=99.0" in here.source and not here.diagnostics, here
there = emit(graph, default_registry(), "nvidia.dali")
assert "fn.solarize(" not in there.source and "raise NotImplementedError(" in there.source, there.source
print(*there.diagnostics)
"""


pytestmark = pytest.mark.slow  # kernels are compiled


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has the operator, built for this processor."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("needs the compiler of the package ziglang")
    objects = build.CACHE / build.native_target().name / level()
    if not objects.is_dir():
        pytest.skip("needs the compiled objects of a checkout: make kernels")
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(REPOSITORY / "dali_studio", root / "dali_studio", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(objects, root / objects.relative_to(build.ROOT))
    kernels = root / "dali_studio" / "kernels"
    (kernels / "include" / "solarize.hpp").write_text(HEADER.lstrip())
    (root / "dali_studio" / "operators" / "color" / "solarize.py").write_text(MODULE.lstrip())
    python(root, "-m", "dali_studio.api.instantiations")
    said = python(root, str(kernels / "build.py"), "--level", level()).stderr
    assert "1 of 1 (functors" in said, said  # nothing else has changed
    return root


def python(root: Path, *arguments: str, emulated: bool = False) -> subprocess.CompletedProcess[str]:
    path = [root, REPOSITORY / "tests" / "emulation"] if emulated else [root]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), "DALI_STUDIO_CPU_LEVEL": level()}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_it_computes_on_the_cpu(package: Path) -> None:
    python(package, "-c", RESULTS, "cpu")


@pytest.mark.skipif(sys.platform != "linux", reason="the emulation of a GPU is for Linux")
def test_it_computes_on_a_gpu(package: Path) -> None:
    python(package, "-c", RESULTS, "gpu", emulated=True)


def test_programs_have_it_where_there_is_one(package: Path) -> None:
    assert "NVIDIA DALI cannot express solarize: it has no such function." in python(package, "-c", EXPORT).stdout

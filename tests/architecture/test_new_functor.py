"""A new pixel operator is one header with a functor, and one module: both devices, programs and checks follow."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dali_studio.kernels import build
from dali_studio.kernels.cpu.native import level

REPOSITORY = Path(__file__).resolve().parents[2]

PAGE = (REPOSITORY / "docs" / "adding_an_operator.md").read_text(encoding="utf-8")


def listing(path: str) -> str:
    """The text of a file that the page on adding an operator shows."""
    found = re.search(rf"```\w+\n(?://|#) {re.escape(path)}\n(.*?)```", PAGE, re.DOTALL)
    assert found, path
    return found[1]


#: Run with "cpu" or "gpu": every type against numpy, with a threshold for each sample.
RESULTS = """
import sys
import numpy as np
from dali_studio import fn, pipeline_def

device = sys.argv[1]
rng = np.random.default_rng(1)
thresholds = [np.float32(t) for t in (0.3, 100, 0.7)]
for dtype in (np.uint8, np.float32):
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
assert "fn.solarize(" in here.source and "threshold=99" in here.source and not here.diagnostics, here
there = emit(graph, default_registry(), "nvidia.dali")
assert "fn.solarize(" not in there.source and "raise NotImplementedError(" in there.source, there.source
print(*there.diagnostics)
"""
#: The tests that follow from its declaration.
DERIVED = "-m", "pytest", "-q", "-p", "no:cacheprovider", str(REPOSITORY / "tests/conformance/test_operators.py"), "--operator", "solarize"

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
    header, module = "dali_studio/kernels/include/solarize.hpp", "dali_studio/operators/color/solarize.py"
    (root / module).write_text(listing(module))
    lacking = python(root, "-m", "dali_studio.api.instantiations", fails=True).stderr
    assert "solarize declares the functor Solarize in solarize.hpp, which is not in" in lacking
    (root / header).write_text(listing(header))
    python(root, "-m", "dali_studio.api.instantiations")
    assert "make generated kernels" in python(root, "-c", RESULTS, "cpu", fails=True).stderr  # not compiled yet
    said = python(root, "dali_studio/kernels/build.py", "--level", level()).stderr
    assert "1 of 1 (functors" in said, said  # nothing else has changed
    return root


def python(root: Path, *arguments: str, emulated: bool = False, fails: bool = False) -> subprocess.CompletedProcess[str]:
    path = [root, REPOSITORY / "tests" / "emulation"] if emulated else [root]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), "DALI_STUDIO_CPU_LEVEL": level()}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done


def test_it_computes_on_the_cpu(package: Path) -> None:
    python(package, "-c", RESULTS, "cpu")


def test_its_help_says_what_it_takes(package: Path) -> None:
    said = python(package, "-c", "from dali_studio import fn; print(fn.solarize.__doc__)").stdout
    assert "image : DataNode, layout HWC or DHWC or FHWC or FDHWC\n    Element types: UINT8, FLOAT.\n" in said


@pytest.mark.skipif(sys.platform != "linux", reason="the emulation of a GPU is for Linux")
def test_it_computes_on_a_gpu(package: Path) -> None:
    python(package, "-c", RESULTS, "gpu", emulated=True)


def test_programs_have_it_where_there_is_one(package: Path) -> None:
    assert "NVIDIA DALI cannot express solarize: it has no such function." in python(package, "-c", EXPORT).stdout


def test_the_derived_tests_pass(package: Path) -> None:
    said = python(package, *DERIVED).stdout
    assert " passed" in said and "skipped" not in said, said


@pytest.mark.parametrize(
    ("of", "into", "found"),
    [("highest - x", "highest - x * 2", "output 0 sample 0: "), ("def reference(", "def another(", "Give Solarize a static method")],
)
def test_a_formula_that_nothing_confirms_is_found(package: Path, of: str, into: str, found: str) -> None:
    """A reference that says something else than the functor, and none."""
    module = package / "dali_studio" / "operators" / "color" / "solarize.py"
    text = module.read_text()
    assert of in text
    module.write_text(text.replace(of, into))
    try:
        assert found in python(package, *DERIVED, "-k", "reference", fails=True).stdout
    finally:
        module.write_text(text)

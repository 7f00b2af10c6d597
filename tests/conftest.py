"""Fixtures and search paths that all tests share."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent
# Helper modules (tolerances, images, toy, oracle, peers) are imported by their plain names.
for folder in (TESTS, TESTS / "unit", TESTS / "unit" / "kernels", TESTS / "compat", TESTS / "conformance", TESTS / "gpu", TESTS / "notebooks"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

if not Path("/dev/nvidia0").exists():
    # nvidia.dali's reader of FITS files asks CUDA for pinned memory otherwise, also without a GPU
    os.environ.setdefault("DALI_RESTRICT_PINNED_MEM", "1")
# Programs that tests start load modules as they were compiled once; compiling this package takes longer than importing it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
#: What the user's home is for, here and in programs that tests start: no test reads or writes what lies there.
_HOME = tempfile.TemporaryDirectory(prefix="dali-studio-home-")
# what compiles kernels fills its cache once, for all
os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zig"))
for _variable in (
    "DALI_STUDIO_CONFIG", "DALI_STUDIO_CACHE", "XDG_CACHE_HOME", "MPLCONFIGDIR", "IPYTHONDIR",
    "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR",
):  # fmt: skip
    os.environ[_variable] = str(Path(_HOME.name, _variable.lower()))

import chosen  # noqa: E402 - it lies in one of them
import summary  # noqa: E402 - likewise


def _absent(reason: str) -> None:
    """Skip, or fail where everything must be there (continuous integration)."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real files: ``$DALI_STUDIO_DATA``, or ``shared/data`` beside the repository."""
    given = os.environ.get("DALI_STUDIO_DATA")
    folder = Path(given) if given else TESTS.parent.parent / "shared" / "data"
    if not (folder / "jpeg").is_dir():
        _absent(f"the folder with real files is not at {folder}; set DALI_STUDIO_DATA")
    return folder


@pytest.fixture(scope="session")
def nvidia() -> ModuleType:
    """The real nvidia.dali, as an oracle on the CPU."""
    try:
        return importlib.import_module("nvidia.dali")
    except ImportError:
        _absent("the comparison needs nvidia-dali, which is not installed")
        raise


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch, which is optional; a build for the CPU is enough for tests without a GPU."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        _absent("iterators for PyTorch need torch, which is not installed")
        raise


@pytest.fixture(scope="session")
def jax() -> Any:
    """JAX, which is optional, with several devices on the CPU."""
    module = pytest.importorskip("jax", reason="iterators for JAX need jax, which is not installed")
    module.config.update("jax_platforms", "cpu")
    module.config.update("jax_num_cpu_devices", 4)
    return module


@pytest.fixture(autouse=True)
def of_operator(request: pytest.FixtureRequest) -> None:
    """Says with the result which operator a case concerns, for the table of what is verified (`verified.py`)."""
    operator = _operator_of(request.node)
    if operator is not None:
        request.node.user_properties.append(("operator", operator))


def _operator_of(item: Any) -> str | None:
    params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    found = getattr(params.get("subject"), "operator", params.get("operator"))
    return found if isinstance(found, str) else None


def pytest_configure(config: pytest.Config) -> None:
    """Before cases are made: those of some operators are made in a moment, those of all take seconds."""
    chosen.OPERATORS.extend(config.getoption("--operator") or ())
    chosen.Grid.whole = bool(config.getoption("grid"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--quick``: the tests that find most faults in the least time."""
    parser.addoption("--quick", action="store_true", help="leave out slow tests and whole folders, and say which")
    parser.addoption("--operator", action="append", default=[], help="tests of this operator's cases alone; may be repeated")
    parser.addoption("--grid", action="store_true", help="all cases, where a run takes some of each")
    parser.addoption("--first", type=int, default=0, metavar="N", help="of each file the first N tests")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whole folders that a quick run leaves out are not even imported."""
    parts = collection_path.parts[len(TESTS.parts) : len(TESTS.parts) + 1]
    away = config.getoption("quick") and collection_path.is_relative_to(TESTS) and parts and (TESTS / parts[0]).is_dir()
    return True if away and parts[0] not in summary.QUICK else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whatever compares with nvidia.dali can be left out by ``-m "not peer"``."""
    for item in items:
        if "nvidia" in getattr(item, "fixturenames", ()):
            item.add_marker("peer")
    away = {item for item in items if config.getoption("quick") and item.get_closest_marker("slow")}
    if chosen.OPERATORS:
        away |= {item for item in items if _operator_of(item) not in chosen.OPERATORS}
    if not config.getoption("grid"):
        away |= {item for item in items if item.get_closest_marker("grid")}
    if first := config.getoption("first"):
        counts = Counter[Path]()
        for item in (one for one in items if one not in away):
            counts[item.path] += 1
            if counts[item.path] > first:
                away.add(item)
    config.hook.pytest_deselected(items=list(away))
    items[:] = [item for item in items if item not in away]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Say behind everything else which tests did not run, and why."""
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return result
    for line in summary.skipped(report.longrepr[2] for report in reporter.stats.get("skipped", ())):
        reporter.write_line(line)
    if session.config.getoption("quick"):
        folders = {path.parent.name for path in TESTS.glob("*/test_*.py")} - set(summary.QUICK)
        reporter.write_line(summary.left_out(folders))
    return result

"""Runs the checks that follow from the operators' declarations, and writes what passed: ``docs/verified.json``.

``make verified`` runs those of the CPU; with ``--gpu``, on a machine that has one, those of the GPU. The page
``docs/support.md`` shows the file. If a check fails, nothing is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "docs" / "verified.json"
#: Tests, and the columns in which their cases count.
COLUMNS = {
    "test_cpu_gives_what_nvidia_dali_gives": "nvidia.dali",
    "test_gpu_gives_what_the_cpu_gives": "gpu",
    "test_decoders_on_the_device_mixed_give_what_the_cpu_gives": "gpu",
    "test_storage_and_whole_batches_do_not_matter": "storage",
    "test_sequences_are_their_frames": "sequences",
    "test_a_restored_state_goes_on": "states",
    "test_emitted_programs_give_the_same": "programs",
    "test_what_a_case_says_is_refused": "refusals",
    "test_wrong_ranks_are_refused_with_the_node": "refusals",
    "test_bad_values_are_refused_with_the_argument": "refusals",
}


class Recorder:
    """Counts the cases that passed, by operator and column."""

    def __init__(self) -> None:
        self.passed: dict[str, dict[str, Any]] = defaultdict(lambda: defaultdict(int))
        self.types: dict[str, dict[str, None]] = defaultdict(dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told: dict[str, Any] = dict(report.user_properties)
        column = COLUMNS.get(report.nodeid.rpartition("::")[2].partition("[")[0])
        if report.when != "call" or not report.passed or column is None or "operator" not in told:
            return
        if "refused" in told:
            return  # for its data, so that there was nothing to compare
        self.passed[told["operator"]][column] += 1
        self.types[told["operator"]].update(dict.fromkeys(told.get("compared", ())))


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="store_true", help="the checks of the GPU")
    on_gpu = parser.parse_args(arguments).gpu
    if on_gpu:
        from dali_studio.kernels.cuda.device import cupy

        where = cupy().cuda.runtime.getDeviceProperties(0)["name"].decode()
    else:
        where = "nvidia.dali " + version("nvidia-dali-cuda120")
    recorder = Recorder()
    file = HERE.parent / "gpu" / "test_operators.py" if on_gpu else HERE / "test_operators.py"
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--grid", "--numprocesses=auto", str(file)], plugins=[recorder])
    if code:
        return int(code)
    from subjects import REGISTRY

    from dali_studio.schema.samples import digest

    rows = {
        name: {"cases": digest(REGISTRY.operator(name).samples()), **counts, "types": list(recorder.types[name])}
        for name, counts in sorted(recorder.passed.items())
    }
    whole: dict[str, Any] = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.is_file() else {}
    whole["gpu" if on_gpu else "cpu"] = {"where": where, "operators": rows}
    TARGET.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

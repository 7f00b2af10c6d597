"""``dali-studio verify``: a pipeline in nvidia.dali and here, node by node."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import samples
from dali_studio.cli import peer, verbs, verify

pytestmark = pytest.mark.usefixtures("nvidia")

PROGRAM = """
from nvidia.dali import fn, pipeline_def, types


@pipeline_def(batch_size=4, num_threads=2, device_id=0, enable_conditionals=True)
def pipe():
    files, labels = fn.readers.file(file_root=ROOT, random_shuffle=True)
    images = fn.decoders.image(files, device="mixed")
    if fn.random.coin_flip(dtype=types.BOOL):
        images = fn.flip(images)
    images = fn.crop(images, crop=(64, 48), crop_pos_x=fn.random.uniform(range=(0.0, 1.0)))
    return fn.pad(images, shape=(80, 80, 3)), labels * 2
"""


STEPS = """
from nvidia.dali import fn, pipeline_def

@pipeline_def(batch_size=8, num_threads=1, device_id=None)
def steps():
    files, labels = fn.readers.file(file_root=ROOT)
    small = fn.resize(fn.decoders.image(files), size=[224, 224])
    upper = small[:112]
    coarse = small[::2]
    return upper, coarse
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(f"ROOT = {str(samples.photos())!r}\n{PROGRAM}")
    return path


def test_a_program_gives_the_same_at_every_node(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verbs.main(["verify", str(program), "--batches", "2"]) == 0
    said = capsys.readouterr()
    assert "Every node gives nvidia.dali's values, bit by bit." in said.out
    assert "Order of samples: equal." in said.out
    assert "Random draws: equal." in said.out
    assert "compared on the CPU" in said.err
    assert len(re.findall(r"^\w+\S* +\S+ +equal", said.out, re.MULTILINE)) > 9


def test_the_first_node_that_differs_is_named(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(source: str, function: str, batches: int) -> Any:
        made = peer.peer_batches(source, function, batches)
        for outputs in made:  # all pictures, as if the decoder were another one
            for output in outputs:
                output[:] = [np.bitwise_xor(sample, 64) if sample.ndim == 3 else sample for sample in output]
        return made

    monkeypatch.setattr(verify, "peer_batches", other)
    page = tmp_path / "report.html"
    assert verbs.main(["verify", str(program), "--batches", "1", "--report", str(page)]) == 1
    said = capsys.readouterr().out
    assert "The first node that differs: decode (decoders.image): difference 64 > 0 (batch 0, sample 0)." in said
    assert re.search(r"^crop +crop +follows its inputs +64 ", said, re.MULTILINE) or "follows its inputs" in said
    text = page.read_text()
    assert text.count("<figure>") >= 3
    assert 'class="differs"' in text


def test_a_node_behind_one_that_differs_is_compared_on_the_same_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "steps.py"
    path.write_text(STEPS.replace("ROOT", repr(str(samples.photos()))))
    assert verbs.main(["verify", str(path), "--batches", "1"]) == 1
    said = capsys.readouterr()
    assert re.search(r"^upper +subscript +follows its inputs +1 ", said.out, re.MULTILINE)
    # nvidia.dali 2.4 copies larger tensors wrongly where the index has a step along the first axis
    assert "The first node that differs: coarse (subscript)" in said.out
    assert said.out.count("of the same inputs") == 2
    assert "DS501 coarse: NVIDIA DALI 2.4 is wrong here" in said.err


def test_what_prevents_a_comparison_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.py"
    path.write_text(PROGRAM.replace("fn.flip(images)", "turned(images)").replace("file_root=ROOT", "file_root='/nowhere'"))
    assert verbs.main(["verify", str(path)]) == 1
    assert "DS101" in capsys.readouterr().err
    path.write_text(PROGRAM.replace("ROOT", "'/nowhere'"))
    assert verbs.main(["verify", str(path)]) == 1
    assert "DS304: nvidia.dali cannot run this program." in capsys.readouterr().err

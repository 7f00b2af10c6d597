"""A small training pipeline that the tests of the canvas begin with, and what they await in it."""

from __future__ import annotations

from typing import Any

CODE = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=11)
def train():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files), resize_shorter=160.0)
    images = fn.rotate(images, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=128.0)
    return fn.crop_mirror_normalize(images, crop=(128, 128), mean=[120.0], std=[60.0]), labels

designer = Designer(train(), height=820)
designer
"""
HEAD = {"x": 70, "y": 12}
#: Whether one element is clear of another.
APART = """([a, b]) => { const [p, q] = [a, b].map(name => document.querySelector(name).getBoundingClientRect());
    return p.right <= q.left || q.right <= p.left || p.bottom <= q.top || q.bottom <= p.top; }"""


def drawn(page: Any, test_id: str) -> None:
    page.wait_for_function(
        'id => Number(document.querySelector(`[data-testid="${id}"]`)?.dataset.drawn ?? 0) > 0', arg=test_id,
        timeout=90_000,
    )  # fmt: skip


def nodes(page: Any) -> set[str]:
    found = page.evaluate("() => [...document.querySelectorAll('[data-ds-node]')].map(e => e.dataset.dsNode)")
    return set(found) - {"__outputs__"}


def await_code(page: Any, text: str, *, there: bool = True) -> None:
    page.wait_for_function(
        "([text, there]) => document.querySelector('[data-testid=code]').textContent.includes(text) === there",
        arg=[text, there], timeout=30_000,
    )  # fmt: skip

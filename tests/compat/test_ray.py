"""Pipelines in data sets of Ray, on several nodes of one machine."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import DaliStudioError, fn, pipeline_def, samples, types
from dali_studio.ray import BatchTransform, map_batches

#: Nodes of the cluster, each with one CPU: two for actors, one for the tasks that read files.
NODES = 3


@pipeline_def
def decoded(edge: int = 32, device: str = "cpu") -> Any:
    """The images of encoded files, and their sizes before."""
    files = fn.external_source(name="files", dtype=types.UINT8, ndim=1)
    images = fn.decoders.image(files, device=device)
    return fn.resize(images, size=(edge, edge)), fn.peek_image_shape(files)


@pipeline_def
def ragged() -> Any:
    numbers = fn.external_source(name="numbers")
    return fn.cat(numbers, numbers)


def encoded() -> tuple[list[str], np.ndarray[Any, Any]]:
    """Paths and bytes of some photos."""
    paths = sorted(str(path) for path in samples.photos().rglob("*.jpg"))[:10]
    column = np.empty(len(paths), object)
    column[:] = [Path(path).read_bytes() for path in paths]
    return paths, column


def test_a_batch_of_columns_goes_through_a_pipeline() -> None:
    paths, column = encoded()
    transform = BatchTransform(decoded, {"files": "bytes"}, ["image", "size"], ["path"], batch_size=16, edge=24)
    made = transform({"bytes": column, "path": np.array(paths)})
    assert list(made) == ["path", "image", "size"]
    assert made["image"].shape == (len(paths), 24, 24, 3) and made["image"].flags.owndata
    assert made["path"].tolist() == paths
    alone = transform({"bytes": column[3:4], "path": np.array(paths[3:4])})  # a smaller batch
    assert np.array_equal(alone["image"][0], made["image"][3])
    assert np.array_equal(alone["size"][0], made["size"][3])


def test_samples_may_differ_in_shape() -> None:
    column = np.empty(2, object)
    column[0], column[1] = np.arange(3), np.arange(5)
    made = BatchTransform(ragged, ["numbers"], ["twice"], batch_size=2)({"numbers": column})["twice"]
    assert [one.tolist() for one in made] == [[0, 1, 2] * 2, [0, 1, 2, 3, 4] * 2]
    assert BatchTransform(ragged, ["numbers"], ["twice"], batch_size=4)({"numbers": np.eye(3)})["twice"].shape == (3, 6)


def test_texts_are_bytes_of_paths(tmp_path: Path) -> None:
    @pipeline_def
    def read() -> Any:
        return fn.io.file.read(fn.external_source(name="path", dtype=types.UINT8, ndim=1))

    (tmp_path / "ä.bin").write_bytes(b"\x00\x07")
    given = {"path": np.array([str(tmp_path / "ä.bin")])}
    assert BatchTransform(read, ["path"], ["data"], batch_size=1)(given)["data"].tolist() == [[0, 7]]


def test_columns_that_do_not_fit_are_named() -> None:
    with pytest.raises(DaliStudioError, match="2 outputs"):
        BatchTransform(decoded, ["files"], ["image"], batch_size=1)
    transform = BatchTransform(decoded, ["files"], ["image", "size"], ["label"], batch_size=1)
    with pytest.raises(DaliStudioError, match=r"no column 'files'.*Columns: bytes"):
        transform({"bytes": encoded()[1]})


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray on a cluster of several nodes in this machine."""
    found = pytest.importorskip("ray", reason="pipelines in Ray Data need ray, which is not installed")
    clusters = importlib.import_module("ray.cluster_utils")
    limits: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80_000_000}
    cluster = clusters.Cluster()
    try:
        try:
            for number in range(NODES):
                cluster.add_node(**limits, **({"include_dashboard": False} if number == 0 else {}))
        except Exception as error:  # some are of no class of their own
            if not isinstance(error, RuntimeError | TimeoutError) and "timed out" not in str(error):
                raise
            pytest.skip(f"Ray gives its nodes half a minute to start, which they need on a busy machine: {error}")
        found.init(address=cluster.address, log_to_driver=False)
        found.data.DataContext.get_current().enable_progress_bars = False
        yield found
    finally:
        found.shutdown()
        cluster.shutdown()


@pytest.mark.slow
def test_a_data_set_goes_through_actors_on_several_nodes(ray: Any) -> None:
    paths, column = encoded()
    files = ray.data.read_binary_files(paths, include_paths=True, override_num_blocks=5)
    made = map_batches(
        files, decoded, {"files": "bytes"}, ["image", "size"], keep=["path"], batch_size=4, num_threads=1,
        concurrency=2, arguments={"edge": 16},
    )  # fmt: skip
    rows = {row["path"]: row for row in made.take_all()}
    assert sorted(rows) == paths
    assert len({node["NodeID"] for node in ray.nodes() if node["Alive"]}) == NODES
    expected = BatchTransform(decoded, {"files": "bytes"}, ["image", "size"], batch_size=16, edge=16)({"bytes": column})
    for index, path in enumerate(paths):
        assert np.array_equal(rows[path]["image"], expected["image"][index])
        assert np.array_equal(rows[path]["size"], expected["size"][index])


@pytest.mark.slow
def test_the_program_of_the_documentation_runs(ray: Any) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "ray.md"
    (program,) = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    exec(compile(program, "docs/ray.md", "exec"), {"__name__": "__main__"})

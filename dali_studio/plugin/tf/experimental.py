"""Data sets whose pipelines take what other data sets give; the names are those of nvidia.dali."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from dali_studio.graph.node import Node
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.tf.dataset import bad, checked, dataset, renamed, sources, tensorflow

__all__ = ["DALIDatasetWithInputs", "Input"]


class Input:
    """A data set that feeds an `external_source`.

    Parameters
    ----------
    dataset : tf.data.Dataset
        Each of its elements is one tensor.
    layout : str, optional
        Layout of a sample; that of the node unless given.
    batch : bool or None
        Whether an element is a batch, else it is a sample; ``None``: as the node's `batch` says, or a batch.
    """

    def __init__(self, dataset: Any, *, layout: str | None = None, batch: bool | None = False) -> None:
        tf = tensorflow()
        if not isinstance(dataset, tf.data.Dataset):
            raise bad("input_datasets", f"{type(dataset).__name__} is no tf.data.Dataset.", "Give a tf.data.Dataset.")
        parts = len(tf.nest.flatten(dataset.element_spec))
        if parts != 1:
            raise bad("input_datasets", f"The data set's elements have {parts} parts; one tensor is accepted.",
                      "Take the part with map, and give a data set for each external_source.")  # fmt: skip
        self.dataset, self.layout, self.batch = dataset, layout, batch

    def arguments(self, node: Node) -> dict[str, Any]:
        """Arguments of the node, in place of its own."""
        batch = node.arguments.get("batch") if self.batch is None else self.batch
        made: dict[str, Any] = {"source": _Elements(self.dataset), "batch": batch is not False, "cycle": None}
        return made if self.layout is None else {**made, "layout": self.layout}


class _Elements:
    """The elements of a data set as arrays, from the beginning for each iterator."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def __iter__(self) -> Iterator[Any]:
        flatten = tensorflow().nest.flatten
        return (flatten(element)[0] for element in self._dataset.as_numpy_iterator())


def DALIDatasetWithInputs(  # noqa: N802 - nvidia.dali's name
    pipeline: Pipeline,
    output_dtypes: Any = None,
    output_shapes: Any = None,
    fail_on_device_mismatch: bool = True,
    *,
    input_datasets: Mapping[str, Any] | None = None,
    batch_size: int = 1,
    num_threads: int = 4,
    device_id: int | None = 0,
    exec_separated: bool = False,
    exec_dynamic: bool = False,
    prefetch_queue_depth: int = 2,
    cpu_prefetch_queue_depth: int = 2,
    gpu_prefetch_queue_depth: int = 2,
    dtypes: Any = None,
    shapes: Any = None,
) -> Any:
    """`DALIDataset` for pipelines with an `external_source`; ends where the first of them has no more data.

    Parameters
    ----------
    input_datasets : dict, optional
        For each `external_source` without a source: its name, and a ``tf.data.Dataset`` of samples, or an `Input`.
        Samples that fill no batch are left out.
    pipeline, output_dtypes, output_shapes, fail_on_device_mismatch, batch_size, num_threads, device_id, \
exec_separated, exec_dynamic, prefetch_queue_depth, cpu_prefetch_queue_depth, gpu_prefetch_queue_depth, dtypes, shapes
        As of `DALIDataset`.

    Raises
    ------
    DaliStudioError
        As `DALIDataset`; DS105 also for sources that nothing feeds, and for inputs that feed none.
    """
    tf = tensorflow()
    nodes = sources(checked(pipeline))
    inputs: dict[str, dict[str, Any]] = {}
    for name, given in _mapping(input_datasets).items():
        key = pipeline.node_key(name) if isinstance(name, str) else name
        if key not in nodes or "source" in nodes[key].objects:
            free = sorted(other for other, node in nodes.items() if "source" not in node.objects)
            raise bad("input_datasets", f"The pipeline has no external_source {name!r} that waits for data.",
                      f"Name one of {', '.join(free)}." if free else "Take it away.")  # fmt: skip
        inputs[key] = (given if isinstance(given, Input) else Input(given)).arguments(nodes[key])
    left = sorted(key for key, node in nodes.items() if "source" not in node.objects and key not in inputs)
    if left:
        raise bad("input_datasets", f"Nothing feeds the external_source {', '.join(left)}.",
                  "Give a data set for each by its name.")  # fmt: skip
    several = sorted(key for key in inputs if nodes[key].arguments.get("num_outputs") is not None)
    if several:
        raise bad("input_datasets", f"The external_source {several[0]} has num_outputs; a data set feeds one output.",
                  "Make an external_source for each.")  # fmt: skip
    depth = max(cpu_prefetch_queue_depth, gpu_prefetch_queue_depth) if exec_separated else prefetch_queue_depth
    del exec_dynamic
    return dataset(
        tf, pipeline, renamed("dtypes", output_dtypes, dtypes), renamed("shapes", output_shapes, shapes),
        {"batch_size": batch_size, "num_threads": num_threads, "device_id": device_id, "prefetch_queue_depth": depth},
        fail_on_device_mismatch=fail_on_device_mismatch, inputs=inputs,
    )  # fmt: skip


def _mapping(given: Any) -> Mapping[Any, Any]:
    if given is None or isinstance(given, Mapping):
        return cast("Mapping[Any, Any]", given or {})
    raise bad("input_datasets", f"input_datasets is a {type(given).__name__}; a dictionary is accepted.",
              "Give {name: data set}.")  # fmt: skip

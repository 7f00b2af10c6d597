"""Iterators resume within an epoch, and end it where nvidia.dali's do."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from peers import OURS, THEIRS

from dali_studio import DaliStudioError

pytestmark = pytest.mark.usefixtures("torch")

FILES, BATCH = 23, 4


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files, each with its number in it."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "class").mkdir()
    for number in range(FILES):
        (folder / "class" / f"{number:02d}.jpg").write_bytes(bytes([number]))
    return folder


def iterator(
    prefix: str, root: Path, policy: str, checkpoints: list[bytes] | None = None, shards: int = 1, *,
    enabled: bool = True, reader_name: str | None = "reader", auto_reset: bool = True, **reader: Any,
) -> Any:  # fmt: skip
    """Over one pipeline for each shard."""
    fn = importlib.import_module(f"{prefix}.fn")
    plugin = importlib.import_module(f"{prefix}.plugin.pytorch")
    made: list[Any] = []
    for shard in range(shards):

        @importlib.import_module(prefix).pipeline_def(
            batch_size=BATCH, num_threads=1, device_id=None, seed=2, enable_checkpointing=enabled,
            checkpoint=checkpoints[shard] if checkpoints else None,
        )
        def pipe(shard: int = shard) -> Any:
            files, _ = fn.readers.file(file_root=str(root), name="reader", num_shards=shards, shard_id=shard, **reader)
            return files

        made.append(pipe())
    size = {} if reader_name else {"size": FILES}
    return plugin.DALIGenericIterator(
        made, ["data"], reader_name=reader_name, auto_reset=auto_reset,
        last_batch_policy=getattr(plugin.LastBatchPolicy, policy), **size,
    )  # fmt: skip


def values(batches: Any) -> list[list[int]]:
    """The numbers in the files, for each pipeline."""
    return [batch["data"].flatten().tolist() for batch in batches]


def steps(made: Any, count: int) -> list[Any]:
    """Batches of some calls of ``next``; "end" where an epoch ended."""
    got: list[Any] = []
    for _ in range(count):
        try:
            got.append(values(next(made)))
        except StopIteration:
            got.append("end")
    return got


@pytest.mark.parametrize("cut", [0, 1, 4, 6, 9])
@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize(
    ("policy", "reader"),
    [("FILL", {}), ("PARTIAL", {"pad_last_batch": True}), ("DROP", {"random_shuffle": True, "initial_fill": 4})],
)
def test_resumed_iterators(policy: str, reader: dict[str, Any], shards: int, cut: int, root: Path, nvidia: Any) -> None:
    del nvidia
    got: dict[str, list[Any]] = {}
    for prefix in (OURS, THEIRS):
        first = iterator(prefix, root, policy, shards=shards, **reader)
        got[prefix] = steps(first, cut)
        got[prefix] += steps(iterator(prefix, root, policy, first.checkpoints(), shards, **reader), 10)
    assert got[OURS] == got[THEIRS]
    # an iterator that is made at the end of an epoch begins the next one, without saying once more that one has ended
    whole = steps(iterator(OURS, root, policy, shards=shards, **reader), cut + 11)
    batches = [step for step in got[OURS] if step != "end"]
    assert batches == [step for step in whole if step != "end"][: len(batches)]


@pytest.mark.parametrize("cut", [3, 6, 7])
def test_without_auto_reset(cut: int, root: Path, nvidia: Any) -> None:
    del nvidia
    got: dict[str, list[Any]] = {}
    for prefix in (OURS, THEIRS):
        first = iterator(prefix, root, "FILL", auto_reset=False)
        got[prefix] = steps(first, cut)
        again = iterator(prefix, root, "FILL", first.checkpoints(), auto_reset=False)
        got[prefix] += steps(again, 7 - min(cut, 6))
        again.reset()
        got[prefix] += steps(again, 2)
    assert got[OURS] == got[THEIRS]


def test_before_the_first_batch_is_handed_out(root: Path) -> None:
    made = iterator(OURS, root, "FILL")
    again = iterator(OURS, root, "FILL", made.checkpoints())
    assert steps(again, 3) == steps(made, 3)


@pytest.mark.filterwarnings("ignore:size")
def test_refusals(root: Path) -> None:
    with pytest.raises(DaliStudioError, match="Make them with enable_checkpointing=True"):
        iterator(OURS, root, "FILL", enabled=False).checkpoints()
    data = iterator(OURS, root, "FILL", reader_name=None).checkpoints()
    with pytest.raises(DaliStudioError, match="The checkpoint is of another kind of iterator"):
        iterator(OURS, root, "FILL", data)


def test_a_checkpoint_of_no_iterator(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = iterator(OURS, root, "FILL")
    plain = made._pipes[0].checkpoint()
    iterator(OURS, root, "FILL", [plain])
    assert "begins an epoch here" in caplog.text

"""``fn.readers.file`` against nvidia.dali: order, shards, shuffles, padding, lists and filters over several epochs."""

from __future__ import annotations

from pathlib import Path

import pytest
from images import dataset
from peers import OURS, THEIRS, check, check_refused, pipeline, refused

pytestmark = pytest.mark.usefixtures("nvidia")

ORDERS = """

random_shuffle=True
random_shuffle=True, initial_fill=3
random_shuffle=True, initial_fill=12
random_shuffle=True, initial_fill=13
random_shuffle=True, initial_fill=1
random_shuffle=True, seed=5
random_shuffle=True, initial_fill=4, seed=2**40
random_shuffle=True, initial_fill=4, seed=-1
random_shuffle=True, seed=0
num_shards=5, shard_id=1
num_shards=5, shard_id=1, stick_to_shard=True
num_shards=5, shard_id=4, pad_last_batch=True
num_shards=5, shard_id=0, pad_last_batch=True, stick_to_shard=True
num_shards=3, shard_id=2, random_shuffle=True, initial_fill=3
num_shards=3, shard_id=1, random_shuffle=True, stick_to_shard=True
num_shards=3, shard_id=0, random_shuffle=True, stick_to_shard=True, pad_last_batch=True
num_shards=3, shard_id=1, random_shuffle=True, pad_last_batch=True, initial_fill=2
pad_last_batch=True
pad_last_batch=True, random_shuffle=True
shuffle_after_epoch=True
shuffle_after_epoch=True, shuffle_after_epoch_seed=7
shuffle_after_epoch=True, num_shards=3, shard_id=1
shuffle_after_epoch=True, num_shards=5, shard_id=4, pad_last_batch=True
prefetch_queue_depth=3, random_shuffle=True
skip_cached_images=True
lazy_init=True
read_ahead=True, dont_use_mmap=True, tensor_init_bytes=100
""".split("\n")[1:-1]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three classes with four, four and five files, and files that the default filters leave out."""
    folder = dataset(tmp_path_factory.mktemp("files"))
    (folder / "class_2" / "extra.PNG").write_bytes(b"not an image, but a file")
    (folder / "class_2" / "notes.txt").write_bytes(b"text")
    (folder / "class_0" / "inner").mkdir()
    (folder / "class_0" / "inner" / "deep.jpg").write_bytes(b"deep")
    (folder / "loose.jpg").write_bytes(b"loose")
    (folder / "empty_class").mkdir()
    return folder


@pytest.mark.parametrize("batch_size", [1, 4, 5, 15])
@pytest.mark.parametrize("arguments", ORDERS)
def test_order_over_several_epochs(root: Path, arguments: str, batch_size: int) -> None:
    iterations = 45 // batch_size + 2
    check(
        f"fn.readers.file(file_root=root, {arguments})",
        iterations=iterations,
        names={"root": str(root)},
        batch_size=batch_size,
    )


def test_a_buffer_without_room(root: Path) -> None:
    """With shuffling, nvidia.dali divides by zero, and the process ends."""
    read = "fn.readers.file(file_root=root, initial_fill=0"
    check(f"{read})", names={"root": str(root)}, iterations=3)
    refused(f"{read}, random_shuffle=True)", names={"root": str(root)}, codes="DS105")


@pytest.mark.parametrize("seed", [0, 1, 77, 2**33 + 5])
def test_seeds_of_the_pipeline(root: Path, seed: int) -> None:
    program = "a = fn.readers.file(file_root=root, random_shuffle=True)\nb = fn.readers.file(file_root=root, random_shuffle=True)\nreturn b[1], a[1], fn.random.uniform()"
    check(program, iterations=8, names={"root": str(root)}, batch_size=4, seed=seed)


@pytest.mark.parametrize("arguments", ORDERS)
def test_sizes(root: Path, arguments: str) -> None:
    metas = []
    for prefix in (OURS, THEIRS):
        made = pipeline(
            prefix, f"fn.readers.file(file_root=root, name='reader', {arguments})", names={"root": str(root)}
        )
        made.build()
        metas.append((made.reader_meta("reader"), made.reader_meta(), made.epoch_size("reader"), made.epoch_size()))
    assert metas[0] == metas[1]


LISTS = """
fn.readers.file(file_root=root, files=["class_1/5.jpg", "class_0/0.jpg", "class_2/10.jpg"])
fn.readers.file(file_root=root, files=["class_1/5.jpg", "class_0/0.jpg", "class_2/10.jpg"], labels=[7, -3, 100000])
fn.readers.file(files=[root + "/class_1/5.jpg", root + "/class_0/0.jpg"])
fn.readers.file(files=[root + "/class_1/5.jpg", root + "/class_0/0.jpg"], labels=[4, 5], random_shuffle=True, initial_fill=2)
fn.readers.file(files=[root + "/class_1/5.jpg"])
fn.readers.file(file_root=root, file_list=root + "/list.txt")
fn.readers.file(file_list=root + "/list.txt")
fn.readers.file(file_list=root + "/absolute.txt")
fn.readers.file(file_list=root + "/spaces.txt")
fn.readers.file(file_root=root, file_filters=["*.txt"])
fn.readers.file(file_root=root, file_filters=["*.png"])
fn.readers.file(file_root=root, file_filters=["*.png"], case_sensitive_filter=False)
fn.readers.file(file_root=root, file_filters=["*.PNG", "1*.jpg"], case_sensitive_filter=True)
fn.readers.file(file_root=root, file_filters="1?.jpg")
fn.readers.file(file_root=root, file_filters=["?.*"])
fn.readers.file(file_root=root, dir_filters=["class_0", "class_2"])
fn.readers.file(file_root=root, dir_filters=["*_1"])
fn.readers.file(file_root=root, dir_filters="CLASS_[02]", case_sensitive_filter=False)
""".strip().splitlines()


@pytest.mark.parametrize("program", LISTS)
def test_lists_and_filters(root: Path, program: str) -> None:
    (root / "list.txt").write_text("class_1/5.jpg 3\nclass_0/0.jpg 1\nclass_0/15.jpg 0\n")
    (root / "absolute.txt").write_text(f"{root}/class_1/5.jpg 3\n{root}/class_0/0.jpg 1")
    (root / "with space").mkdir(exist_ok=True)
    (root / "with space" / "a b.jpg").write_bytes(b"x")
    (root / "spaces.txt").write_text("with space/a b.jpg 3\nclass_0/0.jpg   1\n\n")
    try:
        check(program, iterations=4, names={"root": str(root)}, batch_size=2)
    finally:
        (root / "with space" / "a b.jpg").unlink()
        (root / "with space").rmdir()
        for name in ("list", "absolute", "spaces"):
            (root / f"{name}.txt").unlink()


@pytest.mark.parametrize(
    "program",
    [
        "fn.readers.file()",
        "fn.readers.file(file_root=root + '/nowhere')",
        "fn.readers.file(file_root=root + '/empty_class')",
        "fn.readers.file(file_root=root, file_filters=['*.none'])",
        "fn.readers.file(file_root=root, num_shards=2, shard_id=2)",
        "fn.readers.file(file_root=root, num_shards=0)",
        "fn.readers.file(file_root=root, random_shuffle=True, shuffle_after_epoch=True)",
        "fn.readers.file(file_root=root, shuffle_after_epoch=True, stick_to_shard=True)",
        "fn.readers.file(files=['a.jpg'], labels=[1, 2])",
        "fn.readers.file(file_list=root + '/missing.txt')",
        "fn.readers.file(file_root=root, files=['class_0/0.jpg'], file_list='x.txt')",
        "fn.readers.file(file_root=root, labels=[1])",
    ],
)
def test_refused_by_both(root: Path, program: str) -> None:
    check_refused(program, names={"root": str(root)})


def test_an_empty_buffer_is_refused(root: Path) -> None:
    """nvidia.dali dies of a division by zero."""
    refused(
        "fn.readers.file(file_root=root, initial_fill=0, random_shuffle=True)", codes="DS105", names={"root": str(root)}
    )


def test_a_missing_file_is_named(root: Path) -> None:
    check_refused(
        "fn.readers.file(file_root=root, files=['class_0/0.jpg', 'class_0/gone.jpg'])",
        codes="DS302",
        names={"root": str(root)},
        batch_size=2,
    )

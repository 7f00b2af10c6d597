"""The order of readers and the files they find: known orders, saved states, and equality with nvidia.dali."""

from __future__ import annotations

import errno
import fnmatch
import os
import random
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from dali_studio.kernels.cpu.reader_order import ReaderOrder, ReaderState, discover_files


def _batches(order: ReaderOrder, size: int, count: int) -> list[list[int]]:
    return [order.next_batch(size) for _ in range(count)]


# ---------------------------------------------------------------------------------------------------------- shards


def test_shards_start_at_rounded_down_fractions() -> None:
    starts = [ReaderOrder(12, shard_id=i, num_shards=5).shard_bounds(0)[0] for i in range(5)]
    assert starts == [0, 2, 4, 7, 9]


def test_without_padding_a_batch_runs_on_into_the_next_shard() -> None:
    order = ReaderOrder(5, shard_id=1, num_shards=2)
    assert _batches(order, 3, 4) == [[2, 3, 4], [0, 1, 2], [3, 4, 0], [1, 2, 3]]


def test_padding_repeats_the_last_sample_and_evens_out_the_shards() -> None:
    order = ReaderOrder(12, num_shards=5, pad_last_batch=True)
    assert _batches(order, 2, 3) == [[0, 1], [1, 1], [2, 3]]
    assert order.reader_meta() == {
        "epoch_size": 12,
        "epoch_size_padded": 15,
        "number_of_shards": 5,
        "shard_id": 0,
        "pad_last_batch": 1,
        "stick_to_shard": 0,
    }


def test_sticking_repeats_the_same_shard() -> None:
    order = ReaderOrder(6, shard_id=1, num_shards=3, stick_to_shard=True)
    assert _batches(order, 2, 3) == [[2, 3]] * 3


# -------------------------------------------------------------------------------------------------------- shuffling


@pytest.mark.parametrize("fill", [1, 3, 12, 1000])
@pytest.mark.parametrize("options", [{"random_shuffle": True}, {"shuffle_after_epoch": True}])
def test_every_epoch_holds_every_sample_once(fill: int, options: dict[str, bool]) -> None:
    order = ReaderOrder(37, initial_fill=fill, seed=5, **options)
    epochs = _batches(order, 37, 4)
    assert all(sorted(epoch) == list(range(37)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == (4 if fill > 1 or "shuffle_after_epoch" in options else 1)


@pytest.mark.parametrize(
    "options", [{}, {"num_shards": 3, "shard_id": 1}, {"num_shards": 3, "shard_id": 2, "stick_to_shard": True}]
)
def test_a_buffer_larger_than_an_epoch_changes_nothing(options: dict[str, Any]) -> None:
    """A document may name any number: nothing of that size may be allocated or filled."""
    shard = -(-37 // options.get("num_shards", 1))
    expected = _batches(ReaderOrder(37, random_shuffle=True, initial_fill=shard, seed=5, **options), 5, 40)
    for fill in (shard + 1, 2 * shard, 1000, 2**40):
        order = ReaderOrder(37, random_shuffle=True, initial_fill=fill, seed=5, **options)
        assert len(order.get_state().buffer) <= shard
        assert _batches(order, 5, 40) == expected


def test_known_orders_of_shuffle_after_epoch() -> None:
    assert _batches(ReaderOrder(12, shuffle_after_epoch=True), 12, 2) == [
        [9, 6, 0, 5, 4, 2, 8, 1, 7, 3, 11, 10],
        [7, 1, 4, 10, 8, 6, 0, 2, 3, 9, 11, 5],
    ]
    other = ReaderOrder(12, shuffle_after_epoch=True, shuffle_after_epoch_seed=0)
    assert other.next_batch(12) == [7, 6, 10, 1, 9, 0, 5, 11, 8, 3, 4, 2]
    from_original = ReaderOrder(12, shuffle_after_epoch=True, checkpointing=True)
    assert _batches(from_original, 12, 2)[1] == [8, 7, 4, 11, 6, 1, 2, 5, 9, 0, 10, 3]


@pytest.mark.parametrize(
    "options",
    [
        {"random_shuffle": True, "initial_fill": 5, "pad_last_batch": True, "num_shards": 3, "shard_id": 2},
        {"shuffle_after_epoch": True, "num_shards": 2},
        {"pad_last_batch": True, "num_shards": 4},
    ],
)
def test_a_saved_state_goes_on_where_it_was(options: dict[str, Any]) -> None:
    order = ReaderOrder(23, seed=9, **options)
    _batches(order, 4, 7)
    state = order.get_state()
    expected = _batches(order, 4, 20)
    other = ReaderOrder(23, seed=9, **options)
    other.set_state(state)
    assert _batches(other, 4, 20) == expected
    order.set_state(state)
    assert _batches(order, 4, 20) == expected, "going back in the same object"


def test_a_state_of_another_buffer_is_refused() -> None:
    state = ReaderOrder(9, random_shuffle=True, initial_fill=4).get_state()
    with pytest.raises(ValueError, match="buffer of 4 samples, this reader one of 0"):
        ReaderOrder(9).set_state(state)


@pytest.mark.parametrize(
    ("files", "options", "words"),
    [
        (0, {}, "data set is empty"),
        (3, {"num_shards": 4}, "only 3 samples"),
        (3, {"shard_id": 2, "num_shards": 2}, "0 <= shard_id < num_shards"),
        (3, {"random_shuffle": True, "initial_fill": 0}, "initial_fill is 0"),
        (3, {"random_shuffle": True, "shuffle_after_epoch": True}, "random_shuffle exclude each other"),
        (3, {"stick_to_shard": True, "shuffle_after_epoch": True}, "stick_to_shard exclude each other"),
    ],
)
def test_impossible_options_are_refused(files: int, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ReaderOrder(files, **options)


# ---------------------------------------------------------------------------------------- against nvidia.dali itself


def _random_options(rnd: random.Random) -> tuple[int, int, dict[str, Any]]:
    files = rnd.choice([1, 2, 3, 7, 12, 31, 100, 257])
    shards = rnd.randint(1, min(files, 6))
    options: dict[str, Any] = {
        "num_shards": shards,
        "shard_id": rnd.randrange(shards),
        "pad_last_batch": rnd.random() < 0.5,
    }
    kind = rnd.choice(["plain", "shuffle", "shuffle", "after epoch"])
    if kind == "after epoch":
        options |= {"shuffle_after_epoch": True, "shuffle_after_epoch_seed": rnd.choice([0, -1, 77, 2**40 + 3])}
    else:
        options["stick_to_shard"] = rnd.random() < 0.5
    if kind == "shuffle":
        seed = rnd.choice([0, 42, 2**32 + 5, -3, rnd.getrandbits(31)])
        options |= {"random_shuffle": True, "initial_fill": rnd.choice([1, 2, 5, 20, 1024]), "seed": seed}
    return files, rnd.choice([1, 2, 3, 8]), options


def _peer_order(
    nvidia: Any, path: Path, files: int, batch: int, iterations: int, checkpointing: bool, options: dict[str, Any]
) -> tuple[list[list[int]], dict[str, Any]]:
    """nvidia.dali's order: the labels of ``files`` times the same file are their places in the list."""

    @nvidia.pipeline_def(batch_size=batch, num_threads=1, device_id=None, enable_checkpointing=checkpointing)
    def pipe() -> Any:
        data, label = nvidia.fn.readers.file(files=[str(path)] * files, name="reader", **options)
        return data, label

    built = pipe()
    built.build()
    return [built.run()[1].as_array().ravel().tolist() for _ in range(iterations)], built.reader_meta("reader")


@pytest.mark.parametrize("seed", range(120))
def test_order_equals_nvidia_dali(nvidia: Any, tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)
    files, batch, options = _random_options(rnd)
    checkpointing = options.get("shuffle_after_epoch", False) and rnd.random() < 0.4
    iterations = min(60, 4 * files // batch + 10)
    (tmp_path / "x.bin").write_bytes(b"x")
    expected, meta = _peer_order(nvidia, tmp_path / "x.bin", files, batch, iterations, checkpointing, options)
    order = ReaderOrder(files, checkpointing=checkpointing, **options)
    assert _batches(order, batch, iterations) == expected
    assert order.reader_meta() == meta


@pytest.mark.parametrize("options", [{"random_shuffle": True, "seed": 4}, {"shuffle_after_epoch": True}])
def test_order_of_a_long_list_equals_nvidia_dali(nvidia: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    """From 65,536 files on, a 32-bit word is too small for two positions and std::shuffle takes one word each."""
    (tmp_path / "x.bin").write_bytes(b"x")
    expected, _ = _peer_order(nvidia, tmp_path / "x.bin", 70_000, 500, 3, False, options)
    assert _batches(ReaderOrder(70_000, **options), 500, 3) == expected


def _skipped(order: ReaderOrder, size: int, count: int) -> None:
    while count:
        passed = order.skip(size, count)
        assert 1 <= passed <= count
        count -= passed


@pytest.mark.parametrize("seed", range(150))
def test_skipped_batches_are_those_that_would_have_come(seed: int) -> None:
    """Of all orders, from all places, with all sizes of batches; also after going back to a saved state."""
    rng = random.Random(seed)
    files = rng.choice([1, 2, 7, 40, 100])
    shards = rng.randint(1, min(files, 5))
    options: dict[str, Any] = {"num_shards": shards, "shard_id": rng.randrange(shards), "pad_last_batch": rng.random() < 0.5}
    kind = rng.choice(["plain", "stick", "picks", "epochs"])
    options |= {"stick_to_shard": kind == "stick" or (kind == "picks" and rng.random() < 0.3)}
    options |= {"random_shuffle": kind == "picks", "initial_fill": rng.choice([1, 3, 50]), "seed": seed}
    options |= {"shuffle_after_epoch": kind == "epochs", "checkpointing": rng.random() < 0.3}
    skipping, reading = ReaderOrder(files, **options), ReaderOrder(files, **options)
    size = rng.choice([1, 3, 8, 2 * files + 1])
    for _ in range(12):
        state, count = skipping.get_state(), rng.randint(1, 40)
        _skipped(skipping, size, count)
        _batches(reading, size, count)
        if rng.random() < 0.3:
            skipping.set_state(state)
            assert _batches(skipping, size, count) == _batches(_moved_back(reading, state), size, count)
        assert _batches(skipping, size, 3) == _batches(reading, size, 3)
        if rng.random() < 0.3:  # batches of other sizes come in between
            other = rng.randint(1, 9)
            assert _batches(skipping, other, 2) == _batches(reading, other, 2)


def _moved_back(order: ReaderOrder, state: ReaderState) -> ReaderOrder:
    order.set_state(state)
    return order


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("stick", [False, True])
def test_orders_without_chance_go_anywhere_at_once(pad: bool, stick: bool) -> None:
    options = {"num_shards": 3, "shard_id": 1, "pad_last_batch": pad, "stick_to_shard": stick}
    far = ReaderOrder(100, **options)
    assert far.skip(8, 10**12) == 10**12
    period = 3 * 5 if pad else 33 if stick else 25  # batches until everything begins again
    near = ReaderOrder(100, **options)
    _batches(near, 8, 10**12 % period)
    assert _batches(far, 8, 40) == _batches(near, 8, 40)


@pytest.mark.parametrize("option", ["random_shuffle", "shuffle_after_epoch"])
def test_orders_of_chance_go_a_part_of_the_way(option: str) -> None:
    order = ReaderOrder(1000, **{option: True})
    assert 1 <= order.skip(8, 10**12) < 10**7


# ------------------------------------------------------------------------------------------------------------ files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    names = ["b/10.jpg", "b/2.JPG", "b/x.txt", "a/.hid.jpg", "a/z.png", "B/q.jpeg", "c d/e.jpg", "e[1]/f[2].jpg"]
    for name in [*names, "top.jpg", "a/sub/deep.jpg"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "empty").mkdir()
    return tmp_path


def _found(root: Path, **options: Any) -> list[tuple[str, int]]:
    found = discover_files(root, **options)
    return [(Path(p).read_text(), label) for p, label in zip(found.paths, found.labels.tolist(), strict=True)]


def test_folders_are_classes_in_byte_order(tree: Path) -> None:
    assert _found(tree) == [
        ("B/q.jpeg", 0),
        ("a/.hid.jpg", 1),
        ("a/z.png", 1),
        ("b/10.jpg", 2),
        ("b/2.JPG", 2),
        ("c d/e.jpg", 3),
        ("e[1]/f[2].jpg", 4),
    ]
    assert discover_files(tree).classes == ["B", "a", "b", "c d", "e[1]", "empty"]


def test_filters(tree: Path) -> None:
    assert _found(tree, file_filters="*.txt") == [("b/x.txt", 2)]
    assert _found(tree, file_filters=["f\\[2\\].*", "[!a-e]*.png"]) == [("a/z.png", 1), ("e[1]/f[2].jpg", 4)]
    assert ("b/2.JPG", 2) not in _found(tree, case_sensitive_filter=True)
    assert [label for _, label in _found(tree, dir_filters=["b", "c*"])] == [0, 1, 1, 2]


def test_lists_and_explicit_paths(tree: Path) -> None:
    listing = tree / "files.txt"
    listing.write_text("b/10.jpg 3\n\n  \nc d/e.jpg\t 07 \r\n")
    found = discover_files(file_list=listing)
    assert list(found.paths) == [str(tree / "b/10.jpg"), str(tree / "c d/e.jpg")]
    assert found.labels.tolist() == [3, 7]
    assert discover_files(tree, files=["b/10.jpg", "a/z.png"]).labels.tolist() == [0, 1]
    assert _found(tree, files=["b/10.jpg"], labels=[-7]) == [("b/10.jpg", -7)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "nothing to read"),
        ({"files": ["a"], "file_list": "b"}, "give one of them"),
        ({"files": []}, "empty list"),
        ({"files": ["a"], "labels": [1, 2]}, "2 labels for 1 files"),
        ({"labels": [1]}, "without files"),
        ({"files": ["a"], "labels": [2**31]}, "does not fit into 32 bits"),
        ({"file_root": "x", "file_filters": []}, "file_filters is empty"),
        ({"file_root": "no/such/folder"}, r"cannot open the folder 'no/such/folder': No such file or directory$"),
        ({"file_list": "no/such/list"}, "cannot read the file_list"),
    ],
)
def test_contradictions_and_missing_places_are_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        discover_files(**options)


def test_a_folder_without_classes_or_matches_says_so(tree: Path) -> None:
    with pytest.raises(ValueError, match="has no sub-folders"):
        discover_files(tree / "empty")
    with pytest.raises(ValueError, match="files directly in it have no class"):
        discover_files(tree / "b")
    with pytest.raises(ValueError, match=r"no file in the 6 sub-folders .* matches \*\.zzz"):
        discover_files(tree, file_filters=["*.zzz"])


@pytest.mark.parametrize("line", ["b/10.jpg", "b/10.jpg x", "b/10.jpg -1", "b/10.jpg5", "5", "b/10.jpg 99999999999"])
def test_a_bad_line_is_named(tree: Path, line: str) -> None:
    (tree / "list").write_text(f"b/10.jpg 1\n{line}\n")
    with pytest.raises(ValueError, match=r"list, line 2: .* is not 'name label'"):
        discover_files(file_list=tree / "list")


def test_names_with_a_zero_byte_are_refused(tree: Path) -> None:
    (tree / "list").write_bytes(b"b/10.jpg 1\nb/2\0.JPG 2\n")
    for options in ({"files": ["b/10.jpg", "b/2\0.JPG"]}, {"file_list": tree / "list"}):
        with pytest.raises(ValueError, match=r"b/2\\x00.JPG' has a zero byte"):
            discover_files(tree, **options)


POSIX = pytest.mark.skipif(os.name != "posix", reason="names and kinds of files that Windows does not have")


@POSIX
def test_names_that_are_no_text_are_read(tree: Path) -> None:
    name = b"b/\xff\xfe.jpg"
    Path(os.fsdecode(os.fsencode(tree) + b"/" + name)).write_text("found")
    assert _found(tree)[3:6] == [("b/10.jpg", 2), ("b/2.JPG", 2), ("found", 2)]
    (tree / "list").write_bytes(name + b" 5\n")
    assert _found(tree, file_list=tree / "list") == [("found", 5)]
    assert ("found", 2) in _found(tree, file_filters=["*\udcfe.jpg"])


@POSIX
def test_pipes_and_devices_in_folders_are_left_out_and_no_list_is_read_from_them(tree: Path) -> None:
    before = _found(tree)
    os.mkfifo(tree / "b" / "pipe.jpg")
    os.mkfifo(tree / "list")
    assert _found(tree) == before
    for place, kind in ((tree / "list", "a pipe"), (Path("/dev/zero"), "a device")):
        with pytest.raises(ValueError, match=f"{place}' is {kind}"):
            discover_files(tree, file_list=place)


@POSIX
def test_links_in_circles_end(tree: Path) -> None:
    (tree / "c d" / "up").symlink_to(tree)  # a folder in itself is not entered: classes have no sub-folders
    assert len(_found(tree)) == 7
    (tree / "circle").symlink_to(tree / "circle")
    with pytest.raises(ValueError, match=r"circle' is a link that leads nowhere"):
        discover_files(tree)


def test_folders_that_cannot_be_opened_are_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scandir(path: Any, scandir: Any = os.scandir) -> Any:
        if b"c d" in path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(ValueError, match=r"cannot open the folder '.*c d/?': Permission denied"):
        discover_files(tree)


def test_names_are_joined_as_paths_are(tree: Path) -> None:
    names = ["b/10.jpg", "./b/10.jpg", "b//10.jpg", "b/./10.jpg", "b/../b/10.jpg", str(tree / "b" / "10.jpg"), "b/.", "b/"]
    for root in (str(tree), f"{tree}/", f"{tree}/./b/..", ".", "x", "/"):
        found = discover_files(root, files=names)
        assert list(found.paths) == [str(Path(root) / name) for name in names]


@pytest.mark.parametrize("case", [False, True])
@pytest.mark.parametrize("filters", [["*.jpg"], ["*.JPG", "*.txt"], ["*.k?", "*.jpg"], ["*"], ["*.s"], ["*.k\u00e4"]])
def test_filters_by_endings_are_those_by_patterns(tmp_path: Path, filters: list[str], case: bool) -> None:
    names = ["a.jpg", "a.Jpg", "\u00e4.jpg", "a.k\u00e4", "a.K\u00c4", "x.s", "x.S", "x.\u017f", ".jpg", "jpg", "a.jpg.txt"]
    (tmp_path / "class").mkdir()
    for name in names:
        (tmp_path / "class" / name).touch()
    patterns = [re.compile(fnmatch.translate(f), re.NOFLAG if case else re.IGNORECASE) for f in filters]
    expected = sorted((n for n in names if any(p.fullmatch(n) for p in patterns)), key=str.encode)
    try:
        found = [Path(path).name for path in discover_files(tmp_path, file_filters=filters, case_sensitive_filter=case).paths]
    except ValueError:
        found = []
    assert found == expected


def test_paths_take_little_memory(tmp_path: Path) -> None:
    """A data set of millions of files is listed without an object for each of them."""
    for number in range(20):
        (tmp_path / f"class_{number}").mkdir()
        for name in range(300):
            (tmp_path / f"class_{number}" / f"{name:08}.jpg").touch()
    discover_files(tmp_path)
    tracemalloc.start()
    try:
        found = discover_files(tmp_path)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found.paths) == 6000
    text = sum(len(path) + 1 for path in found.paths)
    assert kept < 1.3 * text + 6000 * 14, "the text, where each path begins, labels"
    assert peak < 2 * (text + 6000 * 14)

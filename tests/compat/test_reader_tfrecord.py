"""``readers.tfrecord`` against nvidia.dali: several files, their order, features and indices."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import check, check_refused, refused
from test_reader_archives import ORDERS

from dali_studio import DaliStudioError, Pipeline, fn, ops, tfrecord
from dali_studio.cli import main
from dali_studio.schema.record_samples import example, tf_records

pytestmark = pytest.mark.usefixtures("nvidia")

FEATURES = "{'a': tfrecord.FixedLenFeature([1], tfrecord.int64, -1), 'b': tfrecord.VarLenFeature(tfrecord.float32, 0.0)}"


def write(path: Path, examples: list[bytes]) -> str:
    path.write_bytes(b"".join(struct.pack("<Q", len(one)) + bytes(4) + one + bytes(4) for one in examples))
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """Three files of 5, 3 and 6 records, which have their numbers in them, and their indices."""
    root, number = tmp_path_factory.mktemp("records"), 0
    paths: list[str] = []
    for place, count in enumerate((5, 3, 6)):
        examples = [example({"a": [number + i], "b": [0.5] * (number + i)}) for i in range(count)]
        paths.append(write(root / f"{place}.tfrecord", examples))
        assert main(["tfrecord2idx", paths[-1], f"{paths[-1]}.idx"]) == 0
        number += count
    return paths, [f"{path}.idx" for path in paths]


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_records(files: tuple[list[str], list[str]], order: str) -> None:
    names = dict(zip(("paths", "index"), files, strict=True))
    program = f"list(fn.readers.tfrecord(path=paths, index_path=index, features={FEATURES}, {order}).values())"
    check(program, names=names, iterations=13, batch_size=4)


def test_sources(files: tuple[list[str], list[str]]) -> None:
    names = dict(zip(("paths", "index"), files, strict=True))
    program = f"fn.get_property(fn.readers.tfrecord(path=paths, index_path=index, features={FEATURES})['a'], key='source_info')"
    check(program, names=names, batch_size=9)


def test_the_class_gives_a_dictionary(files: tuple[list[str], list[str]]) -> None:
    names = dict(zip(("paths", "index"), files, strict=True))
    check(f"""
read = ops.readers.TFRecord(path=paths, index_path=index, features={FEATURES})()
return read["b"], read["a"]
""", names=names, batch_size=4)  # fmt: skip


def test_an_index_is_what_that_of_nvidia_dali_is(tmp_path: Path) -> None:
    folder = tf_records("records.tfrecord").files()
    path, index = tmp_path / "records.tfrecord", tmp_path / "records.idx"
    path.write_bytes(folder["records.tfrecord"])
    assert main(["tfrecord2idx", str(path), str(index)]) == 0
    assert index.read_bytes() == folder["records.idx"]
    path.write_bytes(folder["records.tfrecord"][:-20])
    assert main(["tfrecord2idx", str(path), str(index)]) == 1
    assert main(["tfrecord2idx", str(tmp_path / "none"), str(index)]) == 1


@pytest.mark.parametrize("feature", [
    "tfrecord.FixedLenFeature([1], tfrecord.int64, 0.5)", "tfrecord.FixedLenFeature([], tfrecord.float32, 1)",
    "tfrecord.FixedLenFeature([], tfrecord.string, 1)", "tfrecord.FixedLenFeature(3, tfrecord.int64, 0)",
    "tfrecord.FixedLenFeature([1], 7, 0)", "tfrecord.VarLenFeature(3, tfrecord.int64, 0)", "'text'",
])  # fmt: skip
def test_features_that_are_none_are_refused(files: tuple[list[str], list[str]], feature: str) -> None:
    from peers import OURS, THEIRS, run

    names = dict(zip(("paths", "index"), files, strict=True))
    program = f"list(fn.readers.tfrecord(path=paths, index_path=index, features={{'a': {feature}}}).values())"
    for prefix in (OURS, THEIRS):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            run(prefix, program, names=names)


@pytest.mark.parametrize("features", [
    "{'a': tfrecord.VarLenFeature(tfrecord.string, '')}", "{'a': tfrecord.FixedLenFeature([2], tfrecord.string, '')}",
])  # fmt: skip
def test_tensors_of_texts_are_refused(tmp_path: Path, features: str) -> None:
    path = write(tmp_path / "a", [example({"a": [b"x", b"y"]})])
    Path(f"{path}.idx").write_text(f"0 {Path(path).stat().st_size}\n")
    program = f"list(fn.readers.tfrecord(path=[{path!r}], index_path=['{path}.idx'], features={features}).values())"
    from peers import THEIRS, run

    with pytest.raises(RuntimeError, match="Tensors of strings are not supported"):
        run(THEIRS, program)
    with pytest.raises(ValueError, match="tensors of strings are not supported"):
        run("dali_studio", program)


def test_a_cache_of_images_is_refused(files: tuple[list[str], list[str]]) -> None:
    names = dict(zip(("paths", "index"), files, strict=True))
    program = f"list(fn.readers.tfrecord(path=paths, index_path=index, features={FEATURES}, skip_cached_images=CACHED).values())"
    check_refused(program.replace("CACHED", "True"), names=names)
    check(program.replace("CACHED", "False"), names=names)


def test_no_feature_is_refused(files: tuple[list[str], list[str]]) -> None:
    names = dict(zip(("paths", "index"), files, strict=True))
    check_refused("list(fn.readers.tfrecord(path=paths, index_path=index, features={}).values())", codes="DS104", names=names)


def test_the_reason_names_the_record(files: tuple[list[str], list[str]], tmp_path: Path) -> None:
    (tmp_path / "far.idx").write_text("0 20\n512000 20\n")
    names = {"paths": files[0][:1], "index": [str(tmp_path / "far.idx")]}
    text = refused(f"list(fn.readers.tfrecord(path=paths, index_path=index, features={FEATURES}).values())", codes="DS302", names=names)
    assert "at index 0 cannot be read: the record is damaged" in text or "at index 512000" in text
    whole = {"paths": files[0][:1], "index": files[1][:1]}
    feature = "{'b': tfrecord.FixedLenFeature([2], tfrecord.float32, 0.0)}"
    text = refused(f"list(fn.readers.tfrecord(path=paths, index_path=index, features={feature}).values())", codes="DS302",
                   names=whole, batch_size=5)  # fmt: skip
    assert "b has 3 values, which do not fit FixedLenFeature([2], float32, 0.0)" in text


def outputs(made: Pipeline) -> list[list[Any]]:
    return [[np.asarray(output.at(i)).tolist() for i in range(len(output))] for output in made.run()]


def test_damaged_records_are_skipped_and_what_is_missing_has_its_default(tmp_path: Path) -> None:
    good = [example({"a": [7, 8], "t": [b"one"]}), example({"t": [b"two"]}), example({"a": [5]})]
    path = write(tmp_path / "some.tfrecord", [*good[:2], b"\xff\xff", good[2]])
    assert main(["tfrecord2idx", path, f"{path}.idx"]) == 0
    made = Pipeline(batch_size=4, num_threads=2, device_id=None)
    features = {
        "a": tfrecord.FixedLenFeature([3], tfrecord.int64, -1), "v": tfrecord.VarLenFeature([2], tfrecord.float32, 0.0),
        "t": tfrecord.FixedLenFeature([], tfrecord.string, "none"),
    }  # fmt: skip
    with made:
        read = fn.readers.tfrecord(path=path, index_path=f"{path}.idx", features=features, on_error="skip", name="reader")
        made.set_outputs(*read.values())
    numbers, values, texts = outputs(made)
    assert numbers == [[7, 8, -1], [-1, -1, -1], [5, -1, -1]]
    assert values == [[], [], []]
    assert [bytes(text) for text in texts] == [b"one", b"two", b"none"]
    assert [(one.node, one.sample) for one in made.failed_samples()][:1] == [("reader", 2)]


def test_a_run_goes_on_from_a_checkpoint(files: tuple[list[str], list[str]]) -> None:
    def make(**options: Any) -> Pipeline:
        made = Pipeline(batch_size=3, num_threads=2, device_id=None, seed=7, enable_checkpointing=True, **options)
        with made:
            features = {"a": tfrecord.FixedLenFeature([], tfrecord.int64, 0)}
            read = ops.readers.TFRecord(path=files[0], index_path=files[1], features=features, random_shuffle=True, initial_fill=4)
            made.set_outputs(read()["a"])
        return made

    first = make()
    for _ in range(3):
        first.run()
    resumed = make(checkpoint=first.checkpoint())
    assert [outputs(resumed) for _ in range(4)] == [outputs(first) for _ in range(4)]


def test_an_argument_of_another_kind_is_refused() -> None:
    with Pipeline(batch_size=1, num_threads=1, device_id=None), pytest.raises(DaliStudioError, match="tfrecord"):
        fn.readers.tfrecord(path="a", index_path="b", features={"a": 3})

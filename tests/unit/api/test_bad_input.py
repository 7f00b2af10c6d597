"""Bad input: each gives a clear finding with node, sample and file, nothing hangs, and the next run goes on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import Array, dataset, encoded, picture

from dali_studio import DaliStudioError, Graph, Pipeline, fn, types
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.document import loads
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import Node


def finding(act: Any) -> Diagnostic:
    """The first finding of what is raised."""
    with pytest.raises(DaliStudioError) as caught:
        act()
    found = caught.value.diagnostics[0]
    assert found.message.endswith(".")
    assert found.hint
    assert str(found) in str(caught.value)
    return found


def outcome(act: Any) -> tuple[Any, tuple[Diagnostic, ...]]:
    """What `act` returns, or None and the findings it raises."""
    try:
        return act(), ()
    except DaliStudioError as error:
        return None, error.diagnostics


def decoding(root: Path, **reader: Any) -> Pipeline:
    made = Pipeline(batch_size=2, num_threads=2)
    with made:
        files, labels = fn.readers.file(file_root=str(root), name="reader", **reader)
        made.set_outputs(fn.decoders.image(files, name="decode"), labels)
    return made


def test_corrupt_files_of_the_fuzzing_folder(data_dir: Path, tmp_path: Path) -> None:
    """Damaged files decode as far as they can; unreadable ones fail their batch, with their name; the others come."""
    folder = tmp_path / "class"
    folder.mkdir()
    broken = sorted(data_dir.glob("fuzzing/jpeg/*.jpg"))
    for number, path in enumerate(broken):
        shutil.copy(path, folder / f"{2 * number}_damaged.jpg")
        (folder / f"{2 * number}_broken.jpg").write_bytes(path.read_bytes()[: 20 + number])
        for more in (1, 0):
            (folder / f"{2 * number + more}_good{more}.jpg").write_bytes(encoded(picture(9, 8)).tobytes())
    made = decoding(tmp_path)
    outcomes: list[str] = []
    for _ in range(made.epoch_size("reader") * 2 // 2):
        batches, diagnostics = outcome(made.run)
        outcomes.append("broken" if batches is None else "good")
        if batches is not None:
            assert all(batches[0][i].source_info() for i in range(2))
        for found in diagnostics:
            assert (found.code, found.node) == ("DS301", "decode")
            assert found.sample in (0, 1)
            assert found.source.endswith("broken.jpg")
            assert found.source in str(found)
    assert set(outcomes) == {"good", "broken"}
    assert len(outcomes) == made.epoch_size("reader")


@pytest.mark.parametrize("cut", [0, 1, 2, 10, 200, 400, -1, -20])
@pytest.mark.parametrize("form", ["JPEG", "PNG", "BMP", "WEBP", "TIFF"])
def test_cut_off_files_never_hang_or_crash(form: str, cut: int) -> None:
    whole = encoded(picture(40, 50), form)
    part = whole[:cut]

    def act() -> list[Array]:
        made = Pipeline(batch_size=2, num_threads=2)
        with made:
            made.set_outputs(fn.decoders.image(fn.external_source(source=lambda: [whole, part]), name="decode"))
        return [np.array(sample) for sample in made.run()[0]]

    images, diagnostics = outcome(act)
    if images is not None:  # decoders may fill in what is missing at the end
        assert images[1].shape == (40, 50, 3)
    else:
        assert [(d.code, d.node, d.sample) for d in diagnostics] == [("DS301", "decode", 1)]


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bytes_never_hang_or_crash(seed: int) -> None:
    generator = np.random.default_rng(seed)
    files = []
    for form in ("JPEG", "PNG", "BMP", "WEBP"):
        for _ in range(4):
            data = encoded(picture(30, 41), form).copy()
            data[generator.integers(0, data.size, 5)] = generator.integers(0, 256, 5)
            files.append(data)
    for data in files:
        made = Pipeline(batch_size=1, num_threads=1)
        with made:
            made.set_outputs(fn.decoders.image(fn.external_source(source=[[data]]), name="decode"))
        _, diagnostics = outcome(made.run)
        assert {d.code for d in diagnostics} <= {"DS301"}


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "a.jpg").write_bytes(b"x")
    (tmp_path / "other" / "class").mkdir(parents=True)
    (tmp_path / "other" / "class" / "a.txt").write_bytes(b"x")
    for name in ("missing", "empty", "flat", "other"):
        found = finding(decoding(tmp_path / name).run)
        assert (found.code, found.node, found.argument) == ("DS302", "reader", "file_root")
        assert name in found.message


def test_a_file_that_vanishes_between_two_batches(tmp_path: Path) -> None:
    root = dataset(tmp_path / "files", classes=1, images=4)
    made = Pipeline(batch_size=2, num_threads=1, exec_async=False)
    with made:
        made.set_outputs(fn.readers.file(file_root=str(root), name="reader")[0])
    made.run()
    gone = root / "class_0" / "5.jpg"
    gone.rename(root / "kept")
    found = finding(made.run)
    assert (found.code, found.node) == ("DS302", "reader")
    assert "5.jpg" in found.message
    (root / "kept").rename(gone)
    made.run()


def test_wrong_arguments_say_where_they_were_given() -> None:
    cases = {
        "DS102": lambda x: fn.rotate(x, angel=3.0),
        "DS103": lambda x: fn.rotate(x),
        "DS104": lambda x: fn.rotate(x, angle="wide"),
        "DS105": lambda x: fn.crop(x, crop=(3, 3), crop_pos_x=2.0),
        "DS106": lambda x: fn.readers.coco(file_root="x", annotations_file="y", skip_cached_images=True)[0],
        "DS203": lambda x: fn.decoders.image(x),
        "DS201": lambda x: fn.rotate(angle=3.0),
        "DS202": lambda x: fn.rotate(x, x, angle=3.0),
        "DS207": lambda x: fn.readers.file(file_root="x", device="gpu"),
    }
    for code, call in cases.items():
        def act(call: Any = call) -> None:
            made = Pipeline(batch_size=1)
            with made:
                image = fn.external_source(source=[[picture(5, 6)]], layout="HWC", dtype=types.UINT8)
                made.set_outputs(call(image))
            made.build()

        found = finding(act)
        assert found.code == code, str(found)
        assert found.node
        assert found.source.startswith("test_bad_input.py:") or code in ("DS102", "DS104"), str(found)


def test_all_findings_of_a_graph_come_at_once() -> None:
    made = Pipeline(batch_size=1)
    with made:
        image = fn.external_source(source=[[picture(5, 6)]], layout="HWC")
        made.set_outputs(fn.rotate(image, name="first"), fn.crop(image, crop_h=2.0, name="second"), fn.resize(image, name="third"))
    with pytest.raises(DaliStudioError) as caught:
        made.build()
    assert [(d.node, d.code) for d in caught.value.diagnostics] == [("first", "DS103"), ("second", "DS105"), ("third", "DS103")]


def test_cycles() -> None:
    graph = Graph()
    for key in "ab":
        graph.add_node(Node(key=key, operator="flip"))
    graph.connect(PortRef(node="a", output=0), "b", 0)
    graph.connect(PortRef(node="b", output=0), "a", 0)
    graph.set_outputs([PortRef(node="b", output=0)])
    found = finding(Pipeline.from_graph(graph).run)
    assert found.code == "DS204"
    assert "a" in found.message


def test_unknown_operators() -> None:
    graph = Graph()
    graph.add_node(Node(key="a", operator="rotat"))
    graph.set_outputs([PortRef(node="a", output=0)])
    found = finding(Pipeline.from_graph(graph).run)
    assert (found.code, found.node) == ("DS101", "a")
    assert "rotate" in found.hint


def test_documents_of_a_newer_version() -> None:
    found = finding(lambda: loads('{"format": "dali-studio", "version": 99, "pipeline": {}}'))
    assert found.code in ("DS401", "DS402")


def test_failures_of_the_users_source_reach_the_user() -> None:
    def source(iteration: int) -> list[Array]:
        if iteration == 1:
            raise KeyError("mine")
        return [np.zeros(3)]

    made = Pipeline(batch_size=1, num_threads=1, prefetch_queue_depth=1)
    with made:
        made.set_outputs(fn.external_source(source=source))
    made.run()
    with pytest.raises((KeyError, DaliStudioError), match="mine"):
        made.run()


@pytest.mark.parametrize("options", [{}, {"exec_async": False}], ids=str)
def test_the_next_run_goes_on_after_a_bad_sample(options: dict[str, Any]) -> None:
    good, bad = encoded(picture(5, 6)), np.frombuffer(b"bad", np.uint8)
    made = Pipeline(batch_size=2, num_threads=2, **options)
    with made:
        made.set_outputs(fn.decoders.image(fn.external_source(source=[[good, good], [good, bad], [bad, good], [good, good]])))
    outcomes: list[object] = []
    for _ in range(4):
        try:
            made.run()
            outcomes.append("good")
        except DaliStudioError as error:
            outcomes.append(error.diagnostics[0].sample)
    assert outcomes == ["good", 1, 0, "good"]
    with pytest.raises(StopIteration):
        made.run()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
@pytest.mark.parametrize("action", ["raise", "skip"])
def test_a_pipe_among_the_files_is_refused_and_not_waited_for(tmp_path: Path, action: str) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "good.jpg").write_bytes(encoded(picture(9, 8)).tobytes())
    made = Pipeline(batch_size=2, num_threads=2, device_id=None)
    with made:
        paths = [str(tmp_path / name) for name in ("good.jpg", "pipe.jpg")]
        files, labels = fn.readers.file(files=paths, name="reader", on_error=action)
        made.set_outputs(fn.decoders.image(files, name="decode"), labels)
    if action == "skip":
        assert made.run()[1].as_array().tolist() == [[0]]
        return
    found = finding(made.run)
    assert (found.code, found.node, found.sample) == ("DS302", "reader", 1)
    assert found.message == f"{tmp_path / 'pipe.jpg'} cannot be read: it is a pipe, not a file."


@pytest.mark.parametrize(("value", "shape"), [(3, (3,)), (3.0, (3,)), ([2, 1], (2, 1))])
def test_a_document_may_have_a_number_where_a_list_of_one_is_meant(value: Any, shape: tuple[int, ...]) -> None:
    graph = Graph()
    graph.add_node(Node(key="a", operator="random.uniform", arguments={"shape": tuple(value) if isinstance(value, list) else value}))
    graph.set_outputs([PortRef(node="a", output=0)])
    (made,) = Pipeline.from_graph(graph).run()
    assert made.at(0).shape == shape


def test_element_types_that_come_with_the_data_are_checked_where_whole_batches_are_worked_on() -> None:
    batch = [np.ones((4, 5, 3), np.float16)] * 2
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.normalize(fn.external_source(source=lambda: batch, layout="HWC"), name="n"))
    found = finding(pipe.run)
    assert (found.code, found.node) == ("DS203", "n")


def test_a_node_whose_key_is_empty_is_no_crop(tmp_path: Path) -> None:
    """Pipelines note for each decoder which crop reads a window of it, by its key."""
    graph = Graph()
    graph.add_node(Node(key="reader", operator="readers.file", arguments={"file_root": str(dataset(tmp_path, 1, 2))}))
    for key, operator, source, arguments in (("d", "decoders.image", "reader", {}), ("", "resize", "d", {"size": (5.0,)})):
        graph.add_node(Node(key=key, operator=operator, arguments=arguments))
        graph.connect(PortRef(node=source), key, 0)
    graph.set_outputs([PortRef(node="")])
    assert Pipeline.from_graph(graph).run()[0].at(0).shape == (5, 5, 3)

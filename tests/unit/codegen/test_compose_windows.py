"""Transforms that give several windows, move corners or margins, or change the type of some samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from dali_studio import Pipeline, read, read_compose
from dali_studio.api.default import default_registry
from dali_studio.api.folders import folder_readers, point_at
from dali_studio.api.reading.composed.whole import compose_program
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.model import Graph

HEAD = """from torchvision import transforms as T
import torch, albumentations as A
normalize = T.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25])
"""
HIGH, WIDE = 60, 80


@pytest.fixture
def photo(tmp_path: Path) -> tuple[Path, NDArray[np.uint8]]:
    pixels = np.random.default_rng(1).integers(0, 256, (HIGH // 4, WIDE // 4, 3)).astype(np.uint8)
    pixels = np.kron(pixels, np.ones((4, 4, 1), np.uint8))
    (tmp_path / "photos").mkdir()
    Image.fromarray(pixels).save(tmp_path / "photos" / "a.png")
    return tmp_path / "photos", pixels


def graph_of(transforms: str, found: list[Diagnostic] | None = None) -> Graph:
    return read_compose(f"{HEAD}train = {transforms}", found=[] if found is None else found)


def run(graph: Graph, folder: Path) -> list[NDArray[Any]]:
    images, _ = Pipeline.from_graph(point_at(graph, folder_readers(graph, default_registry()), folder)).run()
    return [np.asarray(one) for one in images.as_cpu()]


def windows_of(pixels: NDArray[np.uint8], high: int, wide: int) -> list[NDArray[np.uint8]]:
    places = [(y, x) for y in (0, HIGH - high) for x in (0, WIDE - wide)]
    return [pixels[y : y + high, x : x + wide] for y, x in [*places, ((HIGH - high) // 2, (WIDE - wide) // 2)]]


STACKED = (
    "T.Lambda(lambda crops: torch.stack([normalize(T.ToTensor()(crop)) for crop in crops]))",
    "T.Lambda(lambda crops: torch.stack([T.ToTensor()(c) for c in crops])), T.Lambda(lambda t: torch.stack([normalize(c) for c in t]))",
    "T.Lambda(lambda crops: [T.ToTensor()(c) for c in crops]), normalize",
)


@pytest.mark.parametrize("stacked", STACKED)
def test_five_windows_are_stacked(photo: tuple[Path, NDArray[np.uint8]], stacked: str) -> None:
    folder, pixels = photo
    found: list[Diagnostic] = []
    graph = graph_of(f"T.Compose([T.FiveCrop((20, 30)), {stacked}])", found)
    assert {one.code for one in found} == {"DS503"}
    wanted = np.stack(windows_of(pixels, 20, 30)).transpose(0, 3, 1, 2) / 255
    np.testing.assert_allclose(run(graph, folder)[0], (wanted - 0.5) / 0.25, atol=1e-5)


@pytest.mark.parametrize("upright", [False, True])
def test_ten_windows_are_those_of_the_mirrored_picture_too(photo: tuple[Path, NDArray[np.uint8]], upright: bool) -> None:
    folder, pixels = photo
    made = run(graph_of(f"T.Compose([T.TenCrop(20, vertical_flip={upright})])"), folder)[0]
    mirrored = pixels[::-1] if upright else pixels[:, ::-1]
    np.testing.assert_array_equal(made, [*windows_of(pixels, 20, 20), *windows_of(mirrored, 20, 20)])


def test_what_takes_single_pictures_is_refused_behind_several() -> None:
    found: list[Diagnostic] = []
    graph_of("T.Compose([T.FiveCrop(20), T.RandomRotation(5)])", found)
    (refused,) = [one for one in found if one.code == "DS502"]
    assert "several windows" in refused.message


def test_corners_go_where_they_are_drawn(photo: tuple[Path, NDArray[np.uint8]]) -> None:
    """As PIL does with the matrix that torchvision solves for."""
    folder, pixels = photo
    program = compose_program(f"{HEAD}train = T.Compose([T.RandomPerspective(0.5, p=1.0, fill=9)])", [])
    draws = np.array([[0.2, 0.05], [0.1, 0.15], [0.22, 0.12], [0.03, 0.24]])
    drawn = "fn.random.uniform(range=[0, 0.25], shape=[4, 2])"
    assert drawn in program
    made = run(read(program.replace(drawn, f"fn.constant(fdata={draws.ravel().tolist()}, shape=[4, 2])")), folder)[0]
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    ends = (corners + draws * [[1, 1], [-1, 1], [-1, -1], [1, -1]]) * [WIDE, HIGH]
    rows, values = list[list[float]](), list[float]()
    for (x, y), (u, v) in zip(ends, corners * [WIDE, HIGH], strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    solved = tuple(np.linalg.solve(np.array(rows), np.array(values)))
    nearest = Image.fromarray(pixels).transform(
        (WIDE, HIGH), Image.Transform.PERSPECTIVE, solved, Image.Resampling.BILINEAR, fillcolor=(9, 9, 9)
    )  # fmt: skip
    apart = np.abs(made.astype(int) - np.asarray(nearest).astype(int)).max(axis=2)
    assert (apart > 3).mean() < 0.08  # the border, which PIL leaves out and operators mix with the fill
    assert np.median(apart) <= 1


def test_corners_stay_within_their_quarters(photo: tuple[Path, NDArray[np.uint8]]) -> None:
    folder, _ = photo
    white = Image.new("L", (WIDE, HIGH), 255)
    white.save(folder / "a.png")
    made = run(graph_of("T.Compose([T.RandomPerspective(0.5, p=1.0)])"), folder)
    assert len({one.sum() for one in made}) > 1
    for one in made:
        assert (one[HIGH // 4 + 1 : -HIGH // 4 - 1, WIDE // 4 + 1 : -WIDE // 4 - 1] == 255).all()


@pytest.mark.parametrize("by", ["px=(4, -8, 12, -2)", "percent=(0.1, -0.1, 0.2, -0.05)"])
def test_margins_are_added_and_cut(photo: tuple[Path, NDArray[np.uint8]], by: str) -> None:
    folder, pixels = photo
    top, right, bottom, left = (4, -8, 12, -2) if by.startswith("px") else (6, -8, 12, -4)
    made = run(graph_of(f"A.Compose([A.CropAndPad({by}, keep_size=False, fill=7)])"), folder)[0]
    wanted = np.pad(pixels[:, -left : WIDE + right], ((top, bottom), (0, 0), (0, 0)), constant_values=7)
    np.testing.assert_array_equal(made, wanted)


def test_margins_are_drawn_for_each_side(photo: tuple[Path, NDArray[np.uint8]]) -> None:
    folder, _ = photo
    kept = run(graph_of("A.Compose([A.CropAndPad(px=(-5, 15))])"), folder)
    assert {one.shape for one in kept} == {(HIGH, WIDE, 3)}
    alike = run(graph_of("A.Compose([A.CropAndPad(px=(-5, 15), sample_independently=False, keep_size=False)])"), folder)
    assert {one.shape[1] - one.shape[0] for one in alike} == {WIDE - HIGH} and len({one.shape for one in alike}) > 1


@pytest.mark.parametrize(
    "held",
    ["T.RandomApply([normalize], p=0.5)", "T.RandomChoice([normalize, T.RandomHorizontalFlip()])"],
)
def test_what_normalises_some_samples_gets_floats_of_all(photo: tuple[Path, NDArray[np.uint8]], held: str) -> None:
    folder, pixels = photo
    made = run(graph_of(f"T.Compose([T.ToTensor(), {held}])"), folder)
    plain = (pixels / 255).transpose(2, 0, 1)
    known = [plain, plain[:, :, ::-1], (plain - 0.5) / 0.25]
    which = [[bool(np.allclose(one, other, atol=1e-5)) for other in known].index(True) for one in made]
    assert 2 in which and {0, 1} & {*which}


def test_types_that_some_samples_would_get_are_given_to_all_and_told(photo: tuple[Path, NDArray[np.uint8]]) -> None:
    folder, _ = photo
    found: list[Diagnostic] = []
    made = run(graph_of("T.Compose([T.RandomApply([T.ToTensor(), normalize], p=0.5)])", found), folder)
    assert any("done always" in one.message for one in found)
    assert {(one.dtype.name, one.shape) for one in made} == {("float32", (3, HIGH, WIDE))}

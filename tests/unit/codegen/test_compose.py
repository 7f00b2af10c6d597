"""Compositions of torchvision and albumentations as pipelines: from source and from objects, with the same pixels."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageOps

from dali_studio import Designer, Pipeline, cli, read_compose, samples
from dali_studio.api.default import default_registry
from dali_studio.api.folders import folder_readers, point_at
from dali_studio.api.reading.composed.absent import ABSENT
from dali_studio.api.reading.composed.albumentations import ALBUMENTATIONS
from dali_studio.api.reading.composed.torchvision import TORCHVISION
from dali_studio.api.reading.composed.whole import LIBRARIES, compose_program, is_compose
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

TORCHVISION_SOURCE = """
from torchvision import transforms as T
mean = [0.485, 0.456, 0.406]
crop = T.RandomResizedCrop(160)
train = T.Compose([
    T.Resize(256), T.Resize((200, 210)), T.RandomCrop(190, padding=4), T.RandomResizedCrop(160),
    T.RandomHorizontalFlip(), T.RandomVerticalFlip(0.3), T.ColorJitter(0.4, 0.4, 0.4, 0.1), T.RandomRotation(15),
    T.RandomGrayscale(0.2), T.RandomApply([T.GaussianBlur(23, sigma=(0.1, 2.0))], p=0.5), T.Pad((1, 2, 3, 4), fill=7),
    T.RandomInvert(), T.RandomPosterize(bits=3), T.CenterCrop(128), T.ToTensor(),
    T.Normalize(mean, [0.229, 0.224, 0.225]), T.RandomErasing(p=0.25),
])
"""
ALBUMENTATIONS_SOURCE = """
import albumentations as A
from albumentations.pytorch import ToTensorV2
train = A.Compose([
    A.SmallestMaxSize(max_size=256), A.LongestMaxSize(300), A.Resize(250, 260), A.PadIfNeeded(256, 264),
    A.RandomCrop(height=224, width=220), A.RandomResizedCrop(size=(200, 201)), A.HorizontalFlip(p=0.5),
    A.VerticalFlip(p=1), A.Rotate(limit=30), A.ColorJitter(), A.RandomBrightnessContrast(p=0.2),
    A.HueSaturationValue(), A.GaussianBlur(blur_limit=(3, 7)), A.MedianBlur(3), A.GaussNoise(),
    A.ImageCompression(quality_range=(40, 90)), A.InvertImg(), A.ToGray(p=0.1), A.CenterCrop(180, 180),
    A.Normalize(), ToTensorV2(),
])
"""


@pytest.fixture
def photo(tmp_path: Path) -> tuple[Path, NDArray[np.uint8]]:
    folder = tmp_path / "photos"
    folder.mkdir()
    with Image.open(sorted(samples.photos().rglob("*.jpg"))[3]) as image:
        cut = image.convert("RGB").crop((0, 0, 301, 200))
    cut.save(folder / "a.png")
    return folder, np.asarray(cut)


def run(source: object, folder: Path, found: list[Diagnostic] | None = None) -> list[NDArray[Any]]:
    graph = read_compose(source, found=[] if found is None else found)
    graph = point_at(graph, folder_readers(graph, default_registry()), folder)
    return [np.asarray(sample) for sample in Pipeline.from_graph(graph).run()[0].as_cpu()]


@pytest.mark.parametrize(
    ("source", "extents", "rules"),
    [(TORCHVISION_SOURCE, 128, TORCHVISION), (ALBUMENTATIONS_SOURCE, 180, ALBUMENTATIONS)],
    ids=["torchvision", "albumentations"],
)
def test_a_source_becomes_a_pipeline_that_runs(source: str, extents: int, rules: Any) -> None:
    assert len(rules) >= 15
    found: list[Diagnostic] = []
    made = run(source, samples.photos(), found)
    assert {sample.shape for sample in made} == {(3, extents, extents)} and made[0].dtype == np.float32
    assert found and all(one.code == "DS503" and one.node for one in found)
    compile(compose_program(source, []), "program", "exec")  # it is a program of nvidia.dali besides


def one(library: str, call: str) -> str:
    return f"import {library}\nfrom {library} import transforms as T\nimport albumentations as A\nc = {library}.Compose([{call}])"


def gray(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    luma = np.asarray(Image.fromarray(image).convert("L"))
    return np.repeat(luma[:, :, None], 3, axis=2)


def turned(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(image).rotate(30, Image.Resampling.NEAREST))


def resized(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(image).resize((150, 128), Image.Resampling.BILINEAR))


def warped(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """As torchvision's `_get_inverse_affine_matrix` has it: 15 degrees, a scale of 0.8, shears of 10 and 5."""
    turn, along, across = np.radians([15, 10, 5])
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    bent = np.array([[1, 0], [-np.tan(across), 1]]) @ np.array([[1, -np.tan(along)], [0, 1]])
    back = np.linalg.inv(0.8 * turned @ bent)
    height, width = image.shape[:2]
    centre = np.array([width, height]) / 2
    coefficients = np.column_stack([back, centre - back @ centre]).ravel()
    made = Image.fromarray(image).transform((width, height), Image.Transform.AFFINE, tuple(coefficients), Image.Resampling.NEAREST)
    return np.asarray(made)


def sheared(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """OpenCV's way along x, about the middle."""
    height, width = image.shape[:2]
    slope = np.tan(np.radians(10))
    coefficients = (1, slope, -slope * height / 2, 0, 1, 0)
    made = Image.fromarray(image).transform((width, height), Image.Transform.AFFINE, coefficients, Image.Resampling.BILINEAR)
    return np.asarray(made)


def sharpened(image: NDArray[np.uint8]) -> NDArray[Any]:
    wide = np.pad(image.astype(float), ((1, 1), (1, 1), (0, 0)), mode="reflect")
    height, width = image.shape[:2]
    around = sum(wide[y : y + height, x : x + width] for y in range(3) for x in range(3)) - image
    return np.clip(0.7 * image + 0.3 * (8.7 * image - around), 0, 255)


MEAN, STD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
#: What torchvision does with PIL's pictures, and albumentations with arrays, and how far a value may be from it; ``None``:
#: pixels at the border, or at the middle between two, may be others.
EXACT: list[tuple[str, str, Callable[[NDArray[np.uint8]], NDArray[Any]], float | None]] = [
    ("torchvision", "T.RandomHorizontalFlip(1.0)", lambda x: x[:, ::-1], 0),
    ("torchvision", "T.RandomVerticalFlip(p=1)", lambda x: x[::-1], 0),
    ("torchvision", "T.Pad((1, 2, 3, 4), fill=7)", lambda x: np.pad(x, ((2, 4), (1, 3), (0, 0)), constant_values=7), 0),
    ("torchvision", "T.Pad(5)", lambda x: np.pad(x, ((5, 5), (5, 5), (0, 0))), 0),
    ("torchvision", "T.Grayscale(3)", gray, 1),  # PIL has weights of 16 bits
    ("torchvision", "T.RandomInvert(1)", lambda x: 255 - x, 0),
    ("torchvision", "T.RandomPosterize(3, 1)", lambda x: x & 0b11100000, 0),
    ("torchvision", "T.RandomRotation((30, 30))", turned, 0),
    ("torchvision", "T.RandomAffine((15, 15), scale=(0.8, 0.8), shear=(10, 10, 5, 5))", warped, None),
    ("torchvision", "T.RandomSolarize(100, p=1)", lambda x: np.asarray(ImageOps.solarize(Image.fromarray(x), 100)), 0),
    ("torchvision", "T.RandomAutocontrast(p=1)", lambda x: np.asarray(ImageOps.autocontrast(Image.fromarray(x))), 1),
    ("torchvision", "T.RandomAdjustSharpness(2, p=1)", lambda x: np.asarray(ImageEnhance.Sharpness(Image.fromarray(x)).enhance(2)), None),
    ("albumentations", "A.Affine(shear={'x': (10, 10), 'y': (0, 0)}, p=1)", sheared, None),
    ("albumentations", "A.Solarize(threshold_range=(0.4, 0.4), p=1)", lambda x: np.where(x >= 102, 255 - x, x), 0),
    ("albumentations", "A.Posterize(num_bits=3, p=1)", lambda x: x & 0b11100000, 0),
    ("albumentations", "A.RandomGamma(gamma_limit=(70, 70), p=1)", lambda x: 255 * (x / 255) ** 0.7, 0.51),
    ("albumentations", "A.RGBShift((5, 5), (-10, -10), (20, 20), p=1)",
     lambda x: np.clip(x + np.array([5.0, -10, 20]), 0, 255), 0),
    ("albumentations", "A.Crop(10, 20, 110, 150, p=1)", lambda x: x[20:150, 10:110], 0),
    ("albumentations", "A.Transpose(p=1)", lambda x: x.transpose(1, 0, 2), 0),
    ("albumentations", "A.Sharpen(alpha=(0.3, 0.3), lightness=(0.7, 0.7), p=1)", sharpened, 1),
    ("torchvision", "T.CenterCrop((100, 101))", lambda x: x[50:150, 100:201], 0),
    ("torchvision", "T.Resize((128, 150))", resized, 10),  # PIL rounds between its two passes
    ("torchvision", "T.ToTensor()", lambda x: (x / 255).transpose(2, 0, 1), 1e-6),
    ("torchvision", "T.ToTensor(), T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])",
     lambda x: ((x / 255 - MEAN) / STD).transpose(2, 0, 1), 1e-5),
    ("albumentations", "A.HorizontalFlip(p=1)", lambda x: x[:, ::-1], 0),
    ("albumentations", "A.InvertImg(p=1)", lambda x: 255 - x, 0),
    ("albumentations", "A.CenterCrop(100, 101)", lambda x: x[50:150, 100:201], 0),
    ("albumentations", "A.PadIfNeeded(300, 200)", lambda x: np.pad(x, ((50, 50), (0, 0), (0, 0))), 0),
    ("albumentations", "A.ToGray(p=1)", gray, 1),
    ("albumentations", "A.Normalize()", lambda x: (x / 255 - MEAN) / STD, 1e-5),
    ("albumentations", "A.RandomBrightnessContrast((0.2, 0.2), (0, 0), p=1)", lambda x: np.minimum(x + 51.0, 255), 0.5),
]  # fmt: skip


@pytest.mark.parametrize(("library", "call", "formula", "apart"), EXACT, ids=[f"{a[0]}:{a[1]}" for a in EXACT])
def test_pixels_are_those_of_the_package(
    library: str, call: str, formula: Callable[[NDArray[np.uint8]], NDArray[Any]], apart: float | None,
    photo: tuple[Path, NDArray[np.uint8]],
) -> None:  # fmt: skip
    folder, image = photo
    (made, *_) = run(one(library, call), folder)
    expected = formula(image)
    assert made.shape == expected.shape
    away = np.abs(made.astype(float) - expected.astype(float))
    assert away.max() <= apart if apart is not None else np.mean(away > 1) < 0.02


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_transform_that_is_offered_runs(library: str) -> None:
    assert len(LIBRARIES[library]) >= 35
    for name, rule in LIBRARIES[library].items():
        values = {**rule.example, **({} if rule.p is None else {"p": 1.0})}
        call = ", ".join(f"{key}={value!r}" for key, value in values.items())
        run(f"import {library}\nc = {library}.Compose([{library}.{name}({call})])", samples.photos(), [])
        assert name not in ABSENT[library]


def test_one_of_several_is_an_if_by_their_probabilities() -> None:
    made = run(one("albumentations", "A.OneOf([A.HorizontalFlip(), A.InvertImg(p=1), A.NoOp(), A.Blur(3)], p=0.8)"), samples.photos())
    assert len(made) == 8
    program = compose_program(one("albumentations", "A.OneOf([A.Blur(3), A.InvertImg(p=1)], p=0.8)"), [])
    assert "probability=0.8" in program and "if choice_2 < 0.3333" in program and "else:" in program
    program = compose_program(one("torchvision", "T.RandomChoice([T.RandomInvert(), T.Pad(2)], p=[3, 1])"), [])
    assert "if choice_2 < 0.75:" in program and "probability=0.5" in program


def test_what_follows_floats_whose_channels_are_first_does_what_it_did(photo: tuple[Path, NDArray[np.uint8]]) -> None:
    folder, image = photo
    erased = run(one("torchvision", "T.ToTensor(), T.RandomErasing(1, (0.5, 0.5)), T.Normalize([0.5], [0.25])"), folder)[0]
    whole = np.moveaxis((image / 255 - 0.5) / 0.25, 2, 0)
    kept = np.abs(erased - whole).max(0) < 1e-5
    assert 0.3 < kept.mean() < 0.7 and np.allclose(erased[:, ~kept], -2)
    padded = run(one("torchvision", "T.ToTensor(), T.Normalize([0.5], [0.25]), T.Pad(3)"), folder)[0]
    assert np.allclose(padded, np.pad(whole, [(0, 0), (3, 3), (3, 3)]), atol=1e-5)
    found: list[Diagnostic] = []
    read_compose(one("albumentations", "A.Normalize(), A.InvertImg(p=1)"), found=found)
    assert "is for levels from 0 to 255 here" in found[0].message and found[0].code == "DS502"


def test_some_of_several_are_as_many_as_are_wanted(tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    pads = ", ".join(f"A.Pad({2**at}, p=1)" for at in range(4))
    sizes = {made.shape[0] for _ in range(8) for made in run(one("albumentations", f"A.SomeOf([{pads}], n=2)"), tmp_path)}
    assert len(sizes) > 2 and all(((size - 8) // 2).bit_count() == 2 for size in sizes)


@pytest.mark.parametrize(
    ("text", "told"),
    [("import datasets.transforms as T\nt = T.Compose([])", "That of line 2 is of datasets.transforms."),
     ("from timm.data import create_transform\nt = create_transform(224)", "create_transform (line 2)")],
)  # fmt: skip
def test_compositions_of_other_packages_are_named(text: str, told: str) -> None:
    with pytest.raises(DaliStudioError, match="no Compose") as caught:
        read_compose(text)
    assert told in str(caught.value)


def test_what_has_no_operator_keeps_its_place_and_is_told() -> None:
    found: list[Diagnostic] = []
    graph = read_compose(one("torchvision", "T.Resize(8), T.ElasticTransform(), T.CenterCrop(4), mine.Thing(3)"), found=found)
    assert [node.key for node in graph.nodes() if node.operator not in default_registry()]
    assert [d.message for d in found if d.code == "DS502"] == [
        "torchvision's ElasticTransform has no operator here; its node keeps its place.",
        "mine.Thing is of neither torchvision nor albumentations; its node keeps its place.",
    ]


@pytest.mark.parametrize("source", ["a = (1", "import os\nx = 1", 3, [object()]])
def test_what_is_no_composition_is_refused(source: object) -> None:
    with pytest.raises(DaliStudioError) as raised:
        read_compose(source)
    assert raised.value.diagnostics[0].code == "DS502"


@pytest.mark.parametrize(
    ("text", "operators"),
    [
        ("tf = transforms.Compose([transforms.Resize(256), transforms.ToTensor()])", ["resize", "crop_mirror_normalize"]),
        ("T.Compose([T.Resize((9, 9)), T.CenterCrop(4)])", ["resize", "crop"]),
        ("train = v2.Compose([v2.CenterCrop(4)])", ["crop"]),
        ("A.Compose([A.CenterCrop(4, 5)])", ["crop"]),
        ("from torchvision.transforms import *\ntf = Compose([CenterCrop(4), ToTensor()])", ["crop", "crop_mirror_normalize"]),
        ("Compose([SmallestMaxSize(9), CenterCrop(4, 5)])", ["resize", "crop"]),
    ],
)
def test_a_part_of_a_program_needs_no_imports(text: str, operators: list[str]) -> None:
    graph = read_compose(text + "\n", found=[])
    assert [node.operator for node in graph.nodes()][2:] == operators


def test_a_compose_of_the_source_is_its_own() -> None:
    with pytest.raises(DaliStudioError, match="has no Compose"):
        read_compose("def Compose(steps):\n    return steps\n\ntf = Compose([Resize(3)])\n", found=[])


def test_nothing_of_a_source_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    source = f"from torchvision import transforms as T\nopen({str(mark)!r}, 'w')\nc = T.Compose([T.Resize(open({str(mark)!r}, 'w') or 8)])"
    compose_program(source, [])
    assert not mark.exists()


def test_objects_are_read_by_what_they_were_made_with() -> None:
    """Stand-ins with the attributes that torchvision's and albumentations' objects have."""

    def kind(name: str, module: str, **values: Any) -> Any:
        made = type(name, (), {"__module__": module})()
        vars(made).update(values)
        return made

    mode = type("InterpolationMode", (), {"value": "bicubic"})()
    tv = "torchvision.transforms.transforms"
    compose = kind("Compose", tv, transforms=[
        kind("Resize", tv, size=256, interpolation=mode, max_size=None, antialias=True),
        kind("ColorJitter", tv, brightness=(0.6, 1.4), contrast=None, saturation=None, hue=None),
        kind("RandomApply", tv, transforms=[kind("GaussianBlur", tv, kernel_size=(5, 3), sigma=(1.0, 1.0))], p=0.2),
        kind("ToTensor", tv), kind("Normalize", tv, mean=[0.5], std=[0.25], inplace=False),
    ])  # fmt: skip
    program = compose_program(compose, [])
    assert "resize_shorter=256, interp_type=types.INTERP_CUBIC" in program
    assert "    brightness = fn.random.uniform(range=[0.6, 1.4])\n" in program
    assert "color_twist(images, brightness=brightness)" in program
    assert "coin_flip(probability=0.2" in program and "window_size=[3, 5], sigma=1)" in program
    assert "mean=[127.5], std=[63.75]" in program
    alb = kind("Rotate", "albumentations.augmentations.geometric", p=0.3)
    alb.get_transform_init_args = lambda: {"limit": (-20, 20), "fill": 9}
    program = compose_program([alb], [])
    assert "range=[-20, 20]" in program and "fill_value=9" in program and "probability=0.3" in program
    assert is_compose(compose) and is_compose([alb]) and not is_compose(3) and not is_compose([])


def test_steps_are_called_by_what_they_do() -> None:
    source = "from torchvision import transforms as T\nT.Compose([T.Resize(9), T.Resize(8), T.ElasticTransform()])\n"
    assert list(read_compose(source, found=[])) == ["reader", "decode", "resize", "resize_2", "elastic_transform"]


def test_the_designer_opens_a_composition() -> None:
    compose = type("Compose", (), {"__module__": "torchvision.transforms"})()
    invert = type("RandomInvert", (), {"__module__": "torchvision.transforms"})()
    invert.p, compose.transforms = 1.0, [invert]
    designer = Designer(compose)
    assert {node.operator for node in designer.graph.nodes()} >= {"readers.file", "decoders.image", "cast"}
    assert "def " not in designer.session.code().source.replace("def composed", "")
    pad = type("Pad", (), {"__module__": "torchvision.transforms"})()
    pad.padding, compose.transforms = 3, [invert, pad]
    source = Designer(compose).session.code().source  # what is long is a function
    assert "def pad(images):" in source and "    images = pad(images)" in source
    designer.close()


def test_the_command_line_imports_a_composition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(TORCHVISION_SOURCE)
    assert cli.main(["import", str(tmp_path / "a.py")]) == 0
    assert "about the middle grey" in capsys.readouterr().err and (tmp_path / "a.dali.json").exists()
    (tmp_path / "b.py").write_text("x = 1")
    assert cli.main(["import", str(tmp_path / "b.py")]) == 1
    assert "has no pipeline" in capsys.readouterr().err


SHIFT, NEAREST = "shape=images.shape(), max_translate_rel=0.4531722054", "interp_type=types.INTERP_NN"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("T.RandAugment()", f"rand_augment.rand_augment(images, n=2, m=9, {SHIFT}, fill_value=0, {NEAREST})"),
        ("T.RandAugment(3, magnitude=5, num_magnitude_bins=11, interpolation=T.InterpolationMode.BILINEAR, fill=128)",
         f"rand_augment.rand_augment(images, n=3, m=5, num_magnitude_bins=11, {SHIFT}, fill_value=128)"),
        ("T.AutoAugment()", f'auto_augment.auto_augment(images, "reduced_image_net", fill_value=0, {NEAREST})'),
        ("T.AutoAugment(T.AutoAugmentPolicy.SVHN)",
         f'auto_augment.auto_augment(images, "svhn", {SHIFT}, fill_value=0, {NEAREST})'),
        ("T.TrivialAugmentWide(fill=7)", f"trivial_augment.trivial_augment_wide(images, fill_value=7, {NEAREST})"),
    ],
)  # fmt: skip
def test_automatic_augmentations_are_a_line_each(call: str, line: str) -> None:
    found: list[Diagnostic] = []
    program = compose_program(one("torchvision", call), found)
    assert f"    images = {line}\n" in program and "from nvidia.dali.auto_aug import" in program
    assert [d.code for d in found] == ["DS503"] and "as OpenCV does" in found[0].message


def test_a_transform_of_many_steps_is_a_function_and_so_is_a_choice_that_holds_one() -> None:
    text = "A.OneOf([A.Affine(p=1), A.MotionBlur()]), A.Affine(p=1), A.InvertImg(p=1), A.Compose([A.Emboss()], p=0)"
    found: list[Diagnostic] = []
    program = compose_program(one("albumentations", text), found)
    calls = [line.strip() for line in program.splitlines() if line.endswith("(images)") and "def " not in line]
    assert calls == ["images = affine(images)", "images = albumentations.MotionBlur(images)", "images = one_of(images)", "images = affine_2(images)"]
    assert "emboss" not in program  # which is never done
    # what is told is told at the node of its own step
    graph = read_compose(one("albumentations", text), found=(told := list[Diagnostic]()))
    assert {one.node for one in told if "MotionBlur" in one.message} == {"motion_blur"} and "motion_blur" in graph


def test_draws_are_called_as_what_they_are_for_and_functions_tell_the_call_that_they_do_the_work_of() -> None:
    source = (
        "import albumentations as A\n"
        "A.Compose([A.RandomBrightnessContrast(p=0.2), A.RandomBrightnessContrast(p=0.5), A.ShiftScaleRotate(p=0.4)])\n"
    )
    drawn = {"brightness_shift", "contrast", "brightness_shift_2", "contrast_2", "scale", "angle", "shift_x", "shift_y"}
    assert drawn <= set(read_compose(source, found=[]))
    assert 'def shift_scale_rotate(images):\n    """ShiftScaleRotate(p=0.4)"""\n' in compose_program(source, [])

"""How public programs write a ``Compose``: what stands around it, and names of arguments of several versions."""

from __future__ import annotations

import pytest

from dali_studio import read_compose
from dali_studio.api.default import default_registry
from dali_studio.api.reading.composed.whole import compose_program
from dali_studio.core.diagnostics import Diagnostic

TORCHVISION = "import torch\nimport torch.nn as nn\nfrom PIL import Image\nfrom torchvision import transforms as T\nfrom torchvision.transforms import v2\n"
ALBUMENTATIONS = "import albumentations as A\nimport cv2\nfrom albumentations.pytorch import ToTensorV2\n"


def written(text: str) -> tuple[str, list[str]]:
    """The steps of a source, and what is said."""
    found: list[Diagnostic] = []
    head = ALBUMENTATIONS if "A." in text else TORCHVISION
    program = compose_program(head + text, found)
    functions, _, steps = program.partition("@pipeline_def")
    return functions + steps.partition('name="decode")\n')[2], [one.message for one in found]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("normalize = T.Normalize([0.5] * 3, [0.25] * 3)\nt = T.Compose([T.ToTensor(), normalize])",
         ["mean=[127.5, 127.5, 127.5], std=[63.75, 63.75, 63.75]"]),
        ("base = [T.Resize(64), T.CenterCrop(60)]\nt = T.Compose(base + [T.ToTensor()])", ["shorter=64", "crop=[60, 60]"]),
        ("base = [T.Resize(64), T.CenterCrop(60)]\nt = T.Compose([*base, T.ToTensor()])", ["shorter=64", "crop=[60, 60]"]),
        ("train = False\nt = T.Compose([T.Resize(9)] + ([T.RandomCrop(5)] if train else [T.CenterCrop(6)]))",
         ["shorter=9", "crop=[6, 6]"]),
        ("def get(size=32):\n    t = []\n    t.append(T.Resize(int(size * 1.14)))\n    t += [T.CenterCrop(size // 2)]\n    return T.Compose(t)",
         ["shorter=36", "crop=[16, 16]"]),
        ("def one(size=8):\n    return size\n\ndef get(size=32):\n    return T.Compose([T.CenterCrop(size)])", ["crop=[32, 32]"]),
        ("class CFG:\n    size = 48\nt = T.Compose([T.Resize((CFG.size, CFG.size))])", ["size=[48, 48]"]),
        ("class M:\n    def __init__(self):\n        self.mean = [0.5]\n        self.t = T.Compose([T.ToTensor(), T.Normalize(self.mean, 0.5)])",
         ["mean=[127.5], std=[127.5]"]),
        ("t = T.Compose([T.ToTensor(), T.Normalize([x / 255.0 for x in [125.5, 123, 114]], [0.5])])", ["mean=[125.5, 123, 114]"]),
        ("jitter = T.ColorJitter(0.5)\nt = T.Compose([T.RandomApply([jitter], p=0.3)])", ["probability=0.3", "range=[0.5, 1.5]"]),
        ("t = nn.Sequential(T.RandomHorizontalFlip(1), T.CenterCrop(5))", ["horizontal=1", "crop=[5, 5]"]),
        ("t = T.Compose([T.Lambda(lambda x: x.convert('RGB')), T.Resize(9, interpolation=Image.BICUBIC)])", ["INTERP_CUBIC"]),
        ("t = T.Compose([T.Resize(9, 3), T.RandomAffine(5, resample=2, fillcolor=7)])", ["INTERP_CUBIC", "fill_value=7)"]),
        ("t = T.Compose([T.Pad(3, fill=(1, 2, 3)), T.RandomCrop(64, fill=9)])", ["fill_values=[1, 2, 3]", "fill_values=9"]),
        ("t = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32), v2.Normalize([127.5], [64])])", ["mean=[127.5], std=[64]"]),
        ("t = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5], [0.5])])", ["mean=[127.5]"]),
        ("t = v2.Compose([v2.RandomZoomOut(fill={torch.Tensor: (1, 2, 3), 'others': 0})])", ["fill_value=[1, 2, 3]"]),
        ("t = A.Compose([A.RandomResizedCrop(height=30, width=20, p=1), A.RandomResizedCrop(40, 50)])", ["size=[30, 20]", "size=[40, 50]"]),
        ("t = A.Compose([A.CoarseDropout(max_holes=4, max_height=8, max_width=9, fill_value=100, p=1)])",
         ["fdata=[8, 8, 8, 8]", "fdata=[9, 9, 9, 9]", "fill_value=100"]),
        ("t = A.Compose([A.Cutout(2, 3, 4, p=1)])", ["fdata=[3, 3]", "fdata=[4, 4]"]),
        ("t = A.Compose([A.GaussNoise(var_limit=25.0, always_apply=True)])", ["range=[0, 5]"]),
        ("t = A.Compose([A.PadIfNeeded(300, 300, border_mode=cv2.BORDER_CONSTANT, value=(255, 255, 255))])", ["fill_values=255"]),
        ("t = A.Compose([A.ToFloat(max_value=100)])", ["images / 100.0"]),
        ("t = A.Compose([A.Sequential([A.InvertImg(p=1)], p=0.4), A.Flip(p=1)])", ["probability=0.4", "vertical=fn.cast(way != 1"]),
        ("t = A.Compose([A.HorizontalFlip(p=1)], p=0.7)", ["probability=0.7"]),
        ("t = A.Compose([A.ImageCompression(60, 90, p=1), A.Downscale(0.5, 0.5, p=1)])", ["range=[60, 91]", "scale = 0.5"]),
        ("t = T.Compose([T.CenterCrop(6)])\nt.transforms.insert(0, T.Resize(9))\nt.transforms.append(T.CenterCrop(5))",
         ["shorter=9", "crop=[6, 6]", "crop=[5, 5]"]),
        ("class M:\n    def __init__(self):\n        self.transforms = [T.Resize(9)]\n        self.transforms.append(T.CenterCrop(5))\n        self.t = T.Compose(self.transforms)",
         ["shorter=9", "crop=[5, 5]"]),
        ("given = dict(size=48)\nt = T.Compose([T.RandomCrop(**given), T.ColorJitter(*(0.5,) * 2)])",
         ["crop=[48, 48]", "brightness = fn.random.uniform(range=[0.5, 1.5])", "contrast = fn.random"]),
        ("a = T.CenterCrop(6)\nb = T.CenterCrop(5)\nt = nn.Sequential(T.Resize(9), a, b)", ["crop=[6, 6]", "crop=[5, 5]"]),
        ("items = [T.Resize(9), T.CenterCrop(5)]\nt = nn.Sequential(*items)", ["shorter=9", "crop=[5, 5]"]),
        ("from PIL.Image import BICUBIC\nt = T.Compose([T.Resize(9, BICUBIC)])", ["INTERP_CUBIC"]),
        ("def sized(size, other=5):\n    return [T.Resize(size), T.CenterCrop(other)]\nt = T.Compose(sized(9) + [T.ToTensor()])",
         ["shorter=9", "crop=[5, 5]"]),
        ("t = T.Compose([T.CenterCrop(n) for n in (6, 5)])", ["crop=[6, 6]", "crop=[5, 5]"]),
        ("m = [0.5] * 3\nt = T.Compose([T.ToTensor(), T.Normalize(m, [1] * len(m))])", ["std=[255, 255, 255]"]),
        ("t = v2.Compose([v2.Resize(None, max_size=64)])", ["resize_longer=64"]),
        ("t = T.Compose([T.ToTensor(), T.RandomErasing(1, value=1)])", ["fill_value=255"]),
        ("t = A.ReplayCompose([A.InvertImg(p=1)], p=0.4)", ["probability=0.4"]),
        ("t = A.Compose([A.PadIfNeeded(min_height=None, min_width=None, pad_height_divisor=32, pad_width_divisor=16)])",
         ["math.ceil(shape[0] / 32.0) * 32.0", "math.ceil(shape[1] / 16.0) * 16.0"]),
        ("t = A.Compose([A.RandomRotate90(1)])", ["images = fn.rotate"]),
        ("t = A.Compose([A.InvertImg(p=1)]) + A.Transpose(p=1) + [A.Rotate(p=1)]", ["255 - images", "perm=[1, 0, 2]", "fn.rotate"]),
        ("a = T.Compose([T.Resize(9)])\nt = T.Compose(a.transforms + [T.CenterCrop(5)])", ["shorter=9", "crop=[5, 5]"]),
        ("t = T.Compose([T.Resize(9)])\nt = T.Compose([t, T.CenterCrop(5)])", ["shorter=9", "crop=[5, 5]"]),
        ("t = A.Compose([A.CoarseDropout((2, 2), (8, 9), (0.1, 0.2), p=1)])",
         ["range=[8, 9], shape=[2]) / shape[0], fn.random.uniform(range=[0.1, 0.2], shape=[2]), axis=1"]),
    ],
)  # fmt: skip
def test_values_are_those_of_the_source(source: str, lines: list[str]) -> None:
    program, found = written(source)
    assert all(line in program for line in lines), program
    assert not [one for one in found if "does not tell" in one or "left out" in one]
    head = ALBUMENTATIONS if "A." in source else TORCHVISION
    read_compose(head + source, found=[])


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("t = T.Compose([T.Resize(args.size)])", "Resize: size is args.size, which the source does not tell; 224 is taken."),
        ("t = T.Compose([T.RandomHorizontalFlip(cfg.P)])", "p is cfg.P, which the source does not tell; the default is taken."),
        ("t = {'train': T.Compose([T.Resize(5)]), 'val': T.Compose([T.Resize(6)])}",
         "There are 2 Compose: that of 'train' (line 6) is read, and not that of 'val' (line 6)."),
        ("t = T.Compose([T.RandomRotation(5, fill=(1, 2, 3))])", "what is new gets 1 in all channels."),
        ("t = T.Compose([T.RandomOrder([T.RandomInvert(), T.CenterCrop(5)])])", "its transforms follow each other in their order."),
        ("t = T.Compose([T.CenterCrop(5) if args.crop else T.Resize(5)])", "`if args.crop` is taken to hold."),
        ("t = T.Compose([T.CenterCrop(5), mystery])", "mystery is of neither torchvision nor albumentations; its node keeps its place."),
        ("t = A.Compose([A.Affine(translate_px=3, p=1)])", "albumentations's Affine: translate_px is left out."),
        ("t = A.Compose([A.Resize(5, 5, interpolation=cv2.INTER_AREA)])", "pixels are interpolated linearly; there is no inter_area."),
        ("t = A.Compose([A.Normalize()], p=0.5)", "it is done always, and not with a probability of 0.5, since it changes the type."),
        ("t = T.Compose([T.ColorJitter(**args.jitter)])", "what is passed is **args.jitter, which the source does not tell"),
        ("t = A.Compose([A.Resize(5, 5)], A.BboxParams('coco'))", "bbox_params are left out; pictures alone are read and transformed."),
        ("t = v2.Compose([v2.SanitizeBoundingBoxes(), v2.Resize(5)])", "pictures alone are read and transformed, without boxes"),
        ("t = A.Compose([A.RandomCrop(3, 4, True)])", "RandomCrop: argument 3 is left out."),
        ("t = T.Compose([T.Resize(9), Cutout(8)])", "Cutout is of neither torchvision nor albumentations"),
        ("t = T.Compose([T.Resize(9), *build(4)])", "build is of neither torchvision nor albumentations"),
        ("t = []\nfor n in (6, 5):\n    t.append(T.Resize(n))\nt = T.Compose(t)", "`for n in (6, 5)` is taken to run once."),
        ("def get(erase=0.0):\n    t = [T.Resize(9)]\n    if erase > 0:\n        t.append(T.RandomErasing(erase))\n    return T.Compose(t)",
         "`t.append(T.RandomErasing(erase))` is left out, as `if erase > 0` tells."),
    ],
)  # fmt: skip
def test_what_is_taken_for_granted_is_told(source: str, told: str) -> None:
    assert any(told in one for one in written(source)[1]), written(source)


def test_a_list_holds_what_is_added_where_a_condition_holds() -> None:
    source = "def get(args):\n    t = [T.Resize(9)]\n    if args.crop:\n        t.append(T.CenterCrop(5))\n    else:\n        t.append(T.Pad(3))\n    return T.Compose(t)"
    program, found = written(source)
    assert "crop=[5, 5]" in program and "shape[0]" not in program and "`if args.crop` is taken to hold." in found


LOST = """t = A.Compose([
    A.OneOf([A.MotionBlur(), A.InvertImg()], p=1),
    A.OneOf([A.MotionBlur(), A.ZoomBlur()], p=1),
    A.SomeOf([A.MotionBlur(), A.ZoomBlur()], n=1),
    A.Normalize(), A.Posterize(p=1), A.CenterCrop(5, 5), mine(3)])
"""


def test_what_has_no_operator_is_left_out_where_that_is_asked_for() -> None:
    found: list[Diagnostic] = []
    graph = read_compose(ALBUMENTATIONS + LOST, found=found, leave_out=True)
    assert all(node.operator in default_registry() for node in graph.nodes())
    left = [(one.message.partition(" was left out: ")[0], one.source) for one in found if one.source]
    assert left == [(name, f"program:{line}") for name, line in (
        ("MotionBlur", 5), ("MotionBlur", 6), ("ZoomBlur", 6), ("MotionBlur", 7), ("ZoomBlur", 7), ("Posterize", 8), ("mine", 8),
    )]  # fmt: skip
    assert all(one.code == "DS503" and one.node in graph for one in found)
    (here,) = [one.message for one in found if "OneOf" in one.message]
    assert here == "albumentations's OneOf: where it chooses what was left out, pictures stay as they are."
    # else it keeps its place, with its line
    found.clear()
    graph = read_compose(ALBUMENTATIONS + LOST, found=found)
    assert [one.source for one in found if one.code == "DS502"] == [source for _, source in left]
    assert "posterize" in graph and not any("left out" in one.message for one in found)


def test_no_list_grows_without_end() -> None:
    grown = "a = [1] * 900\nb = a * 900\nc = b * 900\nd = e\ne = d\nt = T.Compose([T.Normalize(c, d)])"
    assert any("does not tell" in one for one in written(grown)[1])

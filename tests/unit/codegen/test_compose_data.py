"""What a training program says of its data beside its ``Compose``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dali_studio import read_compose
from dali_studio.core.diagnostics import Diagnostic

HEAD = """import os, torch
from pathlib import Path
from torch.utils.data import DataLoader, Subset
from torchvision import datasets, transforms as T
"""
ONE = "t = T.Compose([T.Resize(64)])\n"
TWO = ONE + "v = T.Compose([T.Resize(32)])\n"


def data_of(text: str) -> tuple[dict[str, Any], tuple[int, int], list[str]]:
    """Arguments of the reader, size of batches and threads, and what is said of the reader."""
    found: list[Diagnostic] = []
    graph = read_compose(HEAD + text, found=found)
    told = [one.message for one in found if one.node == "reader"]
    return dict(graph.node("reader").arguments), (graph.options.batch_size, graph.options.num_threads), told


@pytest.mark.parametrize(
    ("text", "root", "sizes"),
    [
        ('d = datasets.ImageFolder("a/b", t)\nl = DataLoader(d, 16, True, num_workers=4, pin_memory=True)', "a/b", (16, 4)),
        (('R = "a"\nB = 16\nl = DataLoader(datasets.ImageFolder(root=os.path.join(R, "b"), transform=t), shuffle=True, '
         "batch_size=B, num_workers=0, sampler=None, drop_last=False)"), "a/b", (16, 1)),
        ('class C:\n    root = Path("a")\n    size = 3\nd = datasets.ImageFolder(C.root / "b", t)\nl = DataLoader(d, C.size, True)',
         "a/b", (3, 2)),
        # as in PyTorch's tutorial of transfer learning
        (('R = "a"\ns = {x: datasets.ImageFolder(os.path.join(R, x), {"train": t}[x]) for x in ["train", "val"]}\n'
         'ls = {x: DataLoader(s[x], batch_size=4, shuffle=True, num_workers=4) for x in ["train", "val"]}'), "a/train", (4, 4)),
        ('s = {"val": None, "train": datasets.ImageFolder("a", t)}\nl = DataLoader(s["train"], 4, True)', "a", (4, 2)),
        ('R = "a"\ndef get():\n    d = datasets.ImageFolder(f"{R}/{2}" + "b", t)\n    return DataLoader(d, shuffle=True)', "a/2b", (8, 2)),
    ],
)  # fmt: skip
def test_literals_and_constants_are_read(text: str, root: str, sizes: tuple[int, int]) -> None:
    assert data_of(ONE + text) == ({"file_root": root, "random_shuffle": True}, sizes, [])


def test_a_folder_without_a_loader_is_read_and_a_program_without_both_says_nothing() -> None:
    assert data_of(ONE + 'd = datasets.ImageFolder("a", t)') == ({"file_root": "a"}, (8, 2), [])
    assert data_of(ONE) == ({}, (8, 2), [])
    # classes of the program are its own
    assert data_of(ONE + "class DataLoader:\n    pass\nl = DataLoader(4, 5)") == ({}, (8, 2), [])


@pytest.mark.parametrize(
    ("text", "taken", "told"),
    [
        ("l = DataLoader(datasets.ImageFolder(args.data, t), args.size, shuffle=True, collate_fn=f, **more)", {"random_shuffle": True},
         "DataLoader of l (line 6): batch_size=args.size, collate_fn=f, **more, root=args.data are not taken."),
        ('l = DataLoader(datasets.CocoDetection("a", "b", t), drop_last=True)', {},
         "DataLoader of l (line 6): drop_last=True, the dataset datasets.CocoDetection('a', 'b', t), which is no ImageFolder, are not taken."),
        ("x = datasets.ImageFolder('a', t)\nl = DataLoader(Subset(x, [1]))", {},
         "DataLoader of l (line 7): the dataset Subset(x, [1]), which is no ImageFolder, is not taken."),
        ("def get(d):\n    return DataLoader(d)", {},
         "DataLoader of get (line 7): the dataset d, of which it is not told that it is an ImageFolder, is not taken."),
        ("d = datasets.CIFAR10('a', transform=t)", {},
         "CIFAR10 of d (line 6): the dataset datasets.CIFAR10('a', transform=t), which is no ImageFolder, is not taken."),
        ("R = 'a'\nR = 'b'\nd = datasets.ImageFolder(R, t, loader=f)", {}, "ImageFolder of d (line 8): root=R, loader=f are not taken."),
        ("a = DataLoader(x)\nb = DataLoader(y)", {},
         "There are 2 DataLoader (lines 6, 7); none is taken, as it is not told which one trains."),
        ("train = DataLoader(datasets.ImageFolder('a', t))\nval = DataLoader(datasets.ImageFolder('b', t))", {"file_root": "a"},
         "There are 2 DataLoader: that of train (line 6) is read, and not that of val (line 7)."),
    ],
)  # fmt: skip
def test_what_is_not_taken_is_told(text: str, taken: dict[str, Any], told: str) -> None:
    assert data_of(ONE + text) == (taken, (8, 2), [told])


def test_the_loader_is_that_of_the_compose_that_is_read() -> None:
    loaders = "a = DataLoader(datasets.ImageFolder('b', v))\nb = DataLoader(datasets.ImageFolder('a', t))"
    assert data_of(TWO + loaders) == (
        {"file_root": "a"}, (8, 2), ["There are 2 DataLoader: that of b (line 8) is read, and not that of a (line 7)."]
    )  # fmt: skip


def test_no_text_grows_without_end(tmp_path: Path) -> None:
    grown = "n0 = 'a'\n" + "".join(f"n{at + 1} = n{at} + n{at}\n" for at in range(60)) + "x = y\ny = x\n"
    path = tmp_path / "train.py"
    path.write_text(f"{HEAD}{ONE}{grown}d = DataLoader(datasets.ImageFolder(n60, t), x)")
    found: list[Diagnostic] = []
    assert not read_compose(path, found=found).node("reader").arguments
    assert [one.message for one in found if one.node == "reader"] == [
        "DataLoader of d (line 69): batch_size=x, root=n60 are not taken."
    ]

"""Transforms with torchvision's names: against nvidia.dali's, and against torchvision itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS
from PIL import Image

pytestmark = pytest.mark.usefixtures("torch")

_LEVELS = np.random.default_rng(0).integers(0, 256, (18, 23, 4), np.uint8)
#: Steps of a Compose, as programs over the module's names. Those in `GRAY` are for images with colours alone.
STEPS = """
T.Resize(9)
T.Resize([9])
T.Resize((9, 12), interpolation=3)
T.Resize(None, max_size=11)
T.Resize(17, max_size=20)
T.Resize(7, T.InterpolationMode.NEAREST, antialias=False)
T.Resize(7, 1, antialias=None)
T.CenterCrop(9)
T.CenterCrop((11, 4))
T.CenterCrop((25, 8))
T.GaussianBlur(3, 1.0)
T.GaussianBlur((3, 5), (0.1, 2.0), seed=5)
T.Pad(2)
T.Pad((1, 2), fill=7)
T.Pad((1, 2, 3, 4), padding_mode="reflect")
T.Pad(3, padding_mode="symmetric")
T.Pad([2, 1], padding_mode="edge")
T.RandomApply([T.Resize(18), T.RandomHorizontalFlip()], 0.5)
T.RandomCrop(9)
T.RandomCrop((9, 7), padding=3, fill=7)
T.RandomCrop(40, pad_if_needed=True, padding=(1, 2))
T.RandomCrop(20, padding=[4], padding_mode="reflect")
T.RandomResizedCrop(9)
T.RandomResizedCrop((9, 8), scale=(0.3, 0.5), ratio=(1.0, 2.0), interpolation=T.InterpolationMode.BICUBIC)
T.RandomHorizontalFlip()
T.RandomVerticalFlip(0.7)
T.PILToTensor()
T.ToPILImage()
T.Resize(17), T.RandomCrop(16, padding=1), T.RandomVerticalFlip(), T.GaussianBlur(3, seed=3), T.ToPureTensor()
""".strip().splitlines()
OF_COLORS = """
T.Grayscale()
T.Grayscale(3)
T.RandomGrayscale(0.5)
T.ColorJitter(0.5, 0.5, 0.5, 0.1)
T.ColorJitter((0.2, 0.7), hue=(0.1, 0.2))
T.Pad((1, 2), fill=(1, 2, 3))
T.RandomResizedCrop(16), T.RandomHorizontalFlip(), T.RandomApply([T.ColorJitter(0.4, 0.4, 0.4, 0.1)], 0.8), T.RandomGrayscale(0.2)
""".strip().splitlines()


def inputs() -> dict[str, Any]:
    torch = importlib.import_module("torch")
    tensor = torch.from_numpy(_LEVELS[..., :3].transpose(2, 0, 1).copy())
    return {
        "RGB": Image.fromarray(_LEVELS[..., :3]), "RGBA": Image.fromarray(_LEVELS), "L": Image.fromarray(_LEVELS[..., 0]),
        "tensor": tensor, "batch": torch.stack([tensor, tensor + 5]), "floats": tensor.float(),
    }  # fmt: skip


def module(prefix: str) -> Any:
    return importlib.import_module(f"{prefix}.experimental.torchvision")


def functional(prefix: str) -> Any:
    return importlib.import_module(f"{prefix}.experimental.torchvision.v2.functional")


@pytest.fixture
def on_cpu(nvidia: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """nvidia.dali asks PyTorch for CUDA's stream, which builds for the CPU lack."""
    monkeypatch.setattr(importlib.import_module("nvidia.dali.types"), "_get_default_stream_for_array", lambda array: None)


def described(result: Any) -> tuple[Any, ...]:
    """What is given, as kinds and arrays."""
    if isinstance(result, list):
        return tuple(part for one in result for part in described(one))
    if isinstance(result, Image.Image):
        return (result.mode, np.asarray(result))
    return (str(result.dtype), result.numpy())


def assert_alike(ours: Any, theirs: Any, levels: float = 1.0) -> None:
    """The same kinds, types and shapes; pixels within the tolerance of resampling."""
    mine, reference = described(ours), described(theirs)
    assert len(mine) == len(reference)
    for one, other in zip(mine, reference, strict=True):
        if isinstance(one, str):
            assert one == other
            continue
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        difference = np.abs(one.astype(np.float64) - other)
        assert difference.max(initial=0) <= (1e-3 if one.dtype == np.float32 else levels)
        assert (difference > 0.5).mean() < 0.05


def composed(prefix: str, steps: str) -> Callable[[Any], Any]:
    names = module(prefix)
    return names.Compose(eval(f"[{steps}]", {"T": names}), seed=11, device_id=None, batch_size=2, num_threads=1)


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [*STEPS, *OF_COLORS])
def test_compose_gives_what_nvidia_dali_gives(steps: str) -> None:
    given = inputs()
    others = ("tensor", "batch", "L", "RGBA", "floats")
    # of tensors with colours nvidia.dali makes errors, or crashes
    kinds = ("RGB",) if steps in OF_COLORS else ("RGB", others[STEPS.index(steps) % len(others)])
    for kind in kinds:
        ours, theirs = composed(OURS, steps), composed(THEIRS, steps)
        for _ in range(3):
            assert_alike(ours(given[kind]), theirs(given[kind]), 3.0 if "Jitter(0.4" in steps else 1.0)


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("kind", ["tensor", "batch", "floats"])
def test_normalize_gives_what_nvidia_dali_gives(kind: str) -> None:
    steps = "T.Normalize([120.0, 3.0, 7.5], [1.5, 2.0, 0.25])"
    given = inputs()[kind]
    assert_alike(composed(OURS, steps)(given), composed(THEIRS, steps)(given))


CALLS = """
horizontal_flip(x)
vertical_flip(x)
resize(x, 9)
resize(x, [9, 7], 3)
resize(x, None, max_size=7)
resize(x, 17, 0, max_size=20, antialias=False)
center_crop(x, 7)
center_crop(x, (30, 5))
crop(x, 2, 3, 9, 30)
resized_crop(x, 2, 3, 9, 12, 6)
pad(x, 3)
pad(x, (1, 2), fill=9)
pad(x, [1, 2, 3, 4], padding_mode="reflect")
pad(x, 2, padding_mode="edge")
pad(x, 2, padding_mode="symmetric")
gaussian_blur(x, 3, 1.5)
gaussian_blur(x, [3, 5], [0.7, 0.7])
get_size(x)
get_image_size(x)
get_dimensions(x)
""".strip().splitlines()
OF_KINDS = {
    "to_grayscale(x)": "RGB", "rgb_to_grayscale(x, 3)": "RGB", "crop(x, 2.4, 3.5, 9.2, 8.7)": "RGB",
    "normalize(x, [120.0, 3.0, 7.5], [1.5, 2.0, 0.25])": "batch", "normalize(x, (1.0,) * 3, (2.0,) * 3)": "floats",
    "pil_to_tensor(x)": "RGB", "pil_to_tensor(x) ": "L", "to_tensor(x)": "RGBA", "to_pil_image(x)": "tensor",
    "to_pil_image(x / 256)": "floats", "to_pil_image(x[:1])": "tensor",
}  # fmt: skip


@pytest.mark.usefixtures("on_cpu")
def test_functions_give_what_nvidia_dalis_give() -> None:
    given = inputs()
    cases = [(call, kind) for call in CALLS for kind in ("RGB", "batch")]
    for call, kind in [*cases, *OF_KINDS.items()]:
        ours, theirs = (
            eval(f"F.{call.strip()}", {"F": functional(prefix), "x": given[kind]}) for prefix in (OURS, THEIRS)
        )
        if isinstance(ours, list):
            assert ours == list(theirs)
        else:
            assert_alike(ours, theirs)


@pytest.mark.usefixtures("on_cpu")
def test_a_drawn_sigma_follows_from_the_seed() -> None:
    results: list[Any] = []
    for prefix in (OURS, THEIRS):
        importlib.import_module(f"{prefix}.experimental.dynamic").random.set_seed(17)
        results.append(functional(prefix).gaussian_blur(inputs()["RGB"], 5))
    assert_alike(*results)


REFUSED = """
T.Resize(0)
T.Resize(None)
T.Resize("9")
T.Resize(9, max_size=8)
T.Resize((9, 8), max_size=20)
T.Resize((9, 8.5))
T.Resize((9, 8, 7))
T.Resize(9, max_size=-1)
T.Resize(9, T.InterpolationMode.BOX)
T.Resize(9, 9)
T.Resize(9, "bilinear")
T.CenterCrop((9, 8, 7))
T.CenterCrop("9")
T.CenterCrop(0)
T.ColorJitter(-1)
T.ColorJitter((0.5, 0.2))
T.ColorJitter(hue=0.7)
T.ColorJitter(hue=(-0.7, 0.1))
T.ColorJitter(brightness=None)
T.Grayscale(2)
T.RandomGrayscale(1.5)
T.RandomApply([], p="often")
T.GaussianBlur(4)
T.GaussianBlur(0)
T.GaussianBlur((3, 5.0))
T.GaussianBlur(3, 0)
T.GaussianBlur(3, (2.0, 1.0))
T.GaussianBlur(3, (1.0, 2.0, 3.0))
T.Normalize([1.0], [0.0])
T.Normalize("mean", [1.0])
T.Normalize([1.0], 2.0)
T.Normalize([1.0], [1.0], inplace=True)
T.Pad(-1)
T.Pad(1.5)
T.Pad(1, padding_mode="mirror")
T.RandomCrop(9.5)
T.RandomCrop((9, 8.5))
T.RandomCrop(9, pad_if_needed=1)
T.RandomCrop(9, padding=(1, 2, 3))
T.RandomCrop(9, padding=-1)
T.RandomCrop(9, padding=1, padding_mode="mirror")
T.RandomCrop(9, fill="black")
T.RandomCrop(9, fill=())
T.RandomResizedCrop(9, scale=0.5)
T.RandomResizedCrop(9, scale=(0.5, 0.1))
T.RandomResizedCrop(9, ratio=(0, 1))
T.RandomResizedCrop(9, interpolation=4)
""".strip().splitlines()


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("call", REFUSED)
def test_bad_arguments_are_refused_by_the_same_errors(call: str) -> None:
    raised: list[type[BaseException]] = []
    for prefix in (OURS, THEIRS):
        with pytest.raises((TypeError, ValueError, NotImplementedError)) as caught:
            eval(call, {"T": module(prefix)})
        raised.append(caught.type)
    assert raised[0] is raised[1]


def test_what_is_given_to_compose_is_checked() -> None:
    ours, given = module(OURS), inputs()
    compose = ours.Compose([ours.Pad(1)])
    compose(given["RGB"])
    with pytest.raises(TypeError, match="images of PIL before"):
        compose(given["tensor"])
    with pytest.raises(TypeError, match="ndarray"):
        compose(_LEVELS)
    with pytest.raises(ValueError, match="RGB"):
        compose(given["RGB"].convert("CMYK"))
    with pytest.raises(ValueError, match="2 axes"):
        ours.Compose([])(given["tensor"][0])
    with pytest.raises(TypeError, match="no transform"):
        ours.Compose([len])
    with pytest.raises(RuntimeError, match="Compose"):
        ours.Pad(1)(given["RGB"])


@pytest.mark.parametrize("kind", ["tensor", "batch", "floats"])
def test_colours_of_tensors_are_those_of_images(kind: str) -> None:
    # nvidia.dali refuses tensors there
    whole = 255 if kind == "floats" else 1
    given = inputs()[kind] / 255 if kind == "floats" else inputs()[kind]
    for steps in ("T.Grayscale(3)", "T.Grayscale()", "T.ColorJitter((0.6, 0.6), (1.3, 1.3), (0.5, 0.5), (0.1, 0.1))"):
        made = composed(OURS, steps)(given) * whole
        assert made.dtype == given.dtype
        image = np.array(composed(OURS, steps)(inputs()["RGB"])).reshape(18, 23, -1).transpose(2, 0, 1)
        first = (made if made.ndim == 3 else made[0]).numpy()
        assert np.abs(np.clip(first, 0, 255).astype(np.float64) - image).max() <= 1.5


@pytest.fixture(scope="session")
def torchvision(torch: Any) -> Any:
    try:
        return importlib.import_module("torchvision.transforms.v2")
    except (ImportError, RuntimeError):  # the second one, where it is built for another PyTorch
        pytest.skip("the comparison needs torchvision, which is not installed")


LIKE_TORCHVISION = {
    "horizontal_flip(x)": 0, "vertical_flip(x)": 0, "center_crop(x, [7, 8])": 0, "center_crop(x, [30, 5])": 0,
    "crop(x, 2, 3, 9, 30)": 0, "pad(x, [1, 2])": 0, "pad(x, [1, 2, 3, 4], padding_mode='reflect')": 0,
    "pad(x, [2, 1], padding_mode='symmetric')": 0, "pad(x, [2, 1], padding_mode='edge')": 0,
    # Beyond the borders nvidia.dali repeats pixels, where torchvision leaves them out.
    "resize(x, [9])[..., 1:-1, 1:-1]": 1, "resize(x, [9, 7])[..., 2:-2, 2:-2]": 1, "resize(x, [17], max_size=20)[..., 2:-2, 2:-2]": 1, "gaussian_blur(x, [3, 3], [1.5, 1.5])": 1,
    "resized_crop(x, 2, 3, 9, 12, [6, 6])[..., 1:-1, 1:-1]": 1,
}  # fmt: skip


def test_functions_are_close_to_torchvisions(torchvision: Any) -> None:
    for call, levels in LIKE_TORCHVISION.items():
        for kind in ("tensor", "batch"):
            ours, theirs = (
                eval(f"F.{call}", {"F": names, "x": inputs()[kind]})
                for names in (functional(OURS), torchvision.functional)
            )
            assert ours.shape == theirs.shape, call
            assert np.abs(ours.numpy().astype(int) - theirs.numpy()).max() <= levels, call

"""What operators are called elsewhere: transforms of torchvision and albumentations, by which the search finds them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

import msgspec

from dali_studio.api.reading.composed.absent import ABSENT
from dali_studio.api.reading.composed.whole import differing_from, random_transforms
from dali_studio.api.reading.fragment import read_behind
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, SetOutputs
from dali_studio.graph.model import Graph
from dali_studio.schema.model import Catalog, OperatorSchema
from dali_studio.schema.registry import Registry
from dali_studio.studio.programs.code_nodes import OPERATOR
from dali_studio.studio.protocol.requests import AddTransform

#: Class names of torchvision.transforms.v2 and albumentations, by operator. What nvidia.dali has and the
#: registry has not is passed over.
ALIASES: dict[str, str] = {
    "brightness": "RandomBrightness adjust_brightness",
    "brightness_contrast": "ColorJitter RandomBrightnessContrast adjust_brightness adjust_contrast",
    "cast": "ConvertImageDtype ToDtype ToFloat FromFloat",
    "clahe": "CLAHE",
    "color_space_conversion": "Grayscale RandomGrayscale ToGray rgb_to_grayscale ChannelShuffle ToSepia",
    "color_twist": "ColorJitter HueSaturationValue RandomPhotometricDistort PlanckianJitter",
    "contrast": "RandomContrast adjust_contrast",
    "coord_flip": "HorizontalFlip VerticalFlip ClampBoundingBoxes",
    "coord_transform": "KeypointParams ConvertBoundingBoxFormat",
    "bb_flip": "BboxParams horizontal_flip_bounding_boxes ConvertBoundingBoxFormat",
    "bbox_paste": "RandomZoomOut",
    "random_bbox_crop": "RandomIoUCrop BBoxSafeRandomCrop RandomSizedBBoxSafeCrop AtLeastOneBBoxRandomCrop",
    "bbox_rotate": "Rotate BboxParams rotate_bounding_boxes",
    "crop": "CenterCrop RandomCrop Crop FiveCrop TenCrop",
    "crop_mirror_normalize": "Normalize ToTensorV2 ToTensor ToImage CenterCrop RandomHorizontalFlip",
    "decoders.image": "read_image imread decode_jpeg PILToTensor",
    "decoders.image_random_crop": "RandomResizedCrop RandomSizedCrop",
    "decoders.video": "read_video",
    "equalize": "RandomEqualize Equalize",
    "erase": "RandomErasing CoarseDropout Cutout GridDropout MaskDropout",
    "filter": "FilterKernel Sharpen Emboss MotionBlur",
    "experimental.median_blur": "MedianBlur",
    "grid_mask": "GridDropout GridMask",
    "experimental.remap": "ElasticTransform OpticalDistortion GridDistortion",
    "flip": "RandomHorizontalFlip RandomVerticalFlip HorizontalFlip VerticalFlip Flip D4 Transpose",
    "gaussian_blur": "GaussianBlur Blur GaussNoise Defocus",
    "hsv": "HueSaturationValue adjust_hue adjust_saturation ColorJitter",
    "hue": "adjust_hue",
    "jitter": "PixelDropout GlassBlur",
    "jpeg_compression_distortion": "JPEG ImageCompression JpegCompression Downscale",
    "laplacian": "Sharpen RandomAdjustSharpness UnsharpMask",
    "lookup_table": "RandomPosterize Posterize RandomSolarize Solarize InvertImg RandomInvert RandomGamma",
    "multi_paste": "CutMix Mosaic",
    "noise.gaussian": "GaussNoise GaussianNoise ISONoise",
    "noise.salt_and_pepper": "SaltAndPepper PixelDropout",
    "noise.shot": "ShotNoise",
    "normalize": "Normalize LinearTransformation",
    "pad": "Pad PadIfNeeded",
    "paste": "OverlayElements RandomZoomOut",
    "permute_batch": "MixUp CutMix",
    "random.coin_flip": "RandomApply OneOf",
    "random.choice": "RandomChoice OneOf SomeOf",
    "random_resized_crop": "RandomResizedCrop RandomSizedCrop",
    "reshape": "ChannelsFirst Squeeze",
    "resize": "Resize SmallestMaxSize LongestMaxSize RandomShortestSize ScaleJitter RandomScale RandomResize",
    "resize_crop_mirror": "RandomResizedCrop RandomCrop HorizontalFlip",
    "rotate": "RandomRotation Rotate SafeRotate",
    "saturation": "adjust_saturation",
    "slice": "Crop CropNonEmptyMaskIfExists",
    "spectrogram": "Spectrogram",
    "mel_filter_bank": "MelScale",
    "nonsilent_region": "Vad",
    "to_decibels": "AmplitudeToDB",
    "preemphasis_filter": "Preemphasis",
    "audio_resample": "Resample",
    "transpose": "Transpose ToTensor ToTensorV2 permute",
    "warp_affine": "RandomAffine Affine ShiftScaleRotate RandomPerspective Perspective RandomTranslate",
    "experimental.warp_perspective": "RandomPerspective Perspective",
    "water": "ElasticTransform",
    "sphere": "OpticalDistortion",
    "zeros": "Lambda",
}


#: What stands in place of the package of an operator with a number that is drawn.
_RECIPE = "recipe"
#: A variable or an argument for which a number is drawn.
_DRAW = r"(\w+) ?= ?fn\.random\."


_RATE = "sample_rate=16000"
_MEL = (
    "images = fn.spectrogram(images, nfft=512, window_length=400, window_step=160)",
    f"images = fn.mel_filter_bank(images, {_RATE}, nfilter=80)",
)
#: What takes a sound elsewhere, and here what was made of one.
_OF_SOUNDS = {
    "torchaudio.MelSpectrogram": _MEL,
    "torchaudio.MFCC": (*_MEL, "images = fn.to_decibels(images)", "images = fn.mfcc(images, n_mfcc=20)"),
}


@cache
def _random() -> dict[str, tuple[str, ...]]:
    """Lines of transforms that draw or are several operators, and of operators with one argument that is drawn."""
    found = {name: _drawn_before(lines) for name, lines in random_transforms().items()}
    for lines in tuple(found.values()):
        alone = [line.strip() for line in lines if not line.startswith("if ")]
        drawn = re.findall(_DRAW, " ".join(alone))
        own = len(drawn) == 1 and re.search(rf"\b{drawn[0]}=", lines[-1])  # it is called as its argument
        if own and "fn." not in "".join(alone[1:-1]):
            operator = _operator_of(lines).rpartition(".")[2]
            plain = tuple(line.replace(", interp_type=types.INTERP_NN", "") for line in alone)
            found.setdefault(f"{_RECIPE}.{operator} + random {drawn[0]}", plain)
    return found | _OF_SOUNDS


def _drawn_before(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Numbers are drawn before the only operator that takes them, and before its ``if``: it has a probability then."""
    draw = r"(\w+)=(fn\.random\.\w+\([^)]*\))"
    *before, call = lines
    if len(before) > 1 or any(not line.startswith("if ") for line in before):
        return lines
    return (*(f"{name} = {value}" for name, value in re.findall(draw, call)), *before, re.sub(draw, r"\1=\1", call))


#: What automatic augmentations do, which are no operator but many, and the operator whose picture they have.
_AUTOMATIC = {
    "rand_augment": "Changes pictures by augmentations that are drawn for each sample, all with one magnitude.",
    "auto_augment": "Changes pictures by a pair of augmentations of a learned policy, which is drawn for each sample.",
    "trivial_augment": "Changes pictures by one augmentation, drawn for each sample with its magnitude.",
}
_AUTOMATIC_AS = "color_twist"


def _operator_of(lines: Sequence[str], at: int = -1) -> str:
    """The last operator that changes the picture, or another one."""
    called = re.findall(r"images = fn\.([\w.]+)", "\n".join(lines))
    return called[at] if called else _AUTOMATIC_AS


def _told_of(of: OperatorSchema, lines: Sequence[str]) -> tuple[str, str]:
    """What writes a transform, and what it does."""
    automatic = re.match(r"images = (\w+)\.", lines[-1])
    name = automatic[1] if automatic else ""
    return (name, _AUTOMATIC[name]) if name in _AUTOMATIC else (of.name, of.summary + _told(lines))


def _told(lines: Sequence[str]) -> str:
    """What is drawn, in words."""
    text = " ".join(lines)
    ranges = re.findall(rf"{_DRAW}uniform\(range=\[(\S+), (\S+)\]", text)
    coins = re.findall(rf"{_DRAW}coin_flip\(probability=([\d.]+)", text)
    parts = [f"{name} from {low} to {high}" for name, low, high in ranges]
    parts += [f"{name} with probability {p}" for name, p in coins]
    parts += [f"for {float(p):.0%} of the samples" for p in re.findall(r"if .*probability=([\d.]+)", text)]
    if not parts:
        return ""
    return f" Draws {', '.join(parts)}.".replace("Draws for", "For").replace("-", "−").replace("%", " %")


def named_elsewhere(catalog: Catalog) -> Catalog:
    """The catalog with the names that operators have elsewhere among their keywords, and transforms that draw numbers.

    They are called by package and class.
    """
    operators = {o.name: o for o in catalog.operators}
    transforms = [
        OperatorSchema(
            name=name, class_name="", category=of.category, icon=of.icon, inputs=begin.inputs, outputs=of.outputs,
            devices=of.devices, summary=told[1], written_by=told[0],
        )
        for name, lines in _random().items()
        if (of := operators.get(_operator_of(lines))) and (begin := operators.get(_operator_of(lines, 0)))
        and (told := _told_of(of, lines))
    ]  # fmt: skip
    known = {one.name.rpartition(".")[2].lower() for one in transforms}
    words = {o.name: (*o.keywords, *ALIASES.get(o.name, "").split()) for o in catalog.operators}
    named_already = {word for names in ALIASES.values() for word in names.split()}
    for name, near in {**ABSENT["torchvision"], **ABSENT["albumentations"]}.items():
        first = next((one for one in re.findall(r"[\w.]+", near) if one in operators), OPERATOR)
        if name not in named_already:
            words[first] = (*words[first], name)
    named = (
        msgspec.structs.replace(o, keywords=tuple(word for word in words[o.name] if word.lower() not in known))
        for o in catalog.operators
    )
    return msgspec.structs.replace(catalog, operators=(*named, *transforms))


def differences(name: str, edits: Sequence[Edit]) -> list[Diagnostic]:
    """What the nodes that `added` adds for a transform do otherwise, about the last of them that it is offered as."""
    operator = _operator_of(_random()[name]) if name in _random() else ""
    made = [edit.key for edit in edits if isinstance(edit, AddNode) and edit.operator == operator]
    return [msgspec.structs.replace(one, node=made[-1]) for one in differing_from(name)] if made else []


def _rate(graph: Graph, source: PortRef | None, output: Callable[[PortRef], Batch]) -> float | None:
    """The rate of a sound, as its decoder gives it."""
    key = source.node if source else ""
    while key and graph.node(key).operator != "decoders.audio":
        key = next((one.node for one in graph.inputs(key) if one), "")
    with suppress(DaliStudioError, LookupError):  # a sound of no decoder, or one that cannot be read
        return float(output(PortRef(node=key, output=1)).samples[0])
    return None


def added(
    message: AddTransform, graph: Graph, registry: Registry, output: Callable[[PortRef], Batch]
) -> tuple[Edit, ...]:  # fmt: skip
    """The edits that put a transform behind a picture or a sound, by the operators that a program would have.

    Parameters
    ----------
    output
        Gives what a port has in the shown sample.

    Raises
    ------
    DaliStudioError
        DS401 if there is no such transform.
    """
    lines = _random().get(message.name, ())
    text = "\n".join(lines)
    if _RATE in text and (rate := _rate(graph, message.source, output)):
        text = text.replace(_RATE, f"sample_rate={rate:g}")
    edits, end = read_behind(text, graph, registry, message.source)
    source = message.source
    if source is None or end is None:
        return edits if graph.outputs or end is None else (*edits, SetOutputs(outputs=(end,)))
    if message.branch:
        return edits
    return (*edits, *passed_on(graph, source, end))


def passed_on(graph: Graph, source: PortRef, end: PortRef) -> list[Edit]:
    """The edits by which what `source` feeds is fed by `end`, which comes of it."""
    fed = [wire for wire in graph.wires() if wire.source == source and wire.input is not None]
    edits: list[Edit] = [Connect(source=end, target=wire.target, input=wire.input) for wire in fed]
    outputs = tuple(end if port == source else port for port in graph.outputs)
    return [*edits, *([SetOutputs(outputs=outputs)] if source in graph.outputs else [])]

"""Transforms of torchvision and albumentations that no rule writes, and what comes nearest here."""

from __future__ import annotations

from collections.abc import Mapping

_WARP = "experimental.warp_perspective, with a matrix for each sample"
_REMAP = "experimental.remap, with maps of where each pixel is from"
_BOXES = "random_bbox_crop, which draws windows for the boxes, and slice"
_BATCH = "permute_batch and arithmetic, as the gallery's mixup has it"
_VOLUMES = "crop, erase and pad, which take volumes"
_ORDER = "the operators themselves, with an if for each"
_FUNCTION = "a code node with your function"
_CHANNELS = "color_space_conversion, or arithmetic over slices of the channels"
_WEATHER = "paste and arithmetic with pictures of it"
_SPECTRA = "fn.erase over a spectrogram"
_OTHERS = "arithmetic with the other picture, from a reader of its own"

#: By package and class: the nearest; empty where there is nothing near.
ABSENT: Mapping[str, Mapping[str, str]] = {
    "torchvision": {
        "AugMix": "auto_aug's augmentations, and a mean of several such chains", "CutMix": _BATCH,
        "MixUp": _BATCH, "ElasticTransform": f"water, or {_REMAP}",
        "Lambda": _FUNCTION, "LinearTransformation": _FUNCTION, "RandomChannelPermutation": _CHANNELS,
        "RandomIoUCrop": _BOXES,
        "UniformTemporalSubsample": "element_extract, or the step of readers.video",
    },
    "albumentations": {
        "AdditiveNoise": "noise.gaussian", "AdvancedBlur": "gaussian_blur", "AtLeastOneBBoxRandomCrop": _BOXES,
        "BBoxSafeRandomCrop": _BOXES, "CenterCrop3D": _VOLUMES, "ChannelShuffle": _CHANNELS,
        "ChromaticAberration": _REMAP, "CoarseDropout3D": _VOLUMES, "ConstrainedCoarseDropout": "erase",
        "CropNonEmptyMaskIfExists": "segmentation.random_mask_pixel and crop",
        "CubicSymmetry": "flip and transpose", "Defocus": "gaussian_blur", "ElasticTransform": f"water, or {_REMAP}",
        "FDA": _OTHERS, "FancyPCA": "color_twist", "FrequencyMasking": _SPECTRA, "GlassBlur": "jitter",
        "GridDistortion": _REMAP, "GridElasticDeform": _REMAP, "HEStain": "color_twist", "HistogramMatching": _OTHERS,
        "ISONoise": "noise.gaussian and noise.shot", "Illumination": "arithmetic with a picture of the light",
        "Lambda": _FUNCTION, "MaskDropout": "erase", "Mosaic": "multi_paste", "MotionBlur": "filter",
        "OneOrOther": _ORDER, "OpticalDistortion": f"sphere, or {_REMAP}", "OverlayElements": "paste, or multi_paste",
        "Pad3D": _VOLUMES, "PadIfNeeded3D": _VOLUMES, "Perspective": _WARP, "PiecewiseAffine": _REMAP,
        "PixelDistributionAdaptation": _OTHERS, "PlanckianJitter": "color_twist",
        "PlasmaBrightnessContrast": "brightness_contrast", "PlasmaShadow": "brightness", "RandomCrop3D": _VOLUMES,
        "RandomCropNearBBox": _BOXES, "RandomFog": _WEATHER, "RandomGravel": _WEATHER,
        "RandomGridShuffle": "slice and cat",
        "RandomRain": _WEATHER, "RandomShadow": _WEATHER, "RandomSizedBBoxSafeCrop": _BOXES,
        "RandomSnow": _WEATHER, "RandomSunFlare": _WEATHER, "RandomToneCurve": "lookup_table",
        "RingingOvershoot": "filter",
        "SelectiveChannelTransform": _CHANNELS, "Spatter": _WEATHER, "Superpixels": "",
        "TextImage": "paste", "ThinPlateSpline": _REMAP, "TimeMasking": _SPECTRA, "TimeReverse": "flip",
        "ToSepia": _CHANNELS, "UnsharpMask": "filter", "XYMasking": "erase", "ZoomBlur": "gaussian_blur",
    },
}  # fmt: skip

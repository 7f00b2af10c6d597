"""What operators are called elsewhere: transforms of torchvision and albumentations, by which the search finds them."""

from __future__ import annotations

import msgspec

from dali_studio.schema.model import Catalog

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
    "experimental.equalize": "RandomEqualize Equalize",
    "experimental.filter": "FilterKernel Sharpen Emboss",
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
    "rotate": "RandomRotation Rotate SafeRotate RandomRotate90",
    "saturation": "adjust_saturation",
    "slice": "Crop CropNonEmptyMaskIfExists",
    "spectrogram": "Spectrogram",
    "mel_filter_bank": "MelSpectrogram MelScale",
    "mfcc": "MFCC",
    "nonsilent_region": "Vad",
    "power_spectrum": "Spectrogram",
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


def named_elsewhere(catalog: Catalog) -> Catalog:
    """The catalog with the names that operators have elsewhere among their keywords."""
    return msgspec.structs.replace(
        catalog,
        operators=tuple(
            msgspec.structs.replace(o, keywords=(*o.keywords, *ALIASES.get(o.name, "").split()))
            for o in catalog.operators
        ),
    )

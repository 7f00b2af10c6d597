"""Names of the functions that nvidia.dali has under ``fn``, by module. A test compares them."""

from __future__ import annotations

DALI_VERSION = "2.4"
_BY_MODULE: dict[str, str] = {
    "": """
        audio_decoder audio_resample batch_permutation bb_flip bbox_paste bbox_rotate box_encoder brightness
        brightness_contrast caffe2_reader caffe_reader cast cast_like cat clahe coco_reader coin_flip
        color_space_conversion color_twist constant contrast coord_flip coord_transform copy crop
        crop_mirror_normalize debayer dl_tensor_python_function dump_image element_extract equalize erase
        expand_dims external_source fast_resize_crop_mirror file_reader filter flip full full_like gaussian_blur
        get_property grid_mask hsv hue image_decoder image_decoder_crop image_decoder_random_crop
        image_decoder_slice jitter jpeg_compression_distortion laplacian lookup_table mel_filter_bank mfcc
        multi_paste mxnet_reader nemo_asr_reader nonsilent_region normal_distribution normalize numpy_reader
        one_hot ones ones_like optical_flow pad paste peek_image_shape per_frame permute_batch power_spectrum
        preemphasis_filter python_function random_bbox_crop random_crop_generator random_resized_crop
        reinterpret reshape resize resize_crop_mirror roi_random_crop rotate saturation sequence_reader
        sequence_rearrange shapes slice spectrogram sphere squeeze ssd_random_crop stack tensor_resize
        tfrecord_reader to_decibels transform_translation transpose uniform video_reader video_reader_resize
        warp_affine water zeros zeros_like
    """,
    "decoders": "audio image image_crop image_random_crop image_slice inflate numpy video",
    "experimental": """
        audio_resample debayer dilate equalize erode filter inflate median_blur peek_image_shape remap resize
        tensor_resize warp_perspective
    """,
    "experimental.decoders": "image image_crop image_random_crop image_slice video",
    "experimental.inputs": "video",
    "experimental.readers": "fits video",
    "io.file": "read",
    "noise": "gaussian salt_and_pepper shot",
    "random": "beta choice coin_flip normal uniform",
    "readers": """
        caffe caffe2 coco file mxnet nemo_asr numpy sequence tfrecord video video_resize webdataset
    """,
    "reductions": "max mean mean_square min rms std_dev sum variance",
    "segmentation": "random_mask_pixel random_object_bbox select_masks",
    "transforms": "combine crop rotation scale shear translation",
}

#: Paths under ``fn``, such as ``decoders.image``; what is hidden or deprecated there included if it has a plain name.
FUNCTIONS: frozenset[str] = frozenset(
    f"{module}.{name}" if module else name for module, names in _BY_MODULE.items() for name in names.split()
)

#: Functions that programs with conditionals are made of; nvidia.dali does not count them among its own.
BRANCHES: frozenset[str] = frozenset(
    f"_conditional.{name}" for name in ("merge", "not_", "split", "validate_logical")
)  # fmt: skip

#: `FUNCTIONS` without underscores: names of ``fn`` and of ``ops`` meet in it.
_FLAT = {name.replace("_", ""): name for name in sorted(FUNCTIONS)}


def in_dali(path: str) -> str:
    """What nvidia.dali has under `path` of ``fn`` or ``ops``: a function's path, a module with ``.*``, or nothing."""
    flat = path.replace("_", "").lower()
    if any(name.startswith(f"{flat}.") for name in _FLAT):
        return f"{path}.*"
    return _FLAT.get(flat, "")


def missing(path: str, shown: str, package: str) -> str:
    """The sentence that says of a function of nvidia.dali, `shown` in this way, that `package` does not have it."""
    several = path.endswith("*")
    what, pronoun = ("operators", "them") if several else ("operator", "it")
    return f"nvidia.dali has the {what} {shown}, {package} does not have {pronoun} yet."

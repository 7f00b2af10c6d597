"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.experimental.dynamic import decoders as decoders
from dali_studio.experimental.dynamic import experimental as experimental
from dali_studio.experimental.dynamic import io as io
from dali_studio.experimental.dynamic import math as math
from dali_studio.experimental.dynamic import noise as noise
from dali_studio.experimental.dynamic import random as random
from dali_studio.experimental.dynamic import readers as readers
from dali_studio.experimental.dynamic import reductions as reductions
from dali_studio.experimental.dynamic import segmentation as segmentation
from dali_studio.experimental.dynamic import transforms as transforms
from dali_studio.api.dynamic.batch import Batch as Batch
from dali_studio.api.dynamic.batch import as_batch as as_batch
from dali_studio.api.dynamic.batch import batch as batch
from dali_studio.api.dynamic.context import EvalContext as EvalContext
from dali_studio.api.dynamic.context import EvalMode as EvalMode
from dali_studio.api.dynamic.context import ThreadPool as ThreadPool
from dali_studio.api.dynamic.context import get_current_stream as get_current_stream
from dali_studio.api.dynamic.context import get_num_threads as get_num_threads
from dali_studio.api.dynamic.context import set_num_threads as set_num_threads
from dali_studio.api.dynamic.device import Device as Device
from dali_studio.api.dynamic.device import DeviceLike as DeviceLike
from dali_studio.api.dynamic.device import device as device
from dali_studio.api.dynamic.dtype import DataType as DataType
from dali_studio.api.dynamic.dtype import DType as DType
from dali_studio.api.dynamic.dtype import ImageType as ImageType
from dali_studio.api.dynamic.dtype import InterpType as InterpType
from dali_studio.api.dynamic.dtype import bfloat16 as bfloat16
from dali_studio.api.dynamic.dtype import dtype as dtype
from dali_studio.api.dynamic.dtype import float16 as float16
from dali_studio.api.dynamic.dtype import float32 as float32
from dali_studio.api.dynamic.dtype import float64 as float64
from dali_studio.api.dynamic.dtype import int8 as int8
from dali_studio.api.dynamic.dtype import int16 as int16
from dali_studio.api.dynamic.dtype import int32 as int32
from dali_studio.api.dynamic.dtype import int64 as int64
from dali_studio.api.dynamic.dtype import type_id as type_id
from dali_studio.api.dynamic.dtype import uint8 as uint8
from dali_studio.api.dynamic.dtype import uint16 as uint16
from dali_studio.api.dynamic.dtype import uint32 as uint32
from dali_studio.api.dynamic.dtype import uint64 as uint64
from dali_studio.api.dynamic.dtype import boolean as boolean
bool = boolean
from dali_studio.api.dynamic.functions import imread as imread
from dali_studio.api.dynamic.source import ExternalSource as ExternalSource
from dali_studio.api.dynamic.streams import Stream as Stream
from dali_studio.api.dynamic.streams import get_default_stream as get_default_stream
from dali_studio.api.dynamic.streams import set_current_stream as set_current_stream
from dali_studio.api.dynamic.streams import set_default_stream as set_default_stream
from dali_studio.api.dynamic.streams import stream as stream
from dali_studio.api.dynamic.tensor import Tensor as Tensor
from dali_studio.api.dynamic.tensor import as_tensor as as_tensor
from dali_studio.api.dynamic.tensor import tensor as tensor
from dali_studio.experimental.dynamic import capture as capture
from dali_studio.experimental.dynamic import checkpoint as checkpoint
from dali_studio.experimental.dynamic import pytorch as pytorch
from dali_studio.api.dynamic.rng import RNG

def audio_resample(
    audio: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    in_rate: Any = ...,
    out_rate: Any = ...,
    scale: Any = ...,
    out_length: Any = ...,
    quality: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Changes the rate of a sound, by a sinc in Hann's window."""

def batch_permutation(
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    allow_repetitions: Any = ...,
    no_fixed_points: Any = ...,
    _scope: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws an order of the batch: for each sample the place of another one, for permute_batch."""

def bb_flip(
    boxes: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    horizontal: Any = ...,
    vertical: Any = ...,
    ltrb: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Mirrors boxes in relative coordinates (0 to 1), along with their images."""

def bbox_paste(
    boxes: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    ratio: Any,
    paste_x: Any = ...,
    paste_y: Any = ...,
    ltrb: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Moves boxes in relative coordinates along with images that are pasted onto a larger canvas (`paste`)."""

def bbox_rotate(
    boxes: Any,
    labels: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    angle: Any,
    input_shape: Any,
    shape_layout: Any = ...,
    keep_size: Any = ...,
    size: Any = ...,
    bbox_layout: Any = ...,
    bbox_normalized: Any = ...,
    mode: Any = ...,
    remove_threshold: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Turns boxes along with their images, and gives the upright boxes that hold them."""

def box_encoder(
    boxes: Any,
    labels: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    anchors: Any,
    criteria: Any = ...,
    offset: Any = ...,
    scale: Any = ...,
    means: Any = ...,
    stds: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Matches boxes with anchors (default boxes), as single-shot detectors (SSD) are trained with."""

def brightness(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    brightness: Any = ...,
    brightness_shift: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Scales and shifts intensities."""

def brightness_contrast(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    brightness: Any = ...,
    brightness_shift: Any = ...,
    contrast: Any = ...,
    contrast_center: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Scales and shifts intensities about a centre."""

def cast(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Converts the element type."""

def cast_like(
    data: Any,
    dtype_like: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Converts the element type to that of another input."""

def cat(
    *input: Any,
    batch_size: int | None = ...,
    device: Any = ...,
    axis: Any = ...,
    axis_name: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Joins tensors along an axis that they have."""

def clahe(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    tiles_x: Any,
    tiles_y: Any,
    clip_limit: Any,
    luma_only: Any = ...,
    bins: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Equalises the histograms of tiles of the image, with a limit to how much contrast is raised."""

def color_space_conversion(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    image_type: Any,
    output_type: Any,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Converts images between RGB, BGR, grey and YCbCr."""

def color_twist(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    contrast: Any = ...,
    brightness: Any = ...,
    hue: Any = ...,
    saturation: Any = ...,
    dtype: Any = ...,
    image_type: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Turns the hue and scales saturation, contrast and brightness of RGB images, in one pass."""

def contrast(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    contrast: Any = ...,
    contrast_center: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Moves intensities away from a centre, or towards it."""

def coord_flip(
    points: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    flip_x: Any = ...,
    flip_y: Any = ...,
    flip_z: Any = ...,
    center_x: Any = ...,
    center_y: Any = ...,
    center_z: Any = ...,
    layout: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Mirrors points, (points, components) float32, about a centre, along with their images."""

def coord_transform(
    points: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    M: Any = ...,
    T: Any = ...,
    MT: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Transforms points or vectors, which lie along the last axis, to ``M v + T``."""

def copy(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Gives the data as it is."""

def crop(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    image_type: Any = ...,
    crop: Any = ...,
    crop_h: Any = ...,
    crop_w: Any = ...,
    crop_d: Any = ...,
    crop_pos_x: Any = ...,
    crop_pos_y: Any = ...,
    crop_pos_z: Any = ...,
    rounding: Any = ...,
    out_of_bounds_policy: Any = ...,
    fill_values: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Cuts a window out of each image or volume."""

def crop_mirror_normalize(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    mean: Any = ...,
    std: Any = ...,
    mirror: Any = ...,
    dtype: Any = ...,
    output_layout: Any = ...,
    pad_output: Any = ...,
    scale: Any = ...,
    shift: Any = ...,
    image_type: Any = ...,
    crop: Any = ...,
    crop_h: Any = ...,
    crop_w: Any = ...,
    crop_d: Any = ...,
    crop_pos_x: Any = ...,
    crop_pos_y: Any = ...,
    crop_pos_z: Any = ...,
    rounding: Any = ...,
    out_of_bounds_policy: Any = ...,
    fill_values: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Cuts a window, mirrors it, subtracts the mean, divides by the deviation and sets the layout."""

def debayer(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    blue_position: Any,
    algorithm: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes colour pictures of those of sensors that see one colour each, in Bayer's pattern."""

def dump_image(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    suffix: Any = ...,
    input_layout: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Writes each image to a file of the working directory, and gives it on as it is."""

def element_extract(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    element_map: Any,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Takes single elements of sequences, such as frames of a video, each as an output of its own."""

def equalize(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Spreads the histogram of each channel evenly over 0 to 255."""

def erase(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    anchor: Any = ...,
    shape: Any = ...,
    axis_names: Any = ...,
    axes: Any = ...,
    fill_value: Any = ...,
    normalized: Any = ...,
    normalized_anchor: Any = ...,
    normalized_shape: Any = ...,
    centered_anchor: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Fills boxes of an image, or of any tensor, with a value."""

def expand_dims(
    data: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    axes: Any,
    new_axis_names: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Adds axes of extent 1; the data is not copied."""

def filter(
    data: Any,
    filter: Any,
    fill_value: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    anchor: Any = ...,
    border: Any = ...,
    mode: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Slides a filter over images, volumes or signals: each result is the sum of products with what lies beneath it."""

def flip(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    horizontal: Any = ...,
    vertical: Any = ...,
    depthwise: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Mirrors images left to right and top to bottom, and volumes in depth."""

def full(
    fill_value: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    shape: Any = ...,
    layout: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Fills tensors of a given shape with a value, which may be a tensor and is then repeated."""

def full_like(
    data_like: Any,
    fill_value: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Fills tensors, with the shapes, layout and type of others, with a value."""

def gaussian_blur(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    sigma: Any = ...,
    window_size: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Blurs images, volumes and signals with a Gaussian window."""

def get_property(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    key: Any,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """A text that goes with each sample, as a row of its bytes: the layout, or the file that it came from."""

def grid_mask(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    tile: Any = ...,
    ratio: Any = ...,
    angle: Any = ...,
    shift_x: Any = ...,
    shift_y: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Covers images with a grid of black squares."""

def hsv(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    value: Any = ...,
    dtype: Any = ...,
    hue: Any = ...,
    saturation: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Turns the hue and scales saturation and value of RGB images."""

def hue(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    hue: Any = ...,
    dtype: Any = ...,
    image_type: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Turns the hue of RGB images: a rotation of the chrominance plane of YIQ, as in `hsv`."""

def jitter(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    nDegree: Any = ...,
    interp_type: Any = ...,
    fill_value: Any = ...,
    mask: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Replaces each pixel by one of its neighbourhood, drawn at random."""

def jpeg_compression_distortion(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    quality: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Gives RGB images what JPEG compression does to them: blocks, and colours at half the resolution."""

def laplacian(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    window_size: Any = ...,
    smoothing_size: Any = ...,
    scale: Any = ...,
    normalized_kernel: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Computes the sum of second derivatives: edges and spots stand out."""

def lookup_table(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    keys: Any = ...,
    values: Any = ...,
    default_value: Any = ...,
    dtype: Any = ...,
    output_dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Replaces each element by the value of a table."""

def mel_filter_bank(
    spectrogram: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    nfilter: Any = ...,
    sample_rate: Any = ...,
    freq_low: Any = ...,
    freq_high: Any = ...,
    normalize: Any = ...,
    mel_formula: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Spectra on the mel scale: weighted sums of frequencies, by triangular filters that overlap by half."""

def mfcc(
    mel: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    n_mfcc: Any = ...,
    dct_type: Any = ...,
    normalize: Any = ...,
    axis: Any = ...,
    lifter: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Mel-frequency cepstral coefficients: a discrete cosine transform of mel spectra in decibels."""

def multi_paste(
    *image: Any,
    batch_size: int | None = ...,
    device: Any = ...,
    in_ids: Any = ...,
    output_size: Any = ...,
    in_anchors: Any = ...,
    in_anchors_rel: Any = ...,
    shapes: Any = ...,
    shapes_rel: Any = ...,
    out_anchors: Any = ...,
    out_anchors_rel: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Pastes regions of images onto a canvas, one over the other."""

def nonsilent_region(
    audio: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    cutoff_db: Any = ...,
    window_length: Any = ...,
    reference_power: Any = ...,
    reset_interval: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Finds where a sound begins and ends, for `slice` to cut off the silence around it."""

def normalize(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    batch: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    mean: Any = ...,
    stddev: Any = ...,
    scale: Any = ...,
    shift: Any = ...,
    epsilon: Any = ...,
    ddof: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Subtracts the mean and divides by the standard deviation, both of the data itself or given."""

def one_hot(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    num_classes: Any = ...,
    axis: Any = ...,
    axis_name: Any = ...,
    on_value: Any = ...,
    off_value: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes a row of each class number, with one value at the place of the class and another elsewhere."""

def ones(
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    shape: Any = ...,
    layout: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes tensors of ones."""

def ones_like(
    data_like: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes tensors of ones, with the shapes, layout and type of others."""

def optical_flow(
    frames: Any,
    hints: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    preset: Any = ...,
    output_grid: Any = ...,
    hint_grid: Any = ...,
    enable_temporal_hints: Any = ...,
    enable_external_hints: Any = ...,
    image_type: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Finds where the pixels of each frame were in the frame before, by the optical flow hardware of NVIDIA's GPUs."""

def pad(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    shape: Any = ...,
    align: Any = ...,
    fill_value: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes tensors larger, by a value behind their last elements."""

def paste(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    fill_value: Any,
    ratio: Any,
    paste_x: Any = ...,
    paste_y: Any = ...,
    min_canvas_size: Any = ...,
    n_channels: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Puts images onto larger canvases."""

def peek_image_shape(
    files: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    image_type: Any = ...,
    adjust_orientation: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Height, width and channels of encoded images, from their headers; no pixel is decoded."""

def per_frame(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    replace: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Marks the first axis as frames, so that an argument has a value for each frame of a sequence."""

def permute_batch(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    indices: Any,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Puts the samples of a batch into another order."""

def power_spectrum(
    signal: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    nfft: Any = ...,
    axis: Any = ...,
    power: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The spectrum of a signal, or of each of several signals that lie side by side."""

def preemphasis_filter(
    audio: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    preemph_coeff: Any = ...,
    dtype: Any = ...,
    border: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes high frequencies of a sound louder: takes from each sample a part of the one before."""

def random_bbox_crop(
    boxes: Any,
    labels: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    aspect_ratio: Any = ...,
    scaling: Any = ...,
    thresholds: Any = ...,
    threshold_type: Any = ...,
    all_boxes_above_threshold: Any = ...,
    allow_no_crop: Any = ...,
    num_attempts: Any = ...,
    total_num_attempts: Any = ...,
    bbox_prune_threshold: Any = ...,
    bbox_layout: Any = ...,
    ltrb: Any = ...,
    crop_shape: Any = ...,
    input_shape: Any = ...,
    shape_layout: Any = ...,
    output_bbox_indices: Any = ...,
    quiet: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Draws a crop window for each image, so that enough of the boxes is in it, and brings the boxes into it."""

def random_crop_generator(
    shapes: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    random_area: Any = ...,
    random_aspect_ratio: Any = ...,
    num_attempts: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Draws a window in images of given shapes, as `decoders.image_random_crop` does with the same seed."""

def random_resized_crop(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    size: Any,
    random_area: Any = ...,
    random_aspect_ratio: Any = ...,
    num_attempts: Any = ...,
    interp_type: Any = ...,
    min_filter: Any = ...,
    mag_filter: Any = ...,
    antialias: Any = ...,
    dtype: Any = ...,
    minibatch_size: Any = ...,
    temp_buffer_hint: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Resizes a random window of each image."""

def reinterpret(
    data: Any,
    shape_input: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    shape: Any = ...,
    rel_shape: Any = ...,
    layout: Any = ...,
    src_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Takes the bytes of the data for elements of another type; the data is not copied."""

def reshape(
    data: Any,
    shape_input: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    shape: Any = ...,
    rel_shape: Any = ...,
    layout: Any = ...,
    src_dims: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Gives the same elements another shape, or other names to the axes; the data is not copied."""

def resize(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    save_attrs: Any = ...,
    image_type: Any = ...,
    resize_x: Any = ...,
    resize_y: Any = ...,
    resize_z: Any = ...,
    size: Any = ...,
    resize_shorter: Any = ...,
    resize_longer: Any = ...,
    max_size: Any = ...,
    mode: Any = ...,
    roi_start: Any = ...,
    roi_end: Any = ...,
    roi_relative: Any = ...,
    subpixel_scale: Any = ...,
    interp_type: Any = ...,
    min_filter: Any = ...,
    mag_filter: Any = ...,
    antialias: Any = ...,
    dtype: Any = ...,
    minibatch_size: Any = ...,
    temp_buffer_hint: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Resamples images and volumes to another size."""

def resize_crop_mirror(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    mirror: Any = ...,
    resize_x: Any = ...,
    resize_y: Any = ...,
    resize_z: Any = ...,
    size: Any = ...,
    resize_shorter: Any = ...,
    resize_longer: Any = ...,
    max_size: Any = ...,
    mode: Any = ...,
    roi_start: Any = ...,
    roi_end: Any = ...,
    roi_relative: Any = ...,
    subpixel_scale: Any = ...,
    crop: Any = ...,
    crop_h: Any = ...,
    crop_w: Any = ...,
    crop_d: Any = ...,
    crop_pos_x: Any = ...,
    crop_pos_y: Any = ...,
    crop_pos_z: Any = ...,
    rounding: Any = ...,
    interp_type: Any = ...,
    min_filter: Any = ...,
    mag_filter: Any = ...,
    antialias: Any = ...,
    dtype: Any = ...,
    minibatch_size: Any = ...,
    temp_buffer_hint: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Resizes images and volumes, cuts a window out of the result and mirrors it; no more is computed than the window."""

def roi_random_crop(
    image: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    crop_shape: Any,
    roi_start: Any,
    roi_end: Any = ...,
    roi_shape: Any = ...,
    in_shape: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Draws where a window of a given size begins, so that it holds a region, or as much of it as it can."""

def rotate(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    angle: Any,
    keep_size: Any = ...,
    axis: Any = ...,
    fill_value: Any = ...,
    interp_type: Any = ...,
    size: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Rotates images about their centre, and volumes about an axis through it."""

def saturation(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    saturation: Any = ...,
    dtype: Any = ...,
    image_type: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Scales the saturation of RGB images: the chrominance plane of YIQ, as in `hsv`."""

def sequence_rearrange(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    new_order: Any,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Puts the elements of sequences, such as frames of a video, into another order."""

def shapes(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The extents of each sample, as a row of numbers."""

def slice(
    data: Any,
    anchor: Any = ...,
    shape_input: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    image_type: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    start: Any = ...,
    rel_start: Any = ...,
    end: Any = ...,
    rel_end: Any = ...,
    shape: Any = ...,
    rel_shape: Any = ...,
    normalized_anchor: Any = ...,
    normalized_shape: Any = ...,
    out_of_bounds_policy: Any = ...,
    fill_values: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Cuts a window out of a tensor of any number of axes."""

def spectrogram(
    audio: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    window_length: Any = ...,
    window_step: Any = ...,
    nfft: Any = ...,
    power: Any = ...,
    window_fn: Any = ...,
    center_windows: Any = ...,
    reflect_padding: Any = ...,
    layout: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """The spectra of windows of a sound, one after the other."""

def sphere(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    interp_type: Any = ...,
    fill_value: Any = ...,
    mask: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Shows images as through a glass ball."""

def squeeze(
    data: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Takes away axes of extent 1; the data is not copied."""

def ssd_random_crop(
    images: Any,
    boxes: Any,
    labels: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    rng: RNG | None = ...,
    num_attempts: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Any:
    """Cuts a random window out of each image, which the boxes overlap as much as a threshold that is drawn demands."""

def stack(
    *input: Any,
    batch_size: int | None = ...,
    device: Any = ...,
    axis: Any = ...,
    axis_name: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Joins tensors of one shape along a new axis."""

def tensor_resize(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    sizes: Any = ...,
    scales: Any = ...,
    axes: Any = ...,
    axis_names: Any = ...,
    alignment: Any = ...,
    size_rounding: Any = ...,
    max_size: Any = ...,
    mode: Any = ...,
    roi_start: Any = ...,
    roi_end: Any = ...,
    roi_relative: Any = ...,
    subpixel_scale: Any = ...,
    interp_type: Any = ...,
    min_filter: Any = ...,
    mag_filter: Any = ...,
    antialias: Any = ...,
    dtype: Any = ...,
    minibatch_size: Any = ...,
    temp_buffer_hint: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Resamples up to three neighbouring axes of a tensor."""

def to_decibels(
    magnitudes: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    multiplier: Any = ...,
    reference: Any = ...,
    cutoff_db: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Magnitudes as decibels of a reference."""

def transpose(
    input: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    perm: Any = ...,
    transpose_layout: Any = ...,
    output_layout: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Puts the axes into another order."""

def warp_affine(
    image: Any,
    mtx: Any = ...,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    matrix: Any = ...,
    inverse_map: Any = ...,
    fill_value: Any = ...,
    interp_type: Any = ...,
    size: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Moves, scales, turns and shears images by a matrix."""

def water(
    image: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    ampl_x: Any = ...,
    ampl_y: Any = ...,
    freq_x: Any = ...,
    freq_y: Any = ...,
    phase_x: Any = ...,
    phase_y: Any = ...,
    interp_type: Any = ...,
    fill_value: Any = ...,
    mask: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Shows images as if they lay under water: rows and columns are moved by waves."""

def zeros(
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    shape: Any = ...,
    layout: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes tensors of zeros."""

def zeros_like(
    data_like: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dtype: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Makes tensors of zeros, with the shapes, layout and type of others."""

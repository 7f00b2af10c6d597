"""How far a result may be from nvidia.dali's: the only place where tests find tolerances.

Measured with independent implementations; absolute differences are in units of the output (levels for uint8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Tolerance:
    """Bounds on |result - reference|.

    Attributes
    ----------
    mean, p999, max : float
        Of the absolute difference, for integer results: average, 99.9 percentile, largest.
    rtol : float
        Largest difference relative to the largest magnitude of the reference, for floating-point results.
    share : float or None
        How many elements may differ, by any amount, in place of all other bounds: where pixels are taken as they are,
        another pixel is another value.
    """

    mean: float = 0.0
    p999: float = 0.0
    max: float = 0.0
    rtol: float = 0.0
    share: float | None = None

    def check(self, result: np.ndarray[Any, Any], reference: np.ndarray[Any, Any], what: object = "") -> None:
        """Fails with the measured numbers when a bound is exceeded, or when shape or dtype differ."""
        assert result.shape == reference.shape, f"{what}: shape {result.shape}, expected {reference.shape}"
        assert result.dtype == reference.dtype, f"{what}: dtype {result.dtype}, expected {reference.dtype}"
        if not result.size:
            return
        result, reference = _without_equal_infinities(result, reference, what)
        difference = np.abs(result.astype(np.float64) - reference.astype(np.float64))
        if self.share is not None:
            assert (difference > 0).mean() <= self.share, f"{what}: {(difference > 0).mean():.3g} differ > {self.share:.3g}"
            return
        if result.dtype.kind == "f":
            scale = max(float(np.abs(reference.astype(np.float64)).max()), 1e-30)
            relative = float(difference.max()) / scale
            assert relative <= self.rtol, f"{what}: relative difference {relative:.3g} > {self.rtol:.3g}"
            return
        found = float(difference.mean()), float(np.quantile(difference, 0.999)), float(difference.max())
        for name, value, bound in zip(("mean", "p999", "max"), found, (self.mean, self.p999, self.max), strict=True):
            assert value <= bound, f"{what}: {name} difference {value:.6g} > {bound:.6g}"


def _without_equal_infinities(result: Any, reference: Any, what: object) -> tuple[Any, Any]:
    """Both with 0 where they are infinite or not a number; fails if they are not so at the same places."""
    if result.dtype.kind != "f" or np.isfinite(reference).all():
        return result, reference
    special = ~np.isfinite(reference)
    assert np.array_equal(result[special], reference[special], equal_nan=True), f"{what}: infinities or NaN differ"
    return np.where(special, 0, result), np.where(special, 0, reference)


EXACT = Tolerance()

TOLERANCES: dict[str, Tolerance] = {
    "image_decoder": Tolerance(rtol=1e-7),
    # nvidia.dali's partial decoding of 4:2:0 differs from its whole picture by 2 levels in windows of a single pixel
    "image_random_crop": Tolerance(mean=1, p999=2, max=2, rtol=1e-7),
    # ties are rounded half to even here and, in vector tails, half up there
    "resize": Tolerance(mean=0.014, p999=1, max=1, rtol=2e-6),
    # halving a small image without antialiasing: a quarter of all values are ties
    "resize_ties": Tolerance(mean=0.13, p999=1, max=1, rtol=2e-6),
    # pictures of a few pixels, where one tie moves the average; their float results show the arithmetic itself
    "resize_small": Tolerance(mean=1, p999=1, max=1, rtol=4e-6),
    # reductions by thousands: float32 sums of 8192 products, in another order
    "resize_far": Tolerance(mean=1, p999=1, max=1, rtol=2e-5),
    "resize_nn": EXACT,
    # the same weights to the last bit, and sums in the same order
    "resize_gpu": Tolerance(mean=0.001, p999=0, max=1, rtol=1e-6),
    "resize_crop_mirror": Tolerance(mean=0.014, p999=1, max=1, rtol=2e-6),
    # positions differ in the last bits of float32: one level now and then, another pixel for nearest
    "rotate": Tolerance(mean=0.001, p999=1, max=2, rtol=2e-4),
    # pictures of a few pixels: one level in one pixel moves the average
    "rotate_small": Tolerance(mean=0.05, p999=1, max=2, rtol=2e-4),
    # on a GPU each position is computed by itself instead of by steps: as far as nvidia.dali's own GPU is from its CPU
    "rotate_gpu": Tolerance(mean=0.012, p999=1, max=2, rtol=2e-3),
    # numbers of 12 bits show a difference of the position of 1e-5 pixels: 0.093 / 2 / 5 at most over 110 angles and
    # pictures of up to 200x301
    "rotate_gpu_wide": Tolerance(mean=0.1, p999=2, max=5),
    # short fractions in a matrix put many samples halfway between levels, where the last bits decide: 0.027
    "warp_affine_gpu": Tolerance(mean=0.03, p999=1, max=2, rtol=2e-3),
    # one interpolation instead of several: edges and the border between image and fill differ
    "fuse_warps": Tolerance(mean=1.0, p999=60, max=120),
    # as rotate; a matrix that makes many ties (0.0015 of the pixels of a small picture)
    "warp_affine": Tolerance(mean=0.002, p999=1, max=2, rtol=2e-4),
    "warp_nn": Tolerance(mean=0.02, p999=20, max=255, rtol=1.0),
    # on a GPU, over 110 angles and as many matrices: 0.0003 on average; 0.0099 where a diagonal of a square picture
    # falls on the pixels' borders (135 degrees)
    "warp_nn_gpu": Tolerance(share=0.01),
    # logarithm and cosine are rounded differently in the last bits; a rounded number may become its neighbour
    "random_normal": Tolerance(mean=1e-3, p999=1, max=1, rtol=3e-7),
    # the last bits of the 3x3 matrix decide ties: 2 % of the pixels where value scales by 2.5
    "hsv": Tolerance(mean=0.03, p999=1, max=1, rtol=1e-6),
    # integers wider than 8 bits show the last bits of the float32 matrix
    "hsv_wide": Tolerance(mean=0.002, p999=1, max=1),
    # the last of the eleven bits of a half float
    "hsv_half": Tolerance(rtol=1e-3),
    "brightness_contrast": EXACT,
    "crop_mirror_normalize": Tolerance(rtol=1e-6),
    "color_space_conversion": EXACT,
    "jpeg_compression_distortion": EXACT,
    # chains: a level of a resized picture may grow by contrast, saturation or normalisation
    "program": Tolerance(mean=0.02, p999=2, max=3, rtol=1e-2),
    "crop": EXACT,
    "flip": EXACT,
    "cast": EXACT,
    "gaussian_blur": Tolerance(mean=3e-4, p999=1, max=1, rtol=2e-6),
    "spectrogram": Tolerance(rtol=1e-6),
    "mel_filter_bank": Tolerance(rtol=5e-6),
    "to_decibels": Tolerance(rtol=2e-4),
    "mfcc": Tolerance(rtol=1e-3),
    "audio_resample": Tolerance(rtol=2e-4),
}

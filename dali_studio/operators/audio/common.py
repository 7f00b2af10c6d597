"""What operators on spectra have in common."""

from __future__ import annotations

from dali_studio.schema.marks import Doc
from dali_studio.schema.tolerance import Tolerance

#: Samples of a transform: more is a mistake.
MAX_FFT = 2**24
POWER = Doc("Exponent of the magnitudes: 2 gives powers, 1 the magnitudes themselves.")
SPECTRUM_TOLERANCE = (Tolerance(relative=1e-6, reason="the float32 steps of the transform have another order"),)

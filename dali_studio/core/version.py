"""The version of this package, which the lower layers may ask for."""

from __future__ import annotations

__version__ = "0.1.0"

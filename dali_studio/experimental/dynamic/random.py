"""Random numbers: generators with a state, and the operators that draw from them."""

from __future__ import annotations

from dali_studio.api.dynamic.rng import RNG, get_default_rng, set_seed

__all__ = ["RNG", "get_default_rng", "set_seed"]

"""Augmentations: operations on a batch with a parameter that follows from a magnitude."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio import types
from dali_studio.api.rewriting import called
from dali_studio.auto_aug.core.errors import error
from dali_studio.auto_aug.core.signs import SignedBin, signed_bin
from dali_studio.pipeline import DataNode

Array = NDArray[Any]
_KEEP: Any = object()
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, eq=False)
class Augmentation:
    """An operation that an automatic augmentation may choose; made by the decorator `augmentation`.

    Attributes
    ----------
    op : callable
        Takes the batch, the parameter, and perhaps more by name.
    """

    op: Callable[..., Any]
    _mag_range: tuple[float, float] | Array | None = None
    _randomly_negate: bool | None = None
    _mag_to_param: Callable[[Any], Any] | None = None
    _param_device: str | None = None
    _name: str | None = None

    def __post_init__(self) -> None:
        if len(_positional(self.op)) < 2:
            raise error(
                f"{self.op!r} takes {len(_positional(self.op))} positional arguments.",
                "Let it take two: the batch, and the parameter.", "function",
            )  # fmt: skip

    def __repr__(self) -> str:
        given = {"mag_range": self._mag_range, "mag_to_param": self._mag_to_param,
                 "randomly_negate": self._randomly_negate, "param_device": self._param_device,
                 "name": self._name}  # fmt: skip
        words = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        return f"Augmentation({', '.join([repr(self.op), *words])})"

    @property
    def name(self) -> str:
        """By default, that of the function."""
        return self._name or self.op.__name__

    @property
    def mag_range(self) -> tuple[float, float] | Array | None:
        """The lowest and the highest magnitude, or all of them."""
        return self._mag_range

    @property
    def mag_to_param(self) -> Callable[[Any], Any]:
        """What makes the parameter of a magnitude."""
        return self._mag_to_param or np.array

    @property
    def randomly_negate(self) -> bool:
        """Whether the magnitude is negated for samples that are drawn."""
        return self._randomly_negate or False

    @property
    def param_device(self) -> str:
        """Where parameters lie: "cpu", "gpu", or with "auto" where the batch lies."""
        return self._param_device or "cpu"

    def augmentation(
        self, mag_range: Any = _KEEP, randomly_negate: Any = _KEEP, mag_to_param: Any = _KEEP,
        param_device: Any = _KEEP, name: Any = _KEEP, augmentation_cls: type[Augmentation] | None = None,
    ) -> Augmentation:  # fmt: skip
        """The same operation under other settings; what is not given stays."""
        given = {"mag_range": mag_range, "randomly_negate": randomly_negate, "mag_to_param": mag_to_param,
                 "param_device": param_device, "name": name}  # fmt: skip
        changed = {f"_{key}": value for key, value in given.items() if value is not _KEEP}
        made = replace(self, **changed)
        return made if augmentation_cls is None else augmentation_cls(**vars(made))

    def __call__(
        self, data: DataNode, *, magnitude_bin: int | DataNode | SignedBin | None = None,
        num_magnitude_bins: int | None = None, **kwargs: Any,
    ) -> DataNode:  # fmt: skip
        """Apply the operation.

        Parameters
        ----------
        data : DataNode
        magnitude_bin : int, DataNode or SignedBin, optional
            Which of the magnitudes, counted from 0; needed if there are magnitudes.
        num_magnitude_bins : int, optional
            How many magnitudes the range is divided into.
        **kwargs
            Further arguments of the operation by name; others are passed over.
        """
        parameter = self._parameter(data, magnitude_bin, num_magnitude_bins)
        missing = [name for name in required(self.op) if name not in kwargs]
        if missing:
            names = ", ".join(missing)
            raise error(
                f"The augmentation {self.name} needs {names}.",
                "Pass the size of the images as shape." if missing == ["shape"] else f"Pass {names}.", missing[0],
                "DS103",
            )  # fmt: skip
        return called(self.op)(data, parameter, **{name: kwargs[name] for name in accepted(self.op, kwargs)})

    def _parameter(
        self, data: DataNode, magnitude_bin: int | DataNode | SignedBin | None, count: int | None
    ) -> DataNode | None:
        magnitudes = self._magnitudes(count)
        if magnitudes is None:
            return None
        if magnitude_bin is None:
            raise error(
                f"The augmentation {self.name} has magnitudes; none is chosen.", "Pass magnitude_bin.", "magnitude_bin",
                "DS103",
            )  # fmt: skip
        device = data.device if self.param_device == "auto" else self.param_device
        if not self.randomly_negate:
            plain = magnitude_bin.bin if isinstance(magnitude_bin, SignedBin) else magnitude_bin
            if isinstance(plain, int):
                return types.Constant(self._param(magnitudes[plain]), device=device)
            return types.Constant(self._params(magnitudes), device=device)[plain]
        if not isinstance(magnitude_bin, SignedBin):
            warnings.warn(
                f"signs of {self.name} are drawn where it is called; in a branch, draw them before by signed_bin",
                stacklevel=3,
            )
            magnitude_bin = signed_bin(magnitude_bin)
        place = magnitude_bin.place
        if isinstance(magnitude_bin.bin, int):
            magnitudes, place = [magnitudes[magnitude_bin.bin]], magnitude_bin.sign
        both = np.array([sign * one for one in magnitudes for sign in (1, -1)])
        return types.Constant(self._params(both), device=device)[place]

    def _magnitudes(self, count: int | None) -> Array | Sequence[Any] | None:
        given = self.mag_range
        if given is None:
            return None
        if isinstance(given, np.ndarray):
            if count is not None and len(given) != count:
                raise error(
                    f"The augmentation {self.name} has {len(given)} magnitudes; num_magnitude_bins is {count}.",
                    "Give one number of both.", "num_magnitude_bins",
                )  # fmt: skip
            return given
        if count is None:
            raise error(
                f"Into how many magnitudes the range of {self.name} is divided is not said.",
                "Pass num_magnitude_bins.", "num_magnitude_bins", "DS103",
            )  # fmt: skip
        if not hasattr(given, "__len__") or len(given) != 2:
            raise error(
                f"{given!r} is no range of magnitudes.", "Give the lowest and the highest, or an array of all.",
                "mag_range",
            )  # fmt: skip
        return np.linspace(*given, count, dtype=np.float32)

    def _param(self, magnitude: Any) -> Array:
        made = self.mag_to_param(magnitude)
        leaves = cast("Sequence[Any]", made) if isinstance(made, list | tuple) else [made]
        if any(isinstance(leaf, DataNode) for leaf in leaves):
            raise error(
                f"mag_to_param of {self.name} gives the result of an operator.",
                "Let it give numbers: parameters are made once; operators belong into the augmentation.",
                "mag_to_param",
            )  # fmt: skip
        return np.array(cast(Any, made))

    def _params(self, magnitudes: Iterable[Any]) -> Array:
        made = [self._param(one) for one in magnitudes]
        kinds = {(one.shape, one.dtype) for one in made}
        if len(kinds) > 1:
            found = " and ".join(f"{dtype} of shape {shape}" for shape, dtype in sorted(kinds, key=str))
            raise error(
                f"mag_to_param of {self.name} gives {found}.", "Give arrays of one type and shape.", "mag_to_param"
            )
        return np.array(made)


def augmentation(
    function: Callable[..., Any] | None = None, *, mag_range: tuple[float, float] | Array | None = None,
    randomly_negate: bool | None = None, mag_to_param: Callable[[Any], Any] | None = None,
    param_device: str | None = None, name: str | None = None, augmentation_cls: type[Augmentation] | None = None,
) -> Any:  # fmt: skip
    """Make an augmentation of a function of the batch and a parameter; a decorator.

    Parameters
    ----------
    function : callable
        Takes the batch and the parameter, and perhaps more by name; gives one result.
    mag_range : (float, float) or ndarray, optional
        The magnitudes: evenly from the first to the second, as many as a call asks for, or these. Without it the
        parameter is ``None``.
    randomly_negate : bool
        Negate the magnitude for half of the samples, as they are drawn.
    mag_to_param : callable, optional
        Makes the parameter of a magnitude, of numbers. Default: the magnitude.
    param_device : {"cpu", "gpu", "auto"}
        Where parameters lie; "auto": where the batch lies.
    name : str, optional
        Default: that of the function.
    """

    def decorator(function: Callable[..., Any]) -> Augmentation:
        if isinstance(function, Augmentation):
            raise error(
                f"{function.name} is an augmentation already.",
                f"Change it by {function.name}.augmentation(...), or decorate {function.name}.op.", "function",
            )  # fmt: skip
        if not callable(function):
            raise error(f"{function!r} cannot be called.", "Decorate a function.", "function")
        kind = augmentation_cls or Augmentation
        return kind(function, mag_range, randomly_negate, mag_to_param, param_device, name)

    return decorator if function is None else decorator(function)


# ------------------------------------------------------------------------------------- arguments of an operation


def _positional(function: Callable[..., Any]) -> list[inspect.Parameter]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one for one in inspect.signature(function).parameters.values() if one.kind in kinds]


def _further(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The arguments by name behind the batch and the parameter."""
    taken = _positional(function)[:2]
    found = inspect.signature(function).parameters.values()
    return [one for one in found if one.kind in _NAMED and one not in taken]


def accepted(function: Callable[..., Any], given: Iterable[str]) -> list[str]:
    """Which of the names an operation takes."""
    known = {one.name for one in _further(function)}
    return [name for name in given if name in known]


def required(function: Callable[..., Any]) -> list[str]:
    """Names without which an operation cannot be called."""
    return [one.name for one in _further(function) if one.default is inspect.Parameter.empty]


def refuse_unused(augmentations: Iterable[Augmentation], given: Mapping[str, Any]) -> None:
    """Refuse names that none of the augmentations takes."""
    used = {name for one in augmentations for name in accepted(one.op, given)}
    unused = [name for name in given if name not in used]
    if unused:
        raise error(f"No augmentation takes {', '.join(unused)}.", "Take it away.", unused[0], "DS102")

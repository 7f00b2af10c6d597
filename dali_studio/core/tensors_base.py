"""What tensors and batches have in common wherever they lie: shapes, types, layouts, properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.storage import Dense, Packed


class TensorBase:
    """One sample: an array of numpy or CuPy with a layout and a source."""

    _array: Any
    _source: str
    _layout: str
    _dtype: DALIDataType

    def _wrap(self, array: Any, layout: str | None, source: str, dtype: DALIDataType | None = None) -> None:
        self._array, self._source, self._layout = array, source, ""
        self._dtype = dtype or from_numpy(array.dtype)
        self.set_layout(layout)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def shape(self) -> list[int]:
        """Extents of the sample."""
        return list(self._array.shape)

    def ndim(self) -> int:
        """Number of axes."""
        return int(self._array.ndim)

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return self._dtype

    def layout(self) -> str:
        """One letter per axis, or an empty string."""
        return self._layout

    def set_layout(self, layout: str | None) -> None:
        """Name the axes; ``None`` or ``""`` takes the names away."""
        self._layout = _checked_layout(layout, self.ndim())

    def reinterpret(self, new_type: DALIDataType) -> None:
        """Read the same bytes as another element type of the same size."""
        self._array, self._dtype = _reinterpreted(self._array, new_type), new_type

    def squeeze(self, dim: int | None = None) -> bool:
        """Drop axes of extent 1 (all, or axis `dim`); returns whether the shape changed.

        Raises
        ------
        RuntimeError
            If there is no such axis.
        """
        before = self._array.shape
        if dim is not None and not -len(before) <= dim < len(before):
            raise RuntimeError(f"a tensor with {len(before)} axes has no axis {dim} to be dropped")
        axes = [i for i, extent in enumerate(before) if extent == 1 and dim in (None, i, i - len(before))]
        self._array = self._array.squeeze(tuple(axes))
        if self._layout:
            self._layout = "".join(letter for i, letter in enumerate(self._layout) if i not in axes)
        return self._array.shape != before

    def source_info(self) -> str:
        """Where the sample came from (a path relative to the reader's root), or an empty string."""
        return self._source

    def get_property(self, key: str) -> Any:
        """``"layout"`` or ``"source_info"``; ``None`` where the sample has none, and for other keys."""
        return {"layout": self._layout, "source_info": self._source}.get(key) or None


def batch_layout(layout: str, ndim: int) -> str | None:
    """The layout of a batch as one tensor; that of numbers is ``"N"``, too."""
    return f"N{layout}" if len(layout) == ndim else None


class TensorListBase:
    """A batch: arrays of numpy or CuPy of one type and number of axes, with a layout and their sources."""

    _samples: Sequence[Any]
    _sources: Sequence[str]
    _dtype: DALIDataType
    _layout: str

    def _assign(
        self, samples: Sequence[Any], layout: str | None, sources: Sequence[str], dtype: DALIDataType | None = None
    ) -> None:
        if type(samples) is Packed and dtype is not None and len(samples):  # no array is made to look at
            self._samples, self._sources = samples, sources if len(sources) else ("",) * len(samples)
            self._dtype, self._layout = dtype, _checked_layout(layout, samples.shapes.shape[1])
            return
        first = samples[0] if samples else None
        kind, ndim = (None, 0) if first is None else (first.dtype, first.ndim)
        for index, sample in enumerate(() if isinstance(samples, Dense | Packed) else samples):
            if (sample.dtype is not kind and sample.dtype != kind) or sample.ndim != ndim:
                assert first is not None
                raise TypeError(
                    f"sample {index} has dtype {sample.dtype} and {sample.ndim} axes, sample 0 has {first.dtype} and "
                    f"{first.ndim}; all samples of a batch need the same."
                )
        self._samples, self._sources = samples, sources if len(sources) else ("",) * len(samples)
        self._dtype = dtype or (from_numpy(first.dtype) if first is not None else DALIDataType.NO_TYPE)
        self._layout = "" if first is None else _checked_layout(layout, int(first.ndim))

    def __len__(self) -> int:
        return len(self._samples)

    def _position(self, index: int) -> int:
        position = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= position < len(self):
            raise IndexError(f"sample {index} does not exist; the batch has {len(self)} samples (0 to {len(self) - 1})")
        return position

    def shape(self) -> list[tuple[int, ...]]:
        """Shapes of all samples."""
        return [tuple(sample.shape) for sample in self._samples]

    def ndim(self) -> int:
        """Number of axes of a sample."""
        return int(self._samples[0].ndim) if self._samples else 0

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return self._dtype

    def layout(self) -> str:
        """Layout of a sample."""
        return self._layout

    def set_layout(self, layout: str | None) -> None:
        """Name the axes of a sample."""
        self._layout = _checked_layout(layout, self.ndim())

    def is_dense_tensor(self) -> bool:
        """Whether all samples have one shape, so that the batch can be an array."""
        return all(sample.shape == self._samples[0].shape for sample in self._samples)

    def _check_dense(self) -> None:
        """Raises RuntimeError if the samples differ in shape."""
        if not self.is_dense_tensor():
            first = self._samples[0].shape
            different = next(s.shape for s in self._samples if s.shape != first)
            raise RuntimeError(
                f"the batch is not one array: its samples differ in shape ({first} and {different}). "
                "Crop, resize or pad them to one shape, or read them one by one with at(i)."
            )

    def reinterpret(self, new_type: DALIDataType) -> None:
        """Read the same bytes as another element type of the same size."""
        self._samples = [_reinterpreted(sample, new_type) for sample in self._samples]
        self._dtype = new_type

    def reset(self) -> None:
        """Drop the samples."""
        self._samples, self._sources = [], []


def _checked_layout(layout: str | None, ndim: int) -> str:
    if layout and len(layout) != ndim:
        raise ValueError(f"layout {layout!r} names {len(layout)} axes; the data has {ndim}. Give one letter per axis.")
    return layout or ""


def _reinterpreted(array: Any, new_type: DALIDataType) -> Any:
    target = to_numpy(new_type)
    if target.itemsize != array.dtype.itemsize:
        raise TypeError(f"{array.dtype} has {array.dtype.itemsize} bytes per element, {target} has {target.itemsize}")
    return array.view(target)

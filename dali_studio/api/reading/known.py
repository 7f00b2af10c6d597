"""What names in a program's source stand for, as far as that is known without running it."""

from __future__ import annotations

import math
import operator
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import PurePosixPath
from string import Formatter
from typing import Any, cast

import numpy as np

from dali_studio import math as elementwise
from dali_studio import tfrecord, types
from dali_studio.api.constants import ScalarConstant
from dali_studio.api.default import default_registry
from dali_studio.api.functions import by_place, function_for
from dali_studio.api.indexing import newaxis
from dali_studio.api.reading.options import SETTINGS, Parser, parser, settings
from dali_studio.api.tracing import DataNode
from dali_studio.core.wording import shortened

#: Items of lists, characters of texts and bits of numbers that a source may ask for.
MAX_ITEMS = 10_000
#: What texts are put together from.
WRITABLE = str | int | float | bool | PurePosixPath
#: Where dali_studio's names and those of nvidia.dali begin; both are called the same behind it.
ROOT = "dali"
_PACKAGES = ("nvidia.dali", "dali_studio")
#: The width of a field that is not formatted.
_WIDE = re.compile(r"\d{4}")
#: Automatic augmentations, and how many of them a source may ask for at once.
_LIBRARY, _MAX_REPEATED = "dali_studio.auto_aug", 100
_LIBRARY_MODULES = ("auto_augment", "rand_augment", "trivial_augment", "augmentations", "core")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that the source does not tell.

    Attributes
    ----------
    text : str
        The expression.
    near : str or None
        Of a name that nothing is called by, that which is most like it; empty if none is.
    """

    text: str
    near: str | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """A dotted name below an import, such as ``dali.fn.readers``."""

    path: str


@dataclass(frozen=True, slots=True)
class Function:
    """An operator of ``fn``, which the registry knows or does not."""

    name: str

    @property
    def known(self) -> bool:
        """Whether it can be called here."""
        return default_registry().is_function(self.name)

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        return function_for(default_registry().schema(self.name))(*inputs, **arguments)

    def by_place(self, positional: Sequence[Any]) -> dict[str, Any]:
        """The arguments that a call without inputs may give without their names; none of what it does not take."""
        try:
            return by_place(default_registry().schema(self.name), positional)
        except TypeError:
            return {}


@dataclass(frozen=True, slots=True)
class FunctionClass:
    """A class of ``ops``: a call of it keeps arguments."""

    function: Function


@dataclass(frozen=True, slots=True)
class FunctionObject:
    """An object of a class of ``ops``: a call of it is a call of the function."""

    function: Function
    arguments: Mapping[str, Any]


def imported(path: str) -> Any:
    """What an import of `path` gives."""
    for package in _PACKAGES:
        if path == package or path.startswith(f"{package}."):
            return value_of(ROOT + path.removeprefix(package))
    return value_of(path)


def value_of(path: str) -> Any:
    """The value under a dotted name, or the name itself where it has none (yet)."""
    if path in _VALUES:
        return _VALUES[path]
    package, _, rest = path.partition(".")
    group, _, name = rest.partition(".")
    if package == ROOT and name:
        if group == "fn":
            name = default_registry().former().get(name, name)
            return Function(name) if default_registry().is_function(name) or not _is_group(name) else Imported(path)
        if group == "ops":
            found = _by_class().get(OLD_CLASSES.get(name, name))
            return FunctionClass(Function(found)) if found else Imported(path)
        if group == "types" and not name.startswith("_") and name in dir(types):
            return getattr(types, name)
        if group == "auto_aug":
            return _library_value(name, path)
        if group == "tfrecord" and name in tfrecord.__all__:
            return getattr(tfrecord, name)
        if group == "math" and not name.startswith("_") and callable(getattr(elementwise, name, None)):
            return getattr(elementwise, name)
    return Imported(path)


def _library_value(name: str, path: str) -> Any:
    """A function, an augmentation or a class of `auto_aug`."""
    module, _, attribute = name.partition(".")
    if module not in _LIBRARY_MODULES or not attribute or attribute.startswith("_"):
        return Imported(path)
    # by name: the package is written with what this layer gives, and most programs do not need it
    value = getattr(import_module(f"{_LIBRARY}.{module}"), attribute, None)
    return value if is_library(value) else Imported(path)


def is_library(value: Any) -> bool:
    """Whether a value is of `auto_aug`, whose functions append operators as a program does."""
    return callable(value) and (getattr(value, "__module__", None) or "").startswith(f"{_LIBRARY}.")


def is_large(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether a function of `auto_aug` would append more than is read."""
    counts = [one for one in (*arguments, keywords.get("n")) if isinstance(one, int)]
    rest = [one for name, one in keywords.items() if name != "seed" and isinstance(one, int)]
    return any(one > _MAX_REPEATED for one in counts) or any(one > MAX_ITEMS for one in rest)


def _is_group(name: str) -> bool:
    names = (*default_registry().functions(), *default_registry().former(), "plugin.")
    return any(one.startswith(f"{name}.") for one in names)


#: Classes of `ops` that nvidia.dali had once, and what they are called today.
OLD_CLASSES = {
    f"{old}{window}": f"decoders.Image{window}"
    for old in ("HostDecoder", "nvJPEGDecoder") for window in ("", "Crop", "Slice", "RandomCrop")
}  # fmt: skip


def _by_class() -> dict[str, str]:
    registry = default_registry()
    today = {registry.schema(name).class_name: name for name in registry.functions()}
    return today | {registry.schema(name).called(old).class_name: name for old, name in registry.former().items()}


# ------------------------------------------------------------------------------------------- what may be called by name


def _range(*bounds: int) -> range:
    return _bounded(range(*bounds))


def _enumerate(items: Sequence[Any], start: int = 0) -> list[tuple[int, Any]]:
    return list(enumerate(items, start))


def _reversed(items: Sequence[Any]) -> list[Any]:
    return list(reversed(items))


def _zip(*items: Sequence[Any]) -> list[tuple[Any, ...]]:
    return list(zip(*items, strict=False))


def _bounded(items: Any) -> Any:
    if len(items) > MAX_ITEMS:
        raise ValueError(f"more than {MAX_ITEMS} items")
    return items


def _set(items: Sequence[Any] = ()) -> list[Any]:
    return list(dict.fromkeys(items))


def _copied(value: Any) -> Any:
    if isinstance(value, list | tuple):
        items = [*map(_copied, cast("Sequence[Any]", value))]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in cast("dict[Any, Any]", value).items()}
    return value


def _isinstance(value: Any, kinds: Any) -> bool:
    return isinstance(value, kinds)


def _array(value: Any, dtype: Any = None) -> Any:
    return np.asarray(_bounded(cast(Any, value)) if isinstance(value, list | tuple) else value, dtype)


def _linspace(start: Any, stop: Any, num: int = 50, dtype: Any = None) -> Any:
    return cast(Any, np.linspace)(start, stop, len(_range(num)), dtype=dtype)


def _arange(*bounds: Any, dtype: Any = None) -> Any:
    first, last, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    _range(math.ceil((last - first) / step))
    return np.arange(first, last, step, dtype=dtype)


def _eye(count: int, dtype: Any = np.float64) -> Any:
    return np.eye(len(_range(count)), dtype=dtype)


def _filled(value: int) -> Callable[..., Any]:
    def make(shape: Any, dtype: Any = np.float64) -> Any:
        if math.prod(np.atleast_1d(shape).tolist()) > MAX_ITEMS:
            raise ValueError("a large array")
        return np.full(shape, value, dtype)

    return make


def _window(make: Callable[[int], Any]) -> Callable[[int], Any]:
    return lambda count: make(len(_range(count)))


#: Names whose values are plain, and functions that take and give plain values and keep nothing.
_VALUES: dict[str, Any] = {
    **{f"numpy.{name}": getattr(np, name) for name in (
        "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "bool_", "pi", "e", "inf", "nan", "deg2rad", "rad2deg", "radians", "degrees", "sqrt", "log", "exp", "sin",
        "cos", "round", "floor", "ceil", "abs", "clip", "minimum", "maximum", "power", "mean", "sum", "prod",
        "concatenate", "stack", "matmul", "dot", "diag", "finfo", "iinfo", "newaxis", "dtype", "expand_dims", "squeeze",
        "reshape", "transpose", "cumsum", "sort", "argsort", "max", "min", "std", "all", "any", "where", "flip",
    )},
    **{f"{package}.{name}": _array for package, names in (
        ("numpy", ("array", "asarray", "ascontiguousarray")), ("jax.numpy", ("array", "asarray")),
        ("torch", ("tensor", "as_tensor", "Tensor", "FloatTensor", "from_numpy")),
    ) for name in names},
    "numpy.zeros": _filled(0), "numpy.ones": _filled(1),
    "numpy.linspace": _linspace, "numpy.arange": _arange, "numpy.eye": _eye, "numpy.identity": _eye,
    **{f"numpy.{name}": _window(getattr(np, name)) for name in ("hanning", "hamming", "blackman", "bartlett")},
    **{f"math.{name}": getattr(math, name) for name in (
        "pi", "e", "inf", "nan", "tau", "sqrt", "log", "log2", "log10", "exp", "sin", "cos", "tan", "atan", "atan2",
        "radians", "degrees", "floor", "ceil", "hypot", "fabs", "prod", "trunc", "gcd", "isclose",
    )},
    f"{ROOT}.data_node.DataNode": DataNode, f"{ROOT}.pipeline.DataNode": DataNode,
    f"{ROOT}.newaxis": newaxis, f"{ROOT}.data_node.newaxis": newaxis,
    **dict.fromkeys(SETTINGS, settings),
    "collections.OrderedDict": dict, "argparse.ArgumentParser": parser, "copy.copy": _copied, "copy.deepcopy": _copied,
    **{f"pathlib.{name}": PurePosixPath for name in ("Path", "PurePath", "PosixPath", "PurePosixPath")},
    **{f"os.path.{name}": getattr(posixpath, name) for name in (
        "join", "basename", "dirname", "split", "splitext", "normpath", "expanduser",
    )},
    **dict.fromkeys(("os.path.abspath", "os.path.realpath", "os.fspath"), str), "os.sep": "/", "os.path.sep": "/",
}  # fmt: skip
BUILTINS: dict[str, Any] = {
    "abs": abs, "all": all, "any": any, "bool": bool, "dict": dict, "enumerate": _enumerate, "float": float,
    "int": int, "isinstance": _isinstance, "len": len, "list": list, "max": max, "min": min, "range": _range,
    "reversed": _reversed, "round": round, "sorted": sorted, "str": str, "sum": sum,
    "tuple": tuple, "zip": _zip, "set": _set, "frozenset": _set, "slice": slice, "repr": repr, "divmod": divmod,
}  # fmt: skip
#: Functions that take apart and put together, be it what the source does not tell.
ARRANGING = (dict, list, tuple, _enumerate, _reversed, _zip, _copied, settings, len)
#: Methods that may be called, by the type of what they belong to.
_METHODS: tuple[tuple[Any, frozenset[str]], ...] = (
    (DataNode, frozenset({"gpu", "cpu", "shape", "property", "source_info"})),
    (ScalarConstant, frozenset({
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
        "float64",
    })),
    (list, frozenset({
        "append", "extend", "insert", "pop", "index", "copy", "reverse", "remove", "sort", "clear", "count",
    })),
    (dict, frozenset({"get", "items", "keys", "values", "update", "pop", "copy", "setdefault"})),
    (str, frozenset({
        "lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "partition", "rpartition",
        "startswith", "endswith", "removeprefix", "removesuffix", "replace", "join", "title", "capitalize", "isdigit",
        "find", "count",
    })),
    (Enum, frozenset({"name", "value"})),
    (np.finfo | np.iinfo, frozenset({"min", "max", "eps", "tiny", "bits"})),
    (PurePosixPath, frozenset({"joinpath", "as_posix", "with_suffix", "parent", "name", "stem", "suffix"})),
    (tuple, frozenset({"index", "count"})),
    (Parser, frozenset({
        "add_argument", "add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser",
        "set_defaults", "parse_args", "parse_known_args",
    })),
    (np.ndarray | np.generic, frozenset({
        "tolist", "item", "astype", "reshape", "flatten", "copy", "round", "clip", "min", "max", "sum", "mean", "T",
        "shape", "size", "ndim", "dtype", "ravel", "squeeze", "transpose", "numpy", "std", "prod",
    })),
)


def method_of(value: Any, name: str) -> Any:
    """A method of a plain value or of an operator's result that may be called; ``None`` for all others."""
    if isinstance(value, str) and name == "format":
        return partial(_format, value)
    if isinstance(value, PurePosixPath) and name in ("resolve", "absolute", "expanduser"):
        return partial(PurePosixPath, posixpath.expanduser(value) if name == "expanduser" else value)
    if is_library(value) and name == "augmentation":  # an augmentation with other magnitudes
        return getattr(value, name)
    for kind, names in _METHODS:
        if isinstance(value, kind) and name in names:
            return getattr(value, name)
    return None


# -------------------------------------------------------------------------------------------------- operators of Python


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and abs(b) * max(a.bit_length(), 1) > MAX_ITEMS:
        raise ValueError("a large number")
    return a**b


def _shift(a: Any, b: Any) -> Any:
    if isinstance(b, int) and b > MAX_ITEMS:
        raise ValueError("a large number")
    return a << b


def _product(a: Any, b: Any) -> Any:
    for items, count in ((a, b), (b, a)):
        long = isinstance(items, list | tuple | str) and isinstance(count, int)
        if long and len(cast("Sequence[Any]", items)) * count > MAX_ITEMS:
            raise ValueError("many items")
    return a * b


def _remainder(a: Any, b: Any) -> Any:
    if isinstance(a, str) and ("*" in a or _WIDE.search(a)):  # a field of a text may be of any width
        raise ValueError("a wide field")
    return a % b


def _format(text: str, *values: Any, **named: Any) -> str:
    """``str.format``, of whole values and with fields of plain widths."""
    for _, field, form, _ in Formatter().parse(text):
        whole = not field or field.isidentifier() or field.isdecimal()
        if not whole or "{" in (form or "") or _WIDE.search(form or ""):
            raise ValueError("a field of another kind")
    return text.format(*values, **named)


def formatted(value: Any, form: str) -> str:
    """A number or a text as a field of an f-string has it; raises `ValueError` for wide fields."""
    if _WIDE.search(form):
        raise ValueError("a wide field")
    return format(value, form)


#: By the name of the syntax tree's node. Operands are numbers, texts, lists, arrays and operators' results.
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": _product, "Div": operator.truediv, "FloorDiv": operator.floordiv,
    "Mod": _remainder, "Pow": _power, "LShift": _shift, "RShift": operator.rshift, "BitOr": operator.or_,
    "BitXor": operator.xor, "BitAnd": operator.and_, "MatMult": operator.matmul,
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge, "Is": operator.is_, "IsNot": operator.is_not,
    "In": lambda a, b: a in b, "NotIn": lambda a, b: a not in b,
}  # fmt: skip
UNARY: dict[str, Callable[[Any], Any]] = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}


def nodes_in(value: Any) -> Iterator[DataNode]:
    """The operators' results in lists, tuples and dictionaries."""
    if isinstance(value, DataNode):
        yield value
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[Any]", value):
            yield from nodes_in(item)
    elif isinstance(value, dict):
        for item in cast("dict[Any, Any]", value).values():
            yield from nodes_in(item)


def has_unknown(value: Any) -> bool:
    """Whether a part of the value is not told by the source."""
    if isinstance(value, list | tuple):
        return any(map(has_unknown, cast("Sequence[Any]", value)))
    if isinstance(value, dict):
        return any(map(has_unknown, cast("dict[Any, Any]", value).values()))
    if isinstance(value, slice):
        return any(map(has_unknown, cast("tuple[Any, ...]", (value.start, value.stop, value.step))))
    return isinstance(value, Unknown | Imported)


def is_there(value: Any) -> bool:
    """Whether the source tells if a value is ``None``: functions and classes that can be imported are not."""
    return not isinstance(value, Unknown) and not (isinstance(value, Imported) and not value.path.startswith(ROOT))


#: What to do about a function that is known neither here nor in the text.
GIVE_DEF = "Give its def in the text as well, or take the line out."


def unknown_name(path: str) -> str:
    """The words for such a function, without a stop."""
    return f"{shortened(path)} is not known here"


def untold(values: Sequence[Any], text: str) -> str:
    """That the source does not tell values of an expression."""
    return f"The source does not tell {' and '.join(f'`{text_of_value(one)}`' for one in values)} in `{text}`"


def text_of_value(value: Any) -> str:
    """A value in a message, with the expressions of what the source does not tell."""
    if isinstance(value, Unknown):
        return value.text
    if isinstance(value, Imported):
        return value.path
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, list | tuple):
        inside = ", ".join(map(text_of_value, cast("Sequence[Any]", value)))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return f"{{{', '.join(f'{key!r}: {text_of_value(one)}' for key, one in items)}}}"
    return repr(value) if value is None or isinstance(value, WRITABLE) else type(value).__name__


def usual_name(operator_name: str) -> str:
    """What nodes of an operator are called that nothing else names."""
    registry, last = default_registry(), operator_name.rpartition(".")[2]
    return registry.schema(operator_name).node_name if operator_name in registry else last

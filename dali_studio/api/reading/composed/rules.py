"""How transforms of torchvision and albumentations are written as operators: what both packages share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from dali_studio.api.reading.composed.absent import ABSENT
from dali_studio.core.diagnostics import Diagnostic

_INTERPOLATIONS = {
    "nearest": "INTERP_NN", "nearest_exact": "INTERP_NN", "nearest-exact": "INTERP_NN", "bilinear": "INTERP_LINEAR",
    "bicubic": "INTERP_CUBIC", "lanczos": "INTERP_LANCZOS3", "inter_nearest": "INTERP_NN",
    "inter_linear": "INTERP_LINEAR", "inter_cubic": "INTERP_CUBIC", "inter_lanczos4": "INTERP_LANCZOS3",
    "0": "INTERP_NN", "1": "INTERP_LINEAR", "2": "INTERP_CUBIC", "4": "INTERP_LANCZOS3",
}  # fmt: skip
#: Stands for arguments that a source unpacks.
PASSED = "what is passed"
IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
#: Parameters that name something, and those that say nothing of pictures.
_WORDS = ("interpolation", "dtype", "policy", "border_mode", "padding_mode")
_SILENT = {
    "p", "always_apply", "inplace", "antialias", "mask_interpolation", "mask_value", "fill_mask", "mask_fill_value",
    "cval_mask", "bbox_params", "keypoint_params", "additional_targets", "is_check_shapes", "strict", "seed",
}  # fmt: skip
#: What parameters are called today, by what they were called.
_FORMER = {
    "torchvision": {"resample": "interpolation", "fillcolor": "fill"},
    "albumentations": {"value": "fill", "fill_value": "fill", "cval": "fill"},
}
#: PIL's numbers of interpolations.
_OF_PIL = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")


@dataclass(frozen=True, slots=True)
class Unread:
    """What a source does not tell: the text of an expression."""

    text: str


class Word(str):
    """The last word of a name, which may be that of a constant; `text` is all of it."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, word: str, text: str) -> Word:
        """From the word and the text."""
        made = super().__new__(cls, word)
        made.text = text
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """A transform as it was made: parameters by name, and what it holds.

    Attributes
    ----------
    told : frozenset of str
        Parameters that a source gives.
    unread : mapping
        Those whose values it does not tell, and the text there.
    foreign : bool
        It is of neither package.
    line : int
        Where it stands in the source; 0 where it is an object.
    """

    library: str
    name: str
    values: Mapping[str, Any]
    inner: tuple[Transform, ...]
    told: frozenset[str] = frozenset()
    unread: Mapping[str, str] = field(default_factory=dict[str, str])
    foreign: bool = False
    line: int = 0

    def call(self) -> str:
        """How it was made, as a program has it."""
        given = {**{name: repr(value) for name, value in self.values.items() if value is not None}, **self.unread}
        held = [f"[{', '.join(one.call() for one in self.inner)}]"] if self.inner else []
        return f"{self.name}({', '.join([*held, *(f'{name}={value}' for name, value in given.items())])})"


class _Given(Mapping[str, Any]):
    """Values, and which of them were asked for."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values, self.asked = values, set[str]()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def named(transform: Transform, rule: Rule | None) -> Transform:
    """With today's names of parameters, and without values that are not told."""
    library = transform.library
    former = {} if transform.name == "RandomErasing" else _FORMER[library]
    values = {former.get(name, name): value for name, value in transform.values.items()}
    unread = {name: text for name, value in values.items() if (text := _untold(value, name in _WORDS))}
    values = {name: value for name, value in values.items() if name not in unread}
    example = rule.example if rule else dict[str, Any]()
    values |= {name: example[name] for name in unread if name in example}
    values = {**example, **values} if PASSED in unread else values
    if values.get("always_apply") is True:
        values["p"] = 1.0
    given = values.get("interpolation")
    if library == "torchvision" and isinstance(given, int) and 0 <= given < len(_OF_PIL):
        values["interpolation"] = _OF_PIL[given]
    told = frozenset(former.get(name, name) for name in transform.told)
    told = frozenset(name for name in told if values.get(name) is not None and name not in unread)
    return replace(transform, values=values, told=told, unread=unread)


def _untold(value: Any, word: bool) -> str:
    """The text of what is not told in a value; empty if all is."""
    if isinstance(value, Unread) or (isinstance(value, Word) and not word):
        return value.text
    items = [*cast("dict[Any, Any]", value).values()] if isinstance(value, dict) else _items(value)
    return next((text for one in items if one is not value and (text := _untold(one, word))), "")


@dataclass(slots=True)
class State:
    """What is known while a program is written.

    Attributes
    ----------
    found : list of Diagnostic
        What operators do otherwise; of a node that is named by the number of its step.
    steps : int
        How many transforms have been written.
    leave_out : bool
        What has no operator is left out, which a finding with its line says, and not kept as a call that cannot run.
    file : str
        What findings call the source.
    scaled : bool
        Pixels are to be floats from 0 to 1, channels first: done by whoever comes next, or at the end.
    unit : float
        What is 1 then.
    planar : bool
        Channels are first already.
    floats : bool
        Pixels are no levels from 0 to 255 any more.
    windows : bool
        There are several pictures of each sample, windows of one.
    functions : dict
        The lines of transforms of many steps, by the names of the functions that they become.
    draws : set of str
        Variables of numbers that are drawn for arguments.
    """

    found: list[Diagnostic]
    scaled: bool = False
    unit: float = 255.0
    planar: bool = False
    floats: bool = False
    windows: bool = False
    steps: int = 0
    leave_out: bool = False
    file: str = "program"
    functions: dict[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    draws: set[str] = field(default_factory=set[str])

    def note(self, transform: Transform, text: str) -> None:
        """Say what is different."""
        message = f"{transform.library}'s {transform.name}: {text}"
        self.found.append(Diagnostic(code="DS503", message=message, node=str(self.steps), severity="info"))

    def untold(self, transform: Transform, taken: Mapping[str, Any]) -> None:
        """Say which values a source does not tell."""
        for name, text in transform.unread.items():
            if name in _SILENT and name != "p":
                continue
            value = f"{taken[name]} is taken" if name in taken else "the default is taken"
            self.note(transform, f"{name} is {text}, which the source does not tell; {value}.")

    def perhaps(self, p: float, lines: Sequence[str]) -> Iterator[str]:
        """Lines that are done with a probability, for each sample."""
        if p >= 1 or not lines:
            yield from lines if p > 0 else ()
        elif p > 0:
            yield f"if fn.random.coin_flip(probability={number(p)}, dtype=types.BOOL):"
            yield from (f"    {line}" for line in lines)

    def one_of(self, draw: str, choices: Sequence[tuple[float, Sequence[str]]]) -> Iterator[str]:
        """One of several groups of lines for each sample, by a variable from 0 to 1 and the parts of each of them."""
        (part, lines), *others = choices
        lines = lines or ["images = images"]
        if not others:
            yield from lines
            return
        yield f"if {draw} < {number(part)}:"
        yield from (f"    {line}" for line in lines)
        yield "else:"
        (following, more), *rest = others
        yield from (f"    {line}" for line in self.one_of(draw, [(part + following, more), *rest]))

    def unknown(self, transform: Transform, why: str = "has no operator here") -> Iterator[str]:
        """A call that keeps the transform's place."""
        message = f"{transform.library}'s {transform.name} {why}"
        if transform.foreign:
            message = f"{transform.name} is of neither torchvision nor albumentations"
        nearest = ABSENT[transform.library].get(transform.name)
        hint = f"The nearest is {nearest}." if nearest else "Put an operator in its place, or take it out."
        where, line = str(self.steps), f"{self.file}:{transform.line}" if transform.line else ""
        if self.leave_out:  # what stays of a finding in a document is its message
            hint = hint if nearest else "Put an operator in its place."
            message = f"{transform.name} was left out: {message}. {hint}"
            self.found.append(Diagnostic(code="DS503", message=message, node=where, source=line, severity="warning"))
            return
        message += "; its node keeps its place."
        told = Diagnostic(code="DS502", message=message, hint=hint, node=where, source=line, severity="warning")
        self.found.append(told)
        name = "".join(c if c.isidentifier() or c.isdigit() else "_" for c in transform.name)
        yield f"images = {transform.library}.{name}(images)"

    def finished(self) -> Iterator[str]:
        """What is left to be done at the end."""
        if self.scaled:
            yield from normalized(self, [0.0], [1.0])


@dataclass(frozen=True, slots=True)
class Rule:
    """How one transform is written.

    Attributes
    ----------
    parameters : tuple of str
        In the order of its constructor.
    write : callable
        Gives the lines of the program.
    p : float or None
        Probability by default; ``None``: it is always done, or `write` itself asks for it.
    note : str
        What the operator does otherwise, always.
    example : mapping
        Values with which it is offered, where its constructor asks for some or does nothing without.
    """

    parameters: tuple[str, ...]
    write: Callable[[Transform, State], Iterator[str]]
    p: float | None = None
    note: str = ""
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def lines(self, transform: Transform, state: State) -> Iterator[str]:
        """The lines of the program."""
        if self.note:
            state.note(transform, self.note)
        state.untold(transform, self.example)
        given = _Given(transform.values)
        lines = list(self.write(replace(transform, values=given), state))
        way = str(transform.values.get("interpolation", "linear")).lower()
        if "interpolation" in transform.told & given.asked and way not in _INTERPOLATIONS:
            state.note(transform, f"pixels are interpolated linearly; there is no {way}.")
        left = sorted(transform.told - given.asked - _SILENT) if lines else []
        if left:
            state.note(transform, f"{', '.join(left)} {'is' if len(left) == 1 else 'are'} left out.")
        if self.p is None:
            yield from lines
        else:
            yield from state.perhaps(numeric(transform.values.get("p"), self.p), lines)


# ------------------------------------------------------------------------------------------------------------ of values


def numeric(value: Any, default: float) -> float:
    """A number, or the default."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default


def number(value: float) -> str:
    """A number as programs have it: without the noise of binary fractions."""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e9 else repr(float(f"{value:.10g}"))


def _items(value: Any) -> list[Any]:
    """The items of a list or tuple, or the value itself as the only one."""
    return list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple) else [value]


def pair_of(value: Any, default: tuple[float, float]) -> tuple[float, float]:
    """Two numbers of a list, or the default."""
    items = _items(value)
    return (numeric(items[0], default[0]), numeric(items[1], default[1])) if len(items) > 1 else default


def span_around(value: Any, centre: float, default: tuple[float, float]) -> tuple[float, float] | None:
    """A range, or a number around a centre; ``None`` where it has no effect."""
    if value is None or value == 0:
        return None
    if isinstance(value, int | float):
        low = centre - value
        return (max(low, 0.0) if centre else low), centre + value
    return pair_of(value, default)


def size_of(value: Any) -> tuple[int, ...]:
    """One or more whole numbers."""
    return tuple(int(numeric(item, 0)) for item in _items(value)) or (0,)


def square(value: Any) -> str:
    """Height and width."""
    given = size_of(value)
    return listed((given[0], given[-1]))


def listed(values: Sequence[float]) -> str:
    """A list of numbers as programs have it."""
    return f"[{', '.join(map(number, values))}]"


def uniform(span: tuple[float, float]) -> str:
    """A number drawn from a range, for each sample; the number itself where there is but one."""
    return number(span[0]) if span[0] == span[1] else f"fn.random.uniform(range={listed(span)})"


def coin(p: float) -> str:
    """A mirror of each sample with a probability, or of all or none."""
    return number(p) if p in (0, 1) else f"fn.random.coin_flip(probability={number(p)})"


def interpolation_of(transform: Transform, usual: str = "INTERP_LINEAR") -> str:
    """The argument of operators for an interpolation; empty for the linear one."""
    given = transform.values.get("interpolation")
    chosen = _INTERPOLATIONS.get(str(given).lower(), usual)
    return "" if chosen == "INTERP_LINEAR" else f", interp_type=types.{chosen}"


def numbers(value: Any, default: Sequence[float]) -> list[float]:
    """Numbers of a list, or one as a list, or the default."""
    items = _items(value)
    return items if all(isinstance(one, int | float) for one in items) and items else list(default)


def _fills(transform: Transform) -> list[float]:
    value: Any = transform.values.get("fill")
    if isinstance(value, dict):  # of each kind of data
        value = next(iter(cast("dict[Any, Any]", value).values()), 0)
    found = numbers(value, (0.0,))
    return found[:1] if len(set(found)) == 1 else found


def fill_of(transform: Transform, state: State) -> str:
    """The value that new pixels get, of all channels."""
    first, *others = _fills(transform)
    if others:
        state.note(transform, f"what is new gets {number(first)} in all channels.")
    return number(first)


def fills_of(transform: Transform) -> str:
    """The value that new pixels get, or one for each channel."""
    found = _fills(transform)
    return listed(found) if len(found) > 1 else number(found[0])


def normalized(
    state: State, mean: Sequence[float], std: Sequence[float], scale: float | None = None
) -> Iterator[str]:
    """Subtract and divide, with channels first where they are wanted so; `mean` and `std` are of pixels / `scale`."""
    scale = state.unit if scale is None else scale
    layout = ("F" if state.windows else "") + ("CHW" if state.scaled else "HWC")
    state.planar, state.scaled, state.floats = state.planar or state.scaled, False, True
    means, deviations = (listed([v * scale for v in values]) for values in (mean, std))
    state.unit = 1.0  # of what comes next
    yield (
        f'images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="{layout}", '
        f"mean={means}, std={deviations})"
    )

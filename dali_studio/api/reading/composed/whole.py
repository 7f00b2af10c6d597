"""``read_compose``: from a ``Compose`` of torchvision or albumentations, or its source, to the graph of a pipeline."""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec

from dali_studio.api.default import default_registry
from dali_studio.api.reading.composed.albumentations import ALBUMENTATIONS
from dali_studio.api.reading.composed.loader import Loader
from dali_studio.api.reading.composed.rules import Rule, State, Transform, named, numeric
from dali_studio.api.reading.composed.source import HOLDERS, of_others, of_source
from dali_studio.api.reading.composed.torchvision import TORCHVISION
from dali_studio.api.reading.known import usual_name
from dali_studio.api.reading.program import ReadingWarning, read
from dali_studio.codegen.names import Names
from dali_studio.codegen.structure import CONDITIONAL
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.limits import MAX_DOCUMENT_BYTES
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import Rename
from dali_studio.graph.files import read_file
from dali_studio.graph.model import Graph

LIBRARIES: dict[str, Mapping[str, Rule]] = {"torchvision": TORCHVISION, "albumentations": ALBUMENTATIONS}
_IMPORT = "from nvidia.dali import fn, math, pipeline_def, types\n"
#: Where automatic augmentations are, and their modules.
LIBRARY = "nvidia.dali.auto_aug"
_MODULES = ("auto_augment", "rand_augment", "trivial_augment")
_HEAD = """

@pipeline_def(batch_size={batch_size}, num_threads={num_threads}, device_id=None, enable_conditionals=True)
def composed():
    files, labels = fn.readers.file({given}name="reader")
    images = fn.decoders.image(files, {device}name="decode")
"""
#: Arguments that say of what else a `Compose` transforms.
_BESIDE = ("bbox_params", "keypoint_params", "additional_targets")
#: Operators that take images whose channels are first.
_OF_PLANES = {"flip", "resize", "crop", "erase", "random_resized_crop", "crop_mirror_normalize", "cast"}
#: Operators for which it does not matter what pixels mean.
_OF_FLOATS = {*_OF_PLANES, "rotate", "warp_affine", "slice", "transpose", "gaussian_blur", "experimental.filter",
              "experimental.median_blur", "color_space_conversion"} - {"cast"}  # fmt: skip
#: Names that the pipeline's function has for other things.
_VARIABLES = ("composed", "files", "images", "labels", "shape")
#: A transform of more operations is a function.
_FEW = 5
#: Characters of the call of a transform that its function tells.
_LONG = 100
#: An argument for which a number is drawn.
_DRAWN = re.compile(r"\b(\w+)=(fn\.random\.\w+\([^()]*\))(?=[,)])")
#: What the comment before a step begins with.
_STEP = "# step "


def is_compose(value: object) -> bool:
    """Whether a value is a ``Compose`` of torchvision or albumentations, or a list of their transforms."""
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        return bool(items) and all(_library_of(item) for item in items)
    return bool(_library_of(value)) and type(value).__name__ in HOLDERS


def compose_program(
    source: object, found: list[Diagnostic], *, gpu: bool = False, leave_out: bool = False
) -> str:  # fmt: skip
    """The program of a ``Compose``, for nvidia.dali; nothing of a source is run.

    Parameters
    ----------
    source : object
        A ``Compose``, a list of transforms, the text of a program, or the path of its file.
    found : list
        Gets what is different there, and what there is no operator for. The node is the number of the step, with which
        a comment stands before its lines.
    gpu : bool
        Images are decoded onto the GPU, and what follows runs there.
    leave_out : bool
        What has no operator is left out; a finding of the step before it says so, with the line as its source.

    Raises
    ------
    DaliStudioError
        DS302 if the file cannot be read, DS502 if there is no ``Compose`` in it.
    """
    state = State(found, leave_out=leave_out)
    if isinstance(source, str | Path):
        state.file = Path(source).name if _is_path(source) else state.file
        one, told, loader = _of_source(source)
        transforms = [one]
    else:
        transforms, told, loader = [*_of_object(source)], list[str](), Loader()
    lines = list(_lines(transforms, state))
    found[:0] = [Diagnostic(code="DS503", message=f"{one}.", node="1", severity="info") for one in dict.fromkeys(told)]
    found += [Diagnostic(code="DS503", message=f"{one}.", node="reader", severity="info") for one in loader.told]
    if last := list(state.finished()):
        lines += [f"{_STEP}{state.steps + 1}: what ToTensor does", *last]
    written = "".join(f"    {line}\n" for line in lines)
    functions = ""
    for name, inner in reversed(state.functions.items()):  # of which some are called by later ones, and some by none
        if f" {name}(images)\n" in functions + written:
            functions = "\n    ".join((f"\n\ndef {name}(images):", *inner, "return images\n")) + functions
    used = [one for one in _MODULES if f" {one}." in functions + written]
    imported = f"from {LIBRARY} import {', '.join(used)}\n" if used else ""
    options = {"batch_size": 8, "num_threads": 2, **loader.options}
    given = "".join(f"{name}={value!r}, " for name, value in loader.arguments.items() if value is not False)
    head = _HEAD.format(device='device="mixed", ' if gpu else "", given=given, **options)
    return _IMPORT + imported + functions + head + written + "    return images, labels\n"


def read_compose(
    source: object, *, found: list[Diagnostic] | None = None, gpu: bool = False, leave_out: bool = False
) -> Graph:  # fmt: skip
    """Read a ``Compose`` of torchvision (v1 and v2) or albumentations as a pipeline that reads and decodes images.

    What has no operator becomes a node that keeps its place and cannot run (DS502), unless it may be left out. What an
    operator does otherwise than the transform, such as the rounding of sizes, is a finding about its node (DS503).

    Parameters
    ----------
    source : object
        A ``Compose``, a list of transforms, the text of a program with one, or the path of its file. Nothing of a text
        is run; neither package need be installed for it.
    found : list, optional
        Gets the findings, which are Python warnings otherwise.
    gpu : bool
        Images are decoded onto the GPU, and what follows runs there.
    leave_out : bool
        What has no operator is left out, which is a finding about the node before it (DS503); its `source` has the
        line.

    Returns
    -------
    Graph

    Raises
    ------
    DaliStudioError
        DS302 if the file cannot be read, DS502 if there is no ``Compose`` in it.
    """
    findings: list[Diagnostic] = []
    program = compose_program(source, findings, gpu=gpu, leave_out=leave_out)
    graph = _called_by_operator(read(program, found=[]))
    nodes = _nodes_of_steps(program, graph)
    first = next(iter(nodes.values()), "decode")

    def place(one: Diagnostic) -> str:
        if leave_out and one.code == "DS503" and one.source:  # what was left out
            before = [key for step, key in nodes.items() if int(step) < int(one.node) and key]
            return before[-1] if before else "decode"
        return one.node if one.node == "reader" else nodes.get(one.node) or first

    findings = [msgspec.structs.replace(one, node=place(one)) for one in findings]
    if found is not None:
        found += findings
    else:
        for one in findings:
            warnings.warn(f"{one.message} {one.hint}", ReadingWarning, stacklevel=2)
    return graph


def read_what_can_be(source: str, found: list[Diagnostic], *, gpu: bool = False) -> Graph:
    """A ``Compose`` without what has no operator, which `found` tells; refused (DS502) where nothing else is in it."""
    graph = read_compose(source, found=found, gpu=gpu, leave_out=True)
    left = [one for one in found if one.code == "DS503" and one.source]
    if left and graph.outputs[0].node == "decode":
        kept = list[Diagnostic]()
        read_compose(source, found=kept)
        plain = (one for one in kept if one.code == "DS502")
        raise DaliStudioError(
            msgspec.structs.replace(one, message=one.message.replace("; its node keeps its place", ""), node="",
                                    severity="error") for one in plain
        )  # fmt: skip
    return graph


def loader_of(source: str) -> Loader:
    """What the text of a program with a ``Compose`` says of its data."""
    return _of_source(source)[2]


def function_name(transform: str) -> str:
    """What a transform is called as a function."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", transform.rpartition(".")[2]).lower()


def random_transforms() -> dict[str, tuple[str, ...]]:
    """The lines of each transform that draws numbers, by package and class, with the values that it is offered with."""
    written = {f"{library}.{name}": lines for library in LIBRARIES for name, lines in offered_lines(library).items()}
    return {name: lines for name, lines in written.items() if any(re.search("random|augment", one) for one in lines)}


def differing_from(name: str) -> list[Diagnostic]:
    """What operators do otherwise than a transform, by package and class, with the values that it is offered with."""
    library, _, kind = name.partition(".")
    found: list[Diagnostic] = []
    if rule := LIBRARIES.get(library, {}).get(kind):
        list(rule.lines(Transform(library=library, name=kind, values=rule.example, inner=()), State(found)))
    return found


def offered_lines(library: str) -> dict[str, tuple[str, ...]]:
    """The lines of each transform of a package that has a rule, with the values that it is offered with."""
    return {
        name: tuple(rule.lines(Transform(library=library, name=name, values=rule.example, inner=()), State([])))
        for name, rule in LIBRARIES[library].items()
    }  # fmt: skip


def _called_by_operator(graph: Graph) -> Graph:
    """The graph without names of the program's variables."""
    registry, names = default_registry(), Names()
    for key in graph:
        names.unused(key)
    edits: list[Rename] = []
    for node in graph.nodes():
        if re.fullmatch(r"images|result|[A-Z]\w*", node.key):
            new = names.unused(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", usual_name(node.operator)).lower())
            edits.append(Rename(key=node.key, new_key=new))
    return apply(graph, edits, registry)[0]


def _lines(transforms: Iterable[Transform], state: State) -> Iterator[str]:
    for transform in transforms:
        if transform.name in HOLDERS:
            state.untold(transform, {})
            if left := [one for one in _BESIDE if one in transform.told or one in transform.unread]:
                state.note(transform, f"{', '.join(left)} are left out; pictures alone are read and transformed.")
        if transform.name in ("Compose", "ReplayCompose", "Sequential", "RandomApply"):
            yield from _all_of(transform, state)
        elif transform.name in ("OneOf", "RandomChoice") and transform.inner:
            yield from _typed(transform, state)
            yield from _gathered(_held(transform, state), transform, [*_one_of(transform, state)], state)
        elif transform.name == "RandomOrder" and transform.library == "torchvision":
            state.note(transform, "its transforms follow each other in their order.")
            yield from _lines(transform.inner, state)
        elif transform.name in ("SomeOf", "RandomOrder") and transform.inner:
            yield from _typed(transform, state)
            lines = list(_some_of(transform, state))
            some = any("images = " in line for line in lines)  # else all of them were left out
            lines = [*state.perhaps(numeric(transform.values.get("p"), 1.0), lines if some else ())]
            yield from _gathered(_held(transform, state), transform, lines, state)
        else:
            rule = None if transform.foreign else LIBRARIES[transform.library].get(transform.name)
            state.steps += 1
            lines = list(state.unknown(transform) if rule is None else _of_rule(rule, transform, state))
            lines = [*_draws_named(lines, state.draws)]
            lines[:0] = [f"{_STEP}{state.steps}: {transform.name}"] if lines else []
            yield from _gathered(transform.name, transform, lines, state)


def _held(transform: Transform, state: State) -> str:
    """What the only transform is called that another one holds, if that is no function; else what this is called."""
    names = [one.name for one in transform.inner if function_name(one.name) not in state.functions]
    return names[0] if len(names) == len(transform.inner) == 1 else transform.name


def _gathered(name: str, transform: Transform, lines: list[str], state: State) -> Iterator[str]:
    """Lines as they are, or as the call of a function if they would be many cards."""
    made = (ast.Call, ast.BinOp, ast.Subscript, ast.If)
    count = sum(isinstance(one, made) for one in ast.walk(ast.parse("\n".join(lines))))
    if count <= _FEW and not any(f" {one}(images)" in line for one in state.functions for line in lines):
        yield from lines
        return
    names = Names()
    for taken in (*_VARIABLES, *_MODULES, *state.functions):
        names.unused(taken)
    function = names.unused(function_name(name))
    told = re.sub(r'[\\"\s]+', " ", transform.call())
    state.functions[function] = [f'"""{told if len(told) < _LONG else f"{told[:_LONG]}..."}"""', *lines]
    yield f"images = {function}(images)"


def _of_rule(rule: Rule, transform: Transform, state: State) -> list[str]:
    """A rule's lines, for pixels whose channels are first, or that are floats, after what normalised them."""
    planar, floats, windows = state.planar, state.floats, state.windows
    before, said = replace(state), len(state.found)
    lines = list(rule.lines(transform, state))
    text = "\n".join(lines)
    used = set(re.findall(r"images = (?:fn\.)?([\w.]+)\(", text))
    if floats and (used - _OF_FLOATS or re.search(r"= images [&*+-]", text)):
        why = "is for levels from 0 to 255 here, and pixels are normalized by then"
    elif windows and lines and used - {"crop_mirror_normalize"}:
        why = "is for single pictures here, and there are several windows by then"
    else:
        why = ""
    if why:  # nothing of it is done
        del state.found[said:]
        state.scaled, state.unit, state.planar, state.floats, state.windows = (
            before.scaled, before.unit, planar, floats, windows,
        )  # fmt: skip
        return list(state.unknown(transform, why))
    if planar and (used - _OF_PLANES or "images.shape()" in text):
        to, back = (f'images = fn.transpose(images, perm={perm}, output_layout="{layout}")'
                    for perm, layout in (([1, 2, 0], "HWC"), ([2, 0, 1], "CHW")))  # fmt: skip
        return [to, *lines, back]
    return lines


def _draws_named(lines: Sequence[str], taken: set[str]) -> Iterator[str]:
    """Lines in which numbers that are drawn for an argument are called as it is, before the step that takes them."""
    text = "\n".join(lines)
    for line in lines:
        call = line
        for name, draw in _DRAWN.findall(line):
            if len(re.findall(rf"\b{name}\b", text)) > 1:  # something else is called so
                continue
            numbered = (f"{name}_{i}" for i in itertools.count(2))
            own = next(one for one in itertools.chain([name], numbered) if one not in taken)
            taken.add(own)
            yield f"{line[: len(line) - len(line.lstrip())]}{own} = {draw}"
            call = call.replace(f"{name}={draw}", f"{name}={own}")
        yield call


def _some_of(transform: Transform, state: State) -> Iterator[str]:
    """Some of several, each set of them as probable as another, in their order."""
    if transform.name == "RandomOrder":
        state.note(transform, "its transforms follow each other in their order.")
    if transform.values.get("replace") is True:
        state.note(transform, "none is done twice.")
    if any(numeric(one.values.get("p"), 0.5) < 1 for one in transform.inner):
        state.note(transform, "each that is chosen is done with its own p, as albumentations 2 does.")
    count = len(transform.inner)
    left = min(max(int(numeric(transform.values.get("n"), 1)), 0), count)
    name = f"left_{state.steps + 1}"
    if left < count:
        yield f"{name} = {left}.0"
    for at, one in enumerate(transform.inner):
        lines = list(_lines([one], state))
        if left == count:
            yield from lines
            continue
        yield f"taken = fn.random.coin_flip(probability={name} / {count - at}.0)"
        yield f"{name} = {name} - taken"
        if lines:
            yield "if taken > 0:"
            yield from (f"    {line}" for line in lines)


def _all_of(transform: Transform, state: State) -> Iterator[str]:
    """All, one after the other; for `RandomApply` and in albumentations with a probability for all of them."""
    rare = transform.name == "RandomApply" or (transform.library, transform.name) == ("albumentations", "Sequential")
    p = numeric(transform.values.get("p"), 0.5 if rare else 1.0)
    yield from _typed(transform, state) if 0 < p < 1 else ()
    before = state.scaled, state.planar, state.floats, state.windows
    lines = list(_lines(transform.inner, state))
    if 0 < p < 1 and before != (state.scaled, state.planar, state.floats, state.windows):
        state.note(transform, f"it is done always, and not with a probability of {p:g}, since it changes the type.")
        p = 1.0
    lines = [*state.perhaps(p, lines)]
    if p < 1 and "Compose" not in transform.name:  # which is the pipeline itself
        lines = [*_gathered(_held(transform, state), transform, lines, state)]
    yield from lines


def _typed(transform: Transform, state: State) -> Iterator[str]:
    """What `ToTensor` before it does, where a transform may make floats of some samples: so that all become floats."""
    after = State([])
    list(_lines(transform.inner, after))
    if after.scaled or after.floats:
        yield from state.finished()


def _one_of(transform: Transform, state: State) -> Iterator[str]:
    """One of several: in albumentations by their own probabilities, and with one for all of them."""
    alone = transform.library == "albumentations"
    given = transform.values.get("p")
    parts = [numeric(one.values.get("p"), 0.5) if alone else 1.0 for one in transform.inner]
    if not alone and isinstance(given, list):
        parts = [numeric(one, 1.0) for one in cast("list[object]", given)][: len(parts)]
    whole = sum(parts) or 1.0
    done = [replace(one, values={**one.values, "p": 1.0} if alone else one.values) for one in transform.inner]
    said = len(state.found)
    lines = [list(_lines([one], state)) for one in done]
    if state.leave_out and any(one.source for one in state.found[said:]):
        if not any(lines):
            return
        state.note(transform, "where it chooses what was left out, pictures stay as they are.")
    draw = f"choice_{state.steps}"
    made = [f"{draw} = fn.random.uniform(range=[0, 1])"]
    made += state.one_of(draw, [(part / whole, one) for part, one in zip(parts, lines, strict=True)])
    yield from state.perhaps(numeric(given, 0.5) if alone else 1.0, made)


def _nodes_of_steps(program: str, graph: Graph) -> dict[str, str]:
    """The last node of each step, by the number that its comment has."""
    made = {node.origin: node.key for node in graph.nodes() if node.operator not in CONDITIONAL}
    found, step = dict[str, str](), ""
    for number, line in enumerate(map(str.strip, program.splitlines()), 1):
        if line.startswith("def ") or re.fullmatch(r"images = \w+\(images\)", line):  # of other steps
            step = ""
        elif line.startswith(_STEP):
            step = line.removeprefix(_STEP).partition(":")[0]
        elif line.startswith("images = ") and step:
            found[step] = made.get(f"program:{number}") or found.get(step, "")  # none is made by `images = images`
    return dict(sorted(found.items(), key=lambda item: int(item[0])))


# ------------------------------------------------------------------------------------------------------------- objects


def _library_of(value: object) -> str:
    for kind in type(value).__mro__:
        root = kind.__module__.partition(".")[0]
        if root in LIBRARIES:
            return root
    return ""


def _of_object(value: object) -> Iterator[Transform]:
    if isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _of_object(item)
        return
    library, name = _library_of(value), type(value).__name__
    if not library:
        raise _no_compose(f"{name} is no Compose of torchvision or albumentations.")
    inner = getattr(value, "transforms", None) if name in HOLDERS else None
    values = _init_arguments(value)
    children = tuple(_of_object(list(inner))) if inner is not None else ()
    made = Transform(library=library, name=name, values=values, inner=children)
    yield named(made, LIBRARIES[library].get(name))


def _init_arguments(value: Any) -> dict[str, Any]:
    """What a transform was made with: albumentations tells it, torchvision keeps it in attributes."""
    told = getattr(value, "get_transform_init_args", None)
    if callable(told):
        return {**cast("dict[str, Any]", told()), "p": getattr(value, "p", 1.0)}
    attributes = cast("dict[str, Any]", vars(value))
    return {name: _plain(found) for name, found in attributes.items() if not name.startswith("_")}


def _plain(value: Any) -> Any:
    """Members of enumerations by their values; tensors as lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.value if type(value).__name__ in ("InterpolationMode", "AutoAugmentPolicy") else value


# -------------------------------------------------------------------------------------------------------------- source


def _of_source(source: str | Path) -> tuple[Transform, list[str], Loader]:
    text = _text(source) if _is_path(source) else source
    try:
        tree = ast.parse(str(text))
        found = of_source(tree, LIBRARIES)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _no_compose(f"The source has a syntax error: {error}.") from None
    if found is None:
        raise _no_compose(f"The source has no Compose of torchvision or albumentations.{of_others(tree)}")
    return found


def _is_path(source: str | Path) -> bool:
    return isinstance(source, Path) or ("\n" not in source and "(" not in source)


def _text(path: str | Path) -> str:
    try:
        return read_file(path, MAX_DOCUMENT_BYTES).decode()
    except OSError as error:
        message = f"{path} could not be read: {error.strerror or error}."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint="Give the path of a .py file.")) from error
    except UnicodeDecodeError as error:
        raise _no_compose(f"{path} is no text in UTF-8.") from error


def _no_compose(message: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS502", message=message, hint="Give a Compose, or a program with one."))

"""What the conformance tests run: every case of every registered operator, under both import prefixes."""

from __future__ import annotations

import functools
import importlib
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from chosen import OPERATORS
from declared import Declared, declared
from peers import OURS, THEIRS, Output, collect

from dali_studio import Pipeline
from dali_studio.api.default import default_registry
from dali_studio.api.tracing import trace_operator
from dali_studio.codegen.dialects import find
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.core.dtypes import ENUMERATIONS, NUMERIC
from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.validate import validate
from dali_studio.schema.model import OperatorSchema
from dali_studio.schema.samples import NOT_ALONE, Array, Case, Data, Folder
from dali_studio.schema.tolerance import ComparedOn
from dali_studio.schema.traits import PerSample
from dali_studio.schema.values import ENUMS

REGISTRY = default_registry()
#: Samples of a batch for operators without inputs.
BATCH = 4


@dataclass(frozen=True, eq=False)
class Subject:
    """One case of one operator."""

    operator: str
    case: Case
    #: Among the cases whose inputs and arguments read alike.
    number: int = 1

    def __str__(self) -> str:
        return f"{self.operator}: {self.case.name()}{f' #{self.number}' if self.number > 1 else ''}"

    @property
    def schema(self) -> OperatorSchema:
        """The operator's description."""
        return REGISTRY.schema(self.operator)

    @functools.cached_property
    def refusal(self) -> Diagnostic | None:
        """Why validation refuses the case where types of the inputs are declared; ``None`` if it does not."""
        found = errors(validate(pipeline(self).graph, REGISTRY).diagnostics)
        return found[0] if found else None

    @property
    def peer(self) -> bool:
        """Whether nvidia.dali computes the case, too."""
        return self.case.peer and not self.lacking

    @property
    def lacking(self) -> str:
        """Why nvidia.dali lacks the operator, if it does; expressions and indices have no function."""
        return "" if self.schema.role in ("arithmetic", "subscript") else find(THEIRS).lacks_operator(self.operator, self.schema)[0]

    def tolerance(self, on: ComparedOn = "cpu") -> Declared:
        """How far its results may be."""
        return declared(self.operator, on, **dict(self.case.arguments))

    def has(self, trait: type) -> bool:
        """Whether the operator makes a promise."""
        return REGISTRY.has_trait(self.operator, trait)


def subjects(names: Sequence[str] | None = None) -> Iterator[Subject]:
    """Every case of the operators `names`; of all that can be tried alone."""
    for name in REGISTRY if names is None else names:
        if REGISTRY.schema(name).role not in NOT_ALONE:
            yield from (Subject(name, case) for case in REGISTRY.operator(name).samples())


def function(name: str, prefix: str = OURS) -> Callable[..., Any]:
    """The ``fn`` function of an operator; for expressions and indices, what computes their text."""
    written = {"arithmetic": _computed, "subscript": _indexed}.get(REGISTRY.schema(name).role)
    if written is not None:
        return functools.partial(trace_call, name) if prefix == OURS else functools.partial(written, prefix)
    found: Any = importlib.import_module(f"{prefix}.fn")
    for part in name.split("."):
        found = getattr(found, part)
    return found


def trace_call(operator: str, *inputs: Any, **words: Any) -> Any:
    """A node of an operator that has no function."""
    return trace_operator(operator, inputs, words)


def _computed(prefix: str, *inputs: Any, expression: str, **_: Any) -> Any:
    """What Python makes of an expression; types are functions that make a constant."""
    types = importlib.import_module(f"{prefix}.types")
    kinds = {kind.name: functools.partial(types.Constant, dtype=getattr(types, kind.name)) for kind in NUMERIC}
    return eval(expression, {**vars(importlib.import_module(f"{prefix}.math")), **kinds, **dict(zip("abc", inputs, strict=False))})


def _indexed(_: str, data: Any, *, index: str, name: str, **positions: Any) -> Any:
    """What Python makes of an index; letters are positions."""
    return eval(f"data[{index}]", {"data": data, **positions})


@functools.cache
def samples(data: Data) -> list[Array]:
    """The samples of a batch, made once."""
    return data.samples()


@functools.cache
def path(folder: Folder) -> Path:
    """Where a folder, or the file in it that is meant, lies; it is removed at the end of the process."""
    root = tempfile.TemporaryDirectory(prefix="cases")
    _folders.append(root)
    for name, content in folder.files().items():
        target = Path(root.name, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return Path(root.name, folder.entry)


_folders: list[Any] = []


def pipeline(
    subject: Subject, prefix: str = OURS, device: str = "cpu", *, declared: bool = True, pick: Sequence[int] | None = None,
    dense: bool = False, arguments: dict[str, Any] | None = None, no_copy: bool = False,
    held: Callable[[Data], Any] | None = None, **options: Any,
) -> Any:  # fmt: skip
    """A pipeline of the operator behind external sources.

    Parameters
    ----------
    declared : bool
        Whether the sources say which element type and how many axes they give.
    pick : sequence of int or None
        Which samples of the case's batches to use.
    dense : bool
        Whether sources give one array for the batch; only for samples of one shape.
    arguments : dict or None
        In place of the case's.
    no_copy : bool
        Whether sources of inputs share their memory.
    held : callable or None
        Makes the nodes of inputs, on the device that is meant, in place of sources.
    """
    case = subject.case
    given = dict(case.arguments if arguments is None else arguments)
    batches = [*case.inputs, *(value for value in given.values() if isinstance(value, Data))]
    count = len(pick) if pick is not None else min((len(samples(data)) for data in batches), default=BATCH)
    settings = {"batch_size": count, "num_threads": 2, "seed": 99, "device_id": None if device == "cpu" else 0, **options}
    made = importlib.import_module(prefix).Pipeline(**settings)
    with made:
        if held is None:
            sources = [_source(prefix, f"data_{i}", data, pick, declared, dense, no_copy) for i, data in enumerate(case.inputs)]
        else:
            sources = [held(data) for data in case.inputs]
        if device == "gpu" and held is None:
            sources = [source.gpu() for source in sources]
        elif device == "mixed" or (device != "cpu" and not sources):
            given["device"] = device
        words = {name: _value(prefix, subject.schema, name, value, pick) for name, value in given.items()}
        if device == "gpu" and not sources:
            words["device"] = "gpu"
        result = function(subject.operator, prefix)(*sources, name="node", **words)
        made.set_outputs(*_listed(result))
    return made


def _listed(result: Any) -> Sequence[Any]:
    if isinstance(result, dict):
        return list(result.values())
    return result if isinstance(result, tuple | list) else (result,)


def _source(prefix: str, name: str, data: Data, pick: Sequence[int] | None, declared: bool, dense: bool, no_copy: bool = False) -> Any:
    module, whole = importlib.import_module(prefix), samples(data)
    batch: Any = whole if pick is None else [whole[i] for i in pick]
    if dense:
        batch = np.stack(batch)
    facts: dict[str, Any] = {"layout": data.layout} if data.layout else {}
    if declared:
        facts |= {"dtype": getattr(module.types, data.dtype.name)} | ({} if data.layout else {"ndim": whole[0].ndim})
    if no_copy:
        facts["no_copy"] = True
    if data.dtype in ENUMERATIONS:  # no source gives members
        numbers = module.fn.external_source(source=lambda: batch, name=name)
        return module.fn.cast(numbers, dtype=getattr(module.types, data.dtype.name))
    return module.fn.external_source(source=lambda: batch, name=name, **facts)


def _value(prefix: str, schema: OperatorSchema, name: str, value: Any, pick: Sequence[int] | None) -> Any:
    if isinstance(value, Data):
        return _source(prefix, f"data_{name}", value, pick, True, False)
    if isinstance(value, Folder):
        return str(path(value))
    argument = schema.argument(name)
    if argument is not None and argument.type == "features" and isinstance(value, tuple):
        return {key: feature for text in value for key, feature in _feature(prefix, text).items()}
    if isinstance(value, tuple):
        return [_value(prefix, schema, name, item, pick) for item in value]
    if argument is not None and argument.type in ENUMS and isinstance(value, str):
        return getattr(importlib.import_module(prefix).types, value, value)
    return value


def _feature(prefix: str, text: str) -> dict[str, Any]:
    """What a program writes between the braces of a dictionary of features."""
    return eval(f"{{{text}}}", dict(vars(importlib.import_module(f"{prefix}.tfrecord"))))


def run(made: Any, iterations: int = 1) -> list[Output]:
    """The outputs of some iterations, one after the other."""
    made.build()
    return [output for _ in range(iterations) for output in collect([batch.as_cpu() for batch in made.run()])]


def results(subject: Subject, **options: Any) -> list[Output] | DaliStudioError:
    """The outputs of two iterations, or why there are none."""
    try:
        return run(pipeline(subject, **options), 2)
    except DaliStudioError as error:
        return error


def arrays(batch: TensorListCPU) -> list[Array]:
    """Copies of a batch's samples."""
    return [np.array(batch.at(i)) for i in range(len(batch))]


def assert_same(result: Sequence[Array], expected: Sequence[Array]) -> None:
    """Bit-equal batches."""
    assert len(result) == len(expected)
    for index, (a, b) in enumerate(zip(result, expected, strict=True)):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), index
        assert a.tobytes() == b.tobytes(), index


def assert_equal(results: Sequence[Output], expected: Sequence[Output]) -> None:
    """Bit-equal outputs, with their types and layouts."""
    assert len(results) == len(expected)
    for result, other in zip(results, expected, strict=True):
        assert (result.dtype, result.layout) == (other.dtype, other.layout)
        assert_same(result.samples, other.samples)


def numbered(found: Iterable[Subject]) -> Iterator[Subject]:
    """The same with names of their own."""
    counts = Counter[str]()
    for one in found:
        counts[str(one)] += 1
        yield replace(one, number=counts[str(one)])


#: All cases of the operators that are asked for; those that validation accepts; of these one for each setting of arguments.
SUBJECTS = list(numbered(subjects(OPERATORS or None)))
ACCEPTED = [one for one in SUBJECTS if one.case.refused is None and one.refusal is None]
EXAMPLES = list({(one.operator, repr(dict(one.case.arguments))): one for one in reversed(ACCEPTED)}.values())[::-1]
PER_SAMPLE = [one for one in EXAMPLES if one.has(PerSample)]
__all__ = ["ACCEPTED", "EXAMPLES", "OURS", "PER_SAMPLE", "SUBJECTS", "THEIRS", "Pipeline"]

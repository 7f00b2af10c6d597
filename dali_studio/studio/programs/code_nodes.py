"""Nodes whose function is written in the designer: their texts in documents, their modules, and what they give."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from dali_studio.codegen.names import identifier
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import from_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.core.wording import shortened
from dali_studio.graph.apply import AnyEdit, ReplaceNode, apply
from dali_studio.graph.edits import AddNode, Connect, Disconnect, PortRef, SetArgument
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.objects import MISSING
from dali_studio.graph.written import ForeignFunction, WrittenFunction
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry
from dali_studio.studio.data.files import file_name, write_text
from dali_studio.studio.programs.trust import is_own, signature
from dali_studio.studio.protocol.messages import NodeCode

#: The operator of such nodes, and the argument that holds the function.
OPERATOR, ARGUMENT = "python_function", "function"
#: Its name in the view part of a document.
_FUNCTIONS = "functions"
#: Seconds that the trial of a function may take, in which the kernel does nothing else.
TRIAL = 5.0
#: The function that a new node has: what it gets, until its user writes something.
TEMPLATE = '''import numpy as np


def change(image):
    """An array of each input, of NumPy or on a GPU of CuPy."""
    return image
'''


def shown(node: Node) -> NodeCode | None:
    """The text of a node's function; ``None`` for other operators, and for functions of a notebook."""
    if node.operator != OPERATOR:
        return None
    function = node.objects.get(ARGUMENT, MISSING)
    if isinstance(function, WrittenFunction):
        return NodeCode(source=function.source, module=function.module, signature=signature(function.source))
    if isinstance(function, ForeignFunction):
        said = function.signature if isinstance(function.signature, str) else ""
        return NodeCode(source=function.source, trusted=False, signature=said)
    return NodeCode(source=TEMPLATE) if function is MISSING else None


def in_view(graph: Graph) -> dict[str, Any]:
    """The functions in the view part of a document: signed, since a stranger's must not run."""
    found: dict[str, Any] = {}
    for node in graph.nodes():
        function = node.objects.get(ARGUMENT)
        if isinstance(function, WrittenFunction):
            found[node.key] = {"source": function.source, "signature": signature(function.source)}
        elif isinstance(function, ForeignFunction):
            found[node.key] = {"source": function.source, "signature": function.signature}
    return {_FUNCTIONS: found} if found else {}


def opened(graph: Graph, view: Mapping[str, Any], modules: Modules | None = None) -> Graph:
    """A document's graph with its functions: those that carry this user's signature can run, others are only shown.

    Parameters
    ----------
    modules
        Those of the document that is open; none where nobody asks for the names of modules.
    """
    functions: object = view.get(_FUNCTIONS)
    if not isinstance(functions, dict):
        return graph
    made = graph.copy()
    for key, said in cast("dict[str, object]", functions).items():
        fields: Mapping[str, object] = cast("dict[str, object]", said) if isinstance(said, dict) else {}
        source = fields.get("source")
        node = made.node(key) if key in made else None
        if node is None or node.operator != OPERATOR or not isinstance(source, str):
            continue
        if node.objects.get(ARGUMENT) is MISSING:
            function = _trusted(WrittenFunction(source, key)) if is_own(source, fields.get("signature")) else None
            given = function or ForeignFunction(source, fields.get("signature"))
            made.replace_node(replace(node, objects={**node.objects, ARGUMENT: given}))
    return modules.named(made) if modules else made


def has_function(graph: Graph, found: Diagnostic) -> bool:
    """Whether a finding of a document is about a function that its view part has brought."""
    node = graph.node(found.node) if found.node in graph else None
    return found.code == "DS304" and node is not None and node.objects.get(ARGUMENT, MISSING) is not MISSING


def _trusted(function: WrittenFunction) -> WrittenFunction | None:
    with suppress(DaliStudioError):
        return function if function.name else None
    return None


def written(
    graph: Graph, key: str, source: str, sample: Callable[[PortRef], Batch], modules: Modules
) -> list[AnyEdit]:  # fmt: skip
    """The edits that give a node a function. Its text runs, and the function is tried with the shown sample.

    Parameters
    ----------
    sample
        An output of the shown sample.

    Raises
    ------
    DaliStudioError
        DS502 if the text is no Python, has no function, or fails.
    """
    node = graph.node(key)
    if node.operator != OPERATOR:
        message = f"{key} has no code: it is an operator."
        raise DaliStudioError(Diagnostic(code="DS105", message=message, hint=f"Add a node of fn.{OPERATOR}."))
    function = WrittenFunction(source, key, module_of=modules.names(graph))
    function.load()
    function = replace(function, outputs=_tried(function, graph, node, sample))
    edits: list[AnyEdit] = [ReplaceNode(replace(node, objects={**node.objects, ARGUMENT: function}))]
    if function.outputs:
        layouts = tuple(one.layout or "" for one in function.outputs)
        edits += _set(node, "num_outputs", len(layouts), 1)
        edits += _set(node, "output_layouts", layouts if any(layouts) else None, None)
    return edits


def begun(
    graph: Graph, edits: Sequence[AnyEdit], registry: Registry, sample: Callable[[PortRef], Batch], modules: Modules
) -> list[AnyEdit]:
    """The edits that give code nodes which `edits` add a function: that of another document, or one to begin with.

    A copy has that of its node. A stranger's is shown, and does not run.
    """
    new = [e for e in edits if isinstance(e, AddNode) and e.operator == OPERATOR and e.like not in graph]
    if not new:
        return []
    after, _ = apply(graph, edits, registry)
    made: list[AnyEdit] = []
    for one in new:
        if one.code and not is_own(one.code, one.signature):
            function = ForeignFunction(one.code, one.signature)
            node = after.node(one.key)
            made.append(ReplaceNode(replace(node, objects={**node.objects, ARGUMENT: function})))
        else:
            made += written(after, one.key, one.code or TEMPLATE, sample, modules)
    return made


def _set(node: Node, name: str, value: Value, default: Value) -> list[AnyEdit]:
    changed = node.arguments.get(name, default) != value
    return [SetArgument(key=node.key, argument=name, value=value, unset=value == default)] if changed else []


def _tried(
    function: WrittenFunction, graph: Graph, node: Node, sample: Callable[[PortRef], Batch]
) -> tuple[TensorMeta, ...]:
    """What the function gives for the shown sample; nothing if it cannot be tried, which its preview then tells of."""
    sources = graph.inputs(node.key)
    if node.device != "cpu" or node.arguments.get("batch_processing") or None in sources:
        return ()
    try:
        given = [sample(port) for port in sources if port is not None]
        made = _within(TRIAL, function, [np.asarray(batch.samples[0]) for batch in given])
        results = [np.asarray(one) for one in (cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,))]
        layouts = [batch.layout for batch in given]
        return tuple(
            TensorMeta(from_numpy(one.dtype), one.ndim, next((name for name in layouts if len(name) == one.ndim), ""))
            for one in results
        )
    except Exception:  # noqa: BLE001 - whatever somebody's function raises
        return ()


def _within(seconds: float, function: WrittenFunction, given: Sequence[Any]) -> Any:
    """What the function gives; TimeoutError if that takes longer, as what does not end must not keep the kernel."""
    made: Future[Any] = Future()

    def call() -> None:
        try:
            made.set_result(function(*given))
        except Exception as error:  # noqa: BLE001 - raised where it was called
            made.set_exception(error)

    threading.Thread(target=call, name="dali-studio-trial", daemon=True).start()
    try:
        return made.result(seconds)
    finally:
        function.calls.end()


def end_calls(graph: Graph, after: float = 0.0, *, refuse: bool = False) -> None:
    """End what goes on of the functions that are written in a graph, and still does `after` so many seconds.

    Parameters
    ----------
    refuse
        Those of which something goes on are called no more until their text is run again.
    """
    for node in graph.nodes():
        function = node.objects.get(ARGUMENT)
        if isinstance(function, WrittenFunction):
            function.calls.end(after, refuse=refuse)


@contextmanager
def replacing(graph: Graph, key: str) -> Generator[None]:
    """While a node gets another function: end what goes on of the one that it has, since all images wait for it."""
    function = graph.node(key).objects.get(ARGUMENT) if key in graph else None
    with ExitStack() as failed:
        if isinstance(function, WrittenFunction):
            _leave(function)
            failed.callback(setattr, function.calls, "unused", False)
        yield
        failed.pop_all()


def called(graph: Graph, before: Iterable[WrittenFunction]) -> list[WrittenFunction]:
    """The functions of a graph, which may be called. Of those of another graph before, what goes on ends."""
    now = [one for node in graph.nodes() if isinstance(one := node.objects.get(ARGUMENT), WrittenFunction)]
    for function in before:
        if not any(function is one for one in now):
            _leave(function)
    for function in now:
        function.calls.unused = False  # an undo brings it back
    return now


def _leave(function: WrittenFunction) -> None:
    function.calls.unused = True  # first: a call may be about to begin
    function.calls.end()


def in_place_of(graph: Graph, key: str) -> list[AnyEdit]:
    """The edits that make a code node of one whose operator nobody knows: a function that its user is to write."""
    node = graph.node(key)
    wired = graph.argument_inputs(key)
    count = len(graph.inputs(key)) + len(wired)
    given = ["image"] if count == 1 else [f"input_{i + 1}" for i in range(count)]
    outputs = max(1, graph.outputs_used(key))
    values = ", ".join(f"{name}={shortened(value)}" for name, value in node.arguments.items() if name not in wired)
    source = (
        f"def {identifier(node.operator.rpartition('.')[2])}({', '.join(given)}):\n"
        f"    # in place of {node.operator}({values})\n"
        f"    return {', '.join(given[:1] * outputs) or 'None'}\n"
    )
    arguments: dict[str, Value] = {"num_outputs": outputs} if outputs > 1 else {}
    made = replace(node, operator=OPERATOR, arguments=arguments, objects={ARGUMENT: ForeignFunction(source)})
    edits: list[AnyEdit] = [Disconnect(target=key, argument=name) for name in wired]
    edits.append(ReplaceNode(made))
    first = len(graph.inputs(key))
    return edits + [Connect(source=port, target=key, input=first + i) for i, port in enumerate(wired.values())]


@dataclass(slots=True)
class Modules:
    """The modules beside a document, from which programs import its functions.

    Attributes
    ----------
    file
        The name of the document's file, after which they are called, so that a copy of it has others; empty if it has
        none: then it is the name of the pipeline.
    texts
        What they may hold: anything else is of somebody else, and stays.
    """

    file: str = ""
    texts: set[str] = field(default_factory=set[str])

    def call(self, file: str | Path) -> bool:
        """Take the path of the document's file; whether that is called otherwise than before."""
        before, self.file = self.file, file_name(file)
        return before != self.file

    def names(self, graph: Graph) -> Callable[[str], str]:
        """Gives the name of the module of a node of a graph, as it is when it is asked for."""
        return partial(self._name, graph.options.name)

    def _name(self, pipeline: str, key: str) -> str:
        return identifier(f"{self.file or pipeline}_{key}")

    def named(self, graph: Graph) -> Graph:
        """A graph whose functions are in these modules."""
        made, names = graph.copy(), self.names(graph)
        for node in graph.nodes():
            function = node.objects.get(ARGUMENT)
            if isinstance(function, WrittenFunction):
                objects = {**node.objects, ARGUMENT: replace(function, module_of=names)}
                made.replace_node(replace(node, objects=objects))
        return made

    def know(self, graph: Graph) -> None:
        """Remember the texts of a graph."""
        functions = [node.objects.get(ARGUMENT) for node in graph.nodes()]
        self.texts.update(one.source for one in functions if isinstance(one, WrittenFunction))

    def write(self, graph: Graph, folder: Path) -> None:
        """Write a module for each function of a graph. A file that says the same is not taken for the document's own.

        Raises
        ------
        DaliStudioError
            DS302 if a module cannot be written, or a file of its name holds something else.
        """
        for node in graph.nodes():
            function = node.objects.get(ARGUMENT)
            if isinstance(function, WrittenFunction):
                path = folder / f"{function.module}.py"
                text = function.source.rstrip() + "\n"
                there = path.read_bytes() if path.exists() else None
                if there == text.encode():
                    continue
                if there is not None and there not in {f"{one.rstrip()}\n".encode() for one in self.texts}:
                    message = f"{path} holds something else than the code of {node.key}."
                    hint = "Rename the node and run its code again, or move the file away."
                    raise DaliStudioError(Diagnostic(code="DS302", node=node.key, message=message, hint=hint))
                write_text(path, text)
                self.texts.add(function.source)

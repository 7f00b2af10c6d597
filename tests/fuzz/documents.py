"""Mutated documents: opened, checked, saved, written as programs, and run where that costs little."""

from __future__ import annotations

import ast
import json
import random
import re
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dali_studio import Pipeline
from dali_studio.api.default import default_registry
from dali_studio.api.folders import idle_readers, point_at
from dali_studio.codegen.dialects import DIALECTS
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import DaliStudioError, errors
from dali_studio.graph.document import dumps, loads
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.runtime.closing import prepare
from dali_studio.schema.dali_functions import BRANCHES, FUNCTIONS
from dali_studio.studio.programs.code_nodes import opened
from fuzz import plain_bytes
from fuzz.machine import HERE, Memory
from fuzz.outcome import Outcome, unexpected
from fuzz.randomness import EDGES, FLOATS, TEXTS, of_case
from fuzz.values import value_for

FAMILY = "documents"
BATCH = 16
MEMORY = 100 * 2**20
#: How many of the cases are written as a program, which is slow, and how many run, if they are small enough to.
EMITTED, RUN = 0.15, 0.1
#: Graphs with larger numbers are not run: their results may be as large as they say.
MAX_TO_RUN = 2000
#: How long a thread of a run that was closed may go on, in seconds.
TIMEOUT = 3.0
_LEVELS = "nested levels: "
#: What the function of an emitted program may call, beside the operators.
KNOWN_CALLS = ("pipeline_def", "types.Constant", "pipe.build", "pipe.run")
#: Operators of nvidia.dali's that are not here: documents may name them.
FOREIGN = tuple(sorted(set(FUNCTIONS) - set(default_registry())))

Json = dict[str, Any]
Mutation = Callable[[random.Random, Json], Json]
REGISTRY = default_registry()


@cache
def sources() -> tuple[str, ...]:
    """The documents of the gallery."""
    return tuple(path.read_text(encoding="utf-8") for path in sorted((HERE.parent.parent / "gallery").glob("*/*.dali.json")))


# ---------------------------------------------------------------------------------------------------------- mutations


def anything(rng: random.Random, depth: int = 0) -> Any:
    """A JSON value of any kind."""
    kind = rng.randrange(9 if depth < 3 else 6)
    match kind:
        case 0:
            return rng.choice((None, True, False))
        case 1 | 2:
            return rng.choice((*EDGES, 10**400, -(10**400), 10**4000)) if rng.random() < 0.7 else rng.randrange(300)
        case 3:
            return rng.choice(FLOATS)
        case 4 | 5:
            return rng.choice(TEXTS)
        case 6:
            return {rng.choice(TEXTS): anything(rng, depth + 1) for _ in range(rng.randrange(3))}
        case _:
            return [anything(rng, depth + 1) for _ in range(rng.choice((0, 1, 2, 3, 40)))]


def _nodes(document: Json) -> list[Json]:
    found = document.get("pipeline")
    found = found.get("nodes") if isinstance(found, dict) else None
    return [node for node in found if isinstance(node, dict)] if isinstance(found, list) else []


def _keys(document: Json) -> list[Any]:
    return [node.get("key") for node in _nodes(document)] or ["a"]


def _anywhere(rng: random.Random, document: Json) -> Json:
    """Some value, at any depth, replaced or gone."""
    place: Any = document
    while True:
        if not place:
            return document
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8:
            place = place[key]
        elif rng.random() < 0.2:
            del place[key]
            return document
        else:
            place[key] = anything(rng)
            return document


def _argument(rng: random.Random, document: Json) -> Json:
    """An argument of a node: one that it has or not, with any value."""
    nodes = _nodes(document)
    if nodes:
        node = rng.choice(nodes)
        operator = node.get("operator")
        known = REGISTRY.schema(operator).arguments if isinstance(operator, str) and operator in REGISTRY else ()
        if isinstance(arguments := node.setdefault("arguments", {}), dict):
            if known and rng.random() < 0.9:
                argument = rng.choice(known)
                arguments[argument.name] = value_for(rng, argument)
            else:
                arguments[rng.choice(TEXTS)] = anything(rng)
    return document


def _wire(rng: random.Random, document: Json) -> Json:
    """A wire from anywhere to anywhere: to itself, in circles, to outputs that are not there."""
    nodes = _nodes(document)
    if nodes:
        node, port = rng.choice(nodes), [rng.choice(_keys(document)), rng.choice((0,) * 12 + (1, 1, 2, 2**31, -1, None))]
        if rng.random() < 0.6:
            if isinstance(inputs := node.setdefault("inputs", []), list):
                inputs.insert(rng.randrange(len(inputs) + 1), rng.choice((port, port, None)))
        elif isinstance(wired := node.setdefault("argument_inputs", {}), dict):
            wired[rng.choice(("angle", "size", "seed", "mirror", "matrix", "x", rng.choice(TEXTS)))] = port
    return document


def _name(rng: random.Random, document: Json) -> Json:
    """Another key, here and where it is wired, or another operator or device."""
    nodes = _nodes(document)
    if not nodes:
        return document
    node = rng.choice(nodes)
    match rng.randrange(4):
        case 0:
            old, new = json.dumps(node.get("key")), json.dumps(rng.choice((*TEXTS, *filter(None, map(str, _keys(document))))))
            try:
                return json.loads(json.dumps(document).replace(old, new))
            except ValueError:  # the key of a name stands within another text, too, where quotes are written otherwise
                return document
        case 1:
            node["operator"] = rng.choice((*REGISTRY, *TEXTS, *FOREIGN, "_conditional.merge"))
        case 2:
            node["device"] = rng.choice(("cpu", "gpu", "mixed", "tpu", None))
        case _:
            node["version"] = rng.choice((*EDGES, "1", None))
    return document


def _node(rng: random.Random, document: Json) -> Json:
    """A node more, doubled or fewer; the new one is fed by another."""
    nodes = _nodes(document)
    kind = rng.random()
    if nodes and kind < 0.2:
        document["pipeline"]["nodes"].remove(rng.choice(nodes))
    elif nodes and kind < 0.3:
        document["pipeline"]["nodes"].append(rng.choice(nodes))
    elif nodes:
        for number in range(rng.choice((1, 1, 2, 5))):
            made: Json = {"key": f"n{number}_{rng.randrange(99)}", "operator": rng.choice(list(REGISTRY))}
            made["inputs"] = [[rng.choice(_keys(document)), 0]]
            document["pipeline"]["nodes"].append(made)
            if isinstance(outputs := document["pipeline"].get("outputs"), list) and rng.random() < 0.5:
                outputs.append([made["key"], 0])
    return document


def _option(rng: random.Random, document: Json) -> Json:
    """An option of the pipeline, or a field that no release knows."""
    place = document.get("pipeline")
    if isinstance(place, dict):
        names = ("name", "batch_size", "num_threads", "device_id", "seed", "prefetch_queue_depth", "outputs", rng.choice(TEXTS))
        name = rng.choice(names)
        place[name] = rng.choice((1, 2, 3, 8, 64)) if name.endswith(("size", "threads", "depth")) and rng.random() < 0.5 else anything(rng)
    return document


def _deep(rng: random.Random, document: Json) -> Json:
    """Many levels, in the view or in an unknown field; or a long chain of nodes."""
    if rng.random() < 0.5:
        # json cannot write what it is to be unable to read; `content` puts the levels into the text
        document[rng.choice(("view", "more"))] = {"positions": f"{_LEVELS}{rng.choice((50, 200, 900, 1500, 100_000))}"}
    elif isinstance(pipeline := document.get("pipeline"), dict) and isinstance(nodes := pipeline.get("nodes"), list):
        for number in range(rng.choice((20, 150))):
            nodes.append({"key": f"c{number}", "operator": "cast", "arguments": {"dtype": "FLOAT"}, "inputs": [[f"c{number - 1}" if number else "decode", 0]]})
    return document


def _function(document: Json) -> None:
    """Code beside a node: a stranger's, who has no key to sign it."""
    if isinstance(pipeline := document.get("pipeline"), dict) and isinstance(nodes := pipeline.get("nodes"), list):
        nodes.append({"key": "theirs", "operator": "python_function", "inputs": [["decode", 0]], "objects": ["function"]})
        document["view"] = {"functions": {"theirs": {"source": "def f(x): raise SystemExit", "signature": "0" * 64}}}


MUTATIONS: tuple[Mutation, ...] = (_anywhere, *(_argument,) * 6, *(_wire,) * 2, _name, *(_node,) * 3, _option)


def content(seed: int, number: int) -> bytes:
    """The document of a case, as text in UTF-8 (a lone surrogate only comes in by JSON's escapes)."""
    rng = of_case(FAMILY, seed, number)
    text = rng.choice(sources())
    if rng.random() < 0.08:
        return plain_bytes.mutated(rng, text.encode())
    document = json.loads(text)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        document = (_deep if rng.random() < 0.02 else rng.choice(MUTATIONS))(rng, document)
        if not isinstance(document, dict):
            break
    if number % 50 == 7 and isinstance(document, dict):
        _function(document)
    return re.sub(f'"{_LEVELS}(\\d+)"', _nested, json.dumps(document)).encode()


def _nested(found: re.Match[str]) -> str:
    levels = int(found[1])
    return '{"x":' * (levels // 2) + "[" * levels + "]" * levels + "}" * (levels // 2)


# -------------------------------------------------------------------------------------------------------------- trying


class Documents:
    """Tries cases; `folder` holds pictures that readers of documents may read."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._memory = folder, Memory()

    def check(self, seed: int, numbers: Sequence[int]) -> list[Outcome]:
        """Outcomes of the cases."""
        return [self._one(seed, number) for number in numbers]

    def _one(self, seed: int, number: int) -> Outcome:
        text = content(seed, number)
        rng = of_case(f"{FAMILY}: what is done", seed, number)
        done: list[str] = []
        self._memory.begin()
        try:
            verdict = self._use(text.decode("utf-8", "replace"), rng, done)
        except Exception as error:  # noqa: BLE001 - what comes out is judged
            what = done[-1] if done else "open"
            kind = unexpected(error)
            if not kind:
                return Outcome(number, what, "refused")
            told = "".join(traceback.format_exception(error)[-4:]) if kind == "exception" else str(error)
            return Outcome(number, what, "raised", kind, told)
        if self._memory.grown() > MEMORY and "run" not in done:
            return Outcome(number, done[-1], "too much memory", "memory", f"{self._memory.grown() / 2**20:.0f} MiB")
        return Outcome(number, done[-1], verdict)

    def _use(self, text: str, rng: random.Random, done: list[str]) -> str:
        done.append("open")
        graph, view, _ = loads(text, REGISTRY)
        functions = [value for node in opened(graph, view).nodes() for value in node.objects.values()]
        if any(callable(one) for one in functions):
            raise AssertionError("a document of nobody brought a function that can run")
        done.append("check")
        graph = point_at(graph, idle_readers(graph, REGISTRY), self._folder)
        found = validate(graph, REGISTRY).diagnostics
        if defects := [d for d in found if d.code == "DS305"]:
            raise DaliStudioError(defects)
        done.append("save")
        saved = dumps(graph, view)
        again, other, _ = loads(saved, REGISTRY)
        if again != graph or dumps(again, other) != saved:
            raise AssertionError("a document that was saved and opened again differs")
        if rng.random() < EMITTED:
            done.append("emit")
            for dialect in DIALECTS:
                _check_program(emit(graph, REGISTRY, dialect).source, FUNCTIONS | BRANCHES if dialect == "nvidia.dali" else REGISTRY)
        if rng.random() < RUN and not errors(found) and _is_small(graph):
            done.append("run")
            _run(graph)
            return "ran"
        return f"{(len(errors(found)) and 'with errors') or 'good'}"


def _check_program(source: str, functions: Iterable[str]) -> None:
    """Refuse a program that does not parse, or calls what is no operator of its dialect."""
    operators = {f"fn.{name}" for name in functions}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        is_copy = isinstance(node.func, ast.Attribute) and node.func.attr in ("gpu", "cpu") and not node.args
        is_program = isinstance(node.func, ast.Name)  # the pipeline function itself
        if called not in KNOWN_CALLS and called not in operators and not is_copy and not is_program:
            raise AssertionError(f"the program calls {called}")


def _is_small(graph: Graph) -> bool:
    values = [value for node in graph.nodes() for value in node.arguments.values()]
    flat = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
    numbers = [item for item in flat if isinstance(item, int | float)]
    options = graph.options
    return (
        all(abs(number) <= MAX_TO_RUN for number in numbers)
        and len(graph) < 40
        and max(options.batch_size, 8) <= 64
        and max(options.num_threads, options.prefetch_queue_depth) <= 8
    )


def _run(graph: Graph) -> None:
    prepare()
    before = set(threading.enumerate())
    pipe = Pipeline.from_graph(graph)
    try:
        pipe.build()
        pipe.run()
    finally:
        if pipe._engine is not None:
            pipe._engine.close()
        for thread in set(threading.enumerate()) - before:  # they end what they have begun: no other case is to pay for it
            thread.join(TIMEOUT)

"""``docs/support.md``, from the schemas and the API's table: ``python -m dali_studio.api.support_page [--check]``."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dali_studio.api import support
from dali_studio.api.default import default_registry
from dali_studio.codegen import dialects
from dali_studio.core.generated import VERB, write_or_check
from dali_studio.schema.dali_functions import DALI_VERSION, FUNCTIONS
from dali_studio.schema.model import ArgumentSchema, InDialect, OperatorSchema
from dali_studio.schema.registry import Registry
from dali_studio.schema.samples import NOT_ALONE, digest
from dali_studio.schema.tolerance import Tolerance

#: Where the page lies in a checkout.
TARGET = Path(__file__).resolve().parents[2] / "docs" / "support.md"
_TITLES = {"used": "has its effect", "ignored": "accepted without effect", "refused": "refused"}
_HEAD = f"""# What is supported

Generated from the code (`{VERB}`). A name of nvidia.dali that is not on this page does not exist here, and using it is
an error. **Refused** means: a diagnostic with the reason, never a silent difference. **Accepted without effect** means:
results are the same with and without it.
"""
#: What `make verified` wrote.
RESULTS = TARGET.with_name("verified.json")
#: Column of the results, part of the file, title.
_COLUMNS = (
    ("nvidia.dali", "cpu", "CPU equals nvidia.dali"), ("gpu", "gpu", "GPU equals the CPU"),
    ("storage", "cpu", "storage"), ("sequences", "cpu", "sequences"), ("states", "cpu", "states"),
    ("programs", "cpu", "programs"), ("refusals", "cpu", "refusals"),
)  # fmt: skip
_VERIFIED_HEAD = """## What is verified

How many cases of each operator passed when `make verified` ran last: those that the operator offers, or that follow
from its declaration ([how](adding_an_operator.md)). *Equals*: within the tolerances that stand below with their
reasons. *Storage*: the same bytes from separate, packed and dense samples, in one call or many, and none at all.
*Sequences*: each is its frames. *States*: what is saved and restored goes on as if nothing had been. *Programs*: what
is exported gives the same bytes, in both dialects. *Refusals*: what is not accepted is refused by node and argument. –
means that there is no such case, that it has not been run, or that cases have changed since.
Operators that bring the data, that call Python functions, halves of conditions, and what hardware of GPUs alone
computes have tests of their own, against nvidia.dali.

"""


class _Results(msgspec.Struct):
    """What passed, by operator, and where that was."""

    where: str
    operators: dict[str, dict[str, Any]]


_API = (
    ("Arguments of `Pipeline` and `pipeline_def`", support.PIPELINE_ARGUMENTS),
    ("Methods and properties of `Pipeline`", support.PIPELINE_METHODS),
    ("What a `DataNode` can do", support.DATA_NODE_METHODS),
)


def generate() -> str:
    """The page as Markdown."""
    registry = default_registry()
    shown = [registry.schema(name) for name in registry.functions()]
    parts = [_HEAD, *(_names(title, table) for title, table in _API)]
    parts += [f"## Operators\n\n{counted(registry)}\n", _overview(shown), _verified(registry, shown)]
    parts += [_operator(schema, registry.operator(schema.name).tolerance) for schema in shown]
    return "\n".join(parts)


def counted(registry: Registry) -> str:
    """How many operators there are: those of the palette, which are functions of ``fn`` for the most part."""
    functions = registry.functions()
    total, common = len(registry.shown()), sum(name in FUNCTIONS for name in (*functions, *registry.former()))
    here = "all of which" if common == len(FUNCTIONS) else f"of which {common}"
    return (
        f"{total} operators: {len(functions)} functions of fn (nvidia.dali {DALI_VERSION} has {len(FUNCTIONS)}, "
        f"{here} are here), and types.Constant, .cpu() and .gpu()."
    )


def _names(title: str, table: Mapping[str, support.Support]) -> str:
    rows = ["| name | state | reason |", "|---|---|---|"]
    for status, words in _TITLES.items():
        rows += [f"| `{name}` | {words} | {entry.reason} |" for name, entry in table.items() if entry.status == status]
    return f"## {title}\n\n" + "\n".join(rows) + "\n"


def _overview(schemas: Sequence[OperatorSchema]) -> str:
    rows = ["| operator | runs on | what it does |", "|---|---|---|"]
    for schema in schemas:
        anchor = f"#fn{schema.name.replace('.', '')}"
        rows += [f"| [`fn.{schema.name}`]({anchor}) | {', '.join(schema.devices)} | {schema.summary} |"]
    return "\n".join(rows) + "\n"


def _verified(registry: Registry, schemas: Sequence[OperatorSchema]) -> str:
    """What the tests have shown, by their results; nothing where the cases have changed since."""
    results = msgspec.json.decode(RESULTS.read_bytes(), type=dict[str, _Results]) if RESULTS.is_file() else {}
    titles = [title for _, _, title in _COLUMNS]
    rows = [f"| operator | {' | '.join(titles)} | types of input |", f"|---|{'---|' * (len(titles) + 1)}"]
    for schema in (one for one in schemas if one.role not in NOT_ALONE):
        cases = digest(registry.operator(schema.name).samples())
        found = {part: done.operators.get(schema.name, {}) for part, done in results.items()}
        fresh = {part: counts for part, counts in found.items() if counts.get("cases") == cases}
        cells = [str(fresh.get(part, {}).get(column, "–")) for column, part, _ in _COLUMNS]
        types = ", ".join(fresh.get("cpu", {}).get("types", ())) or "–"
        rows.append(f"| `fn.{schema.name}` | {' | '.join(cells)} | {types} |")
    compared = ", ".join(results[part].where for part in ("cpu", "gpu") if part in results)
    return f"{_VERIFIED_HEAD}Compared with, and on: {compared}.\n\n" + "\n".join(rows) + "\n"


def _operator(schema: OperatorSchema, tolerances: Sequence[Tolerance]) -> str:
    lines = [f"### `fn.{schema.name}`", ""]  # a name such as _conditional.not_ is no emphasis
    lines += [f"- input `{entry.name}`: {_takes(entry.layouts, entry.dtypes)}" for entry in schema.inputs]
    lines += ["- outputs: " + ", ".join(f"`{output.name}` ({output.kind})" for output in schema.outputs), ""]
    lines += [f"- {_difference(tolerance)}" for tolerance in tolerances]
    lines += [f"- {dialects.DIALECTS[entry.dialect]}: {_there(entry)}" for entry in schema.dialects]
    lines += [""] if tolerances or schema.dialects else []
    lines += ["| argument | state | accepted |", "|---|---|---|"]
    for argument in schema.arguments:
        state = _TITLES[argument.support] + (f": {argument.reason}" if argument.reason else "")
        if argument.now:
            state = f"the former name of `{argument.now}`, deprecated"
        lines.append(f"| `{argument.name}` | {state} | {_accepted(argument)} |")
    return "\n".join(lines) + "\n"


def _difference(tolerance: Tolerance) -> str:
    """Results that may differ, by how much, and why."""
    against = {"cpu": "nvidia.dali's", "gpu": "the CPU's, on a GPU", None: "nvidia.dali's, and on a GPU from the CPU's"}
    which = " or ".join(dtype.name for dtype in tolerance.dtypes) or "results"
    which += "".join(f" with {name} {value}" for name, value in tolerance.when.items())
    if not tolerance.max_difference and not tolerance.relative:
        amount = "not at all"
    elif math.isinf(tolerance.max_difference):
        amount = f"in {tolerance.fraction:.2%} of the elements at most"
    else:
        share = f" in {tolerance.fraction:.2%} of the elements" if tolerance.fraction < 1 else ""
        levels = [f"by {tolerance.max_difference:g}{share}"] if tolerance.max_difference else []
        floats = [f"floating-point ones by {tolerance.relative:g} of the largest"] if tolerance.relative else []
        amount = " and ".join(levels + floats) + " at most"
    return f"{which} differ from {against[tolerance.on]}: {amount}; {tolerance.reason}"


def _there(entry: InDialect) -> str:
    if entry.absent:
        return f"{entry.absent}. {entry.instead}"
    since = f" since {entry.since}" if entry.since else ""
    return f"`fn.{entry.name}`{since}" if entry.name else f"the same{since}"


def _takes(layouts: Sequence[str], dtypes: Sequence[str]) -> str:
    parts = [" or ".join(layouts) or "any layout", " or ".join(dtypes) or "the types that its reference names"]
    return ", ".join(parts)


def _accepted(argument: ArgumentSchema) -> str:
    if argument.support == "refused":
        return ""
    parts = [argument.type.replace("_", " ") + (", per sample" if argument.tensor else "")]
    if argument.choices:
        parts.append(" or ".join(argument.choices))
    if argument.minimum is not None:
        parts.append(f"from {argument.minimum:g}")
    if argument.maximum is not None:
        parts.append(f"to {argument.maximum:g}")
    if argument.length:
        parts.append(f"{' or '.join(map(str, argument.length))} values")
    return ", ".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page."""
    return write_or_check("Write docs/support.md.", lambda: {TARGET: generate()}, arguments)


if __name__ == "__main__":
    sys.exit(main())

"""``docs/support.md``, from the schemas and the API's table: ``python -m dali_studio.api.support_page [--check]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dali_studio.api import support
from dali_studio.api.default import default_registry
from dali_studio.schema.dali_functions import DALI_VERSION, FUNCTIONS
from dali_studio.schema.model import ArgumentSchema, OperatorSchema
from dali_studio.schema.registry import Registry

#: What to run when the page is stale.
VERB = "make generated"
#: Where the page lies in a checkout.
TARGET = Path(__file__).resolve().parents[2] / "docs" / "support.md"
_TITLES = {"used": "has its effect", "ignored": "accepted without effect", "refused": "refused"}
_HEAD = f"""# What is supported

Generated from the code (`{VERB}`). A name of nvidia.dali that is not on this page does not exist here, and using it is
an error. **Refused** means: a diagnostic with the reason, never a silent difference. **Accepted without effect** means:
results are the same with and without it.
"""
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
    parts += [f"## Operators\n\n{counted(registry)}\n", _overview(shown), *(_operator(schema) for schema in shown)]
    return "\n".join(parts)


def counted(registry: Registry) -> str:
    """How many operators there are: those of the palette, which are functions of ``fn`` for the most part."""
    functions = registry.functions()
    total, common = len(registry.shown()), sum(name in FUNCTIONS for name in functions)
    return (
        f"{total} operators: {len(functions)} functions of fn (nvidia.dali {DALI_VERSION} has {len(FUNCTIONS)}, "
        f"of which {common} are here), and types.Constant, .cpu() and .gpu()."
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


def _operator(schema: OperatorSchema) -> str:
    lines = [f"### fn.{schema.name}", ""]
    lines += [f"- input `{entry.name}`: {_takes(entry.layouts, entry.dtypes)}" for entry in schema.inputs]
    lines += ["- outputs: " + ", ".join(f"`{output.name}` ({output.kind})" for output in schema.outputs), ""]
    lines += ["| argument | state | accepted |", "|---|---|---|"]
    for argument in schema.arguments:
        state = _TITLES[argument.support] + (f": {argument.reason}" if argument.reason else "")
        lines.append(f"| `{argument.name}` | {state} | {_accepted(argument)} |")
    return "\n".join(lines) + "\n"


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
    """Write or check the page.

    Returns
    -------
    int
        0, or 1 if ``--check`` found it stale.
    """
    parser = argparse.ArgumentParser(description="Write docs/support.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the page is stale")
    if parser.parse_args(arguments).check:
        if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == generate():
            return 0
        sys.stderr.write(f"{TARGET.name} is not what the code says. Run: {VERB}\n")
        return 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(generate(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

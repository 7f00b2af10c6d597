"""Numbered migrations: old documents as data, and old arguments of single operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.model import Graph
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry

#: The version that this release writes.
VERSION = 1

DocumentMigration = Callable[[dict[str, Any]], dict[str, Any]]
#: From each older version of the format, the step to the next one.
DOCUMENT_MIGRATIONS: Mapping[int, DocumentMigration] = {}

ArgumentMigration = Callable[[dict[str, Value]], dict[str, Value]]
#: Operator name to version of its arguments, to the step to the next version.
OperatorMigrations = Mapping[str, Mapping[int, ArgumentMigration]]


def migrate_document(
    data: dict[str, Any], steps: Mapping[int, DocumentMigration] = DOCUMENT_MIGRATIONS, version: int = VERSION
) -> dict[str, Any]:
    """A decoded document in the form of `version`.

    Raises
    ------
    DaliStudioError
        DS401 if it names no version or there is no way from its version, DS402 if it is newer.
    """
    found = data.get("version")
    if not isinstance(found, int) or isinstance(found, bool):
        raise DaliStudioError(Diagnostic(code="DS401", message=f"version is {found!r}; a whole number is expected.",
                                         hint=f"The newest version is {version}."))  # fmt: skip
    if found > version:
        raise DaliStudioError(
            Diagnostic(
                code="DS402", message=f"The document has version {found}; this release reads up to version {version}.",
                hint="Update dali_studio, or save the document with the older release.",
            )
        )  # fmt: skip
    while found < version:
        if found not in steps:
            message = f"There is no version {found} of the format."
            hint = f"Versions run from {min(steps, default=version)} to {version}."
            raise DaliStudioError(Diagnostic(code="DS401", message=message, hint=hint))
        data = {**steps[found](data), "version": found + 1}
        found += 1
    return data


def migrate_operators(graph: Graph, registry: Registry, steps: OperatorMigrations) -> list[Diagnostic]:
    """Bring the arguments of every node up to its operator's version, in place.

    Returns
    -------
    list of Diagnostic
        DS402 warnings for nodes whose arguments are newer than the installed operator; they stay as they are.
    """
    found: list[Diagnostic] = []
    for node in graph.nodes():
        if node.operator not in registry:
            continue
        current = registry.schema(node.operator).version
        if node.version > current:
            message = (
                f"The node was written for version {node.version} of {node.operator}; version {current} is installed."
            )
            found.append(Diagnostic(code="DS402", message=message, hint="Update dali_studio, or check its arguments.",
                                    node=node.key, severity="warning"))  # fmt: skip
            continue
        values = dict(node.arguments)
        known = steps.get(node.operator, {})
        for version in sorted(known):  # not by counting: a document may say any number
            values = known[version](values) if node.version <= version < current else values
        if node.version < current:
            graph.replace_node(replace(node, arguments=values, version=current))
    return found

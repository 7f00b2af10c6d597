"""All operators, one module each. Folders are the palette's categories; a new module needs no entry anywhere."""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import entry_points

from dali_studio.schema.declare import Operator
from dali_studio.schema.registry import Registry

#: Entry-point group under which other packages offer operators (each entry point is an `Operator` subclass).
ENTRY_POINT_GROUP = "dali_studio.operators"


def load() -> Registry:
    """Import every module of this package, then the operators of other packages."""
    found: list[type[Operator]] = []
    for info in pkgutil.walk_packages(__path__, f"{__name__}."):
        if info.ispkg:
            continue
        module = importlib.import_module(info.name)
        found += [
            item
            for item in vars(module).values()
            if isinstance(item, type)
            and issubclass(item, Operator)
            and "schema" in vars(item)
            and item.__module__ == info.name
        ]
    found += [entry.load() for entry in entry_points(group=ENTRY_POINT_GROUP)]
    return Registry(found)

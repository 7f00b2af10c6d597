"""Programs for DALI Studio itself, which has everything that a graph can hold."""

from __future__ import annotations

from dali_studio.codegen.dialects.base import Dialect

DIALECT = Dialect(name="dali_studio", title="DALI Studio", module="dali_studio")

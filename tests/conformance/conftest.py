"""Says with each result which operator it concerns, for the table of what is verified (`verified.py`)."""

from __future__ import annotations

from typing import Any

import pytest
from subjects import Subject


@pytest.fixture(autouse=True)
def of_operator(request: pytest.FixtureRequest, record_property: Any) -> None:
    """The operator of a test that has a case as its parameter."""
    subject = getattr(request.node, "callspec", None) and request.node.callspec.params.get("subject")
    if isinstance(subject, Subject):
        record_property("operator", subject.operator)
        record_property("case", subject.case.name())

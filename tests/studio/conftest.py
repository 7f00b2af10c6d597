"""Fixtures of the tests of the designer's Python side."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from studio.clients import Client, rotating


@pytest.fixture
def client() -> Iterator[Client]:
    """A browser's stand-in for a pipeline with a slider; nothing has been sent."""
    made = Client(rotating().graph)
    yield made
    made.session.close()


@pytest.fixture
def ready(client: Client) -> None:
    """What a browser sends first has been sent and answered."""
    client.send("ready")

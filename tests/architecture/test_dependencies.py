"""What is said of the dependencies: lowest versions and licences."""

from __future__ import annotations

import licences
import lowest


def test_every_dependency_has_a_lowest_version() -> None:
    """`make test-floors` installs exactly these."""
    names = [pin.partition("==")[0] for pin in lowest.lowest()]
    assert sorted(names) == sorted(one.name for one in [*licences.direct(), *licences.direct(("test", "video", "parquet", "remote"))])


def test_every_dependency_is_listed_with_its_licence() -> None:
    assert licences.missing() == [], "python tests/licences.py brings docs/licences.md up to date"
    assert not [name for name, licence in licences.closure(licences.direct()).items() if not licence]

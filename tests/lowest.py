"""The lowest versions of the dependencies, from ``pyproject.toml``: ``python tests/lowest.py`` prints requirements.

``make test-floors`` installs them and runs tests with them, so that what is promised there is true.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
_FLOOR = re.compile(r"([A-Za-z0-9._-]+)>=([0-9][0-9.]*)")


def lowest(extras: tuple[str, ...] = ("test", "video", "parquet", "remote")) -> Iterator[str]:
    """``name==version`` for each dependency and those of the extras.

    Raises
    ------
    ValueError
        For a dependency without a lowest version.
    """
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in [*project["dependencies"], *(one for extra in extras for one in project["optional-dependencies"][extra])]:
        found = _FLOOR.fullmatch(requirement)
        if found is None:
            raise ValueError(f"{requirement!r} in pyproject.toml has no lowest version; write it as name>=version")
        yield f"{found[1]}=={found[2]}"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lowest())

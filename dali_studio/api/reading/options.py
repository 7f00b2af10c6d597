"""Options of a program's command line: ``argparse``, whose defaults a source tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_FLAGS = {"store_true": False, "store_false": True}
_TYPES = (int, float, str, bool)


@dataclass(slots=True, eq=False)
class Options:
    """What ``parse_args`` gives: the defaults; who calls the program may give others."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True, eq=False)
class Parser:
    """``argparse.ArgumentParser``, or a group of one."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])

    def add_argument(self, *flags: str, **about: Any) -> None:
        """Take note of an option; one without a default has no value, for a program is called with it."""
        names = [one.lstrip("-") for one in flags if one.startswith("--")] or [one.lstrip("-") for one in flags]
        name = about.get("dest") or (names[0].replace("-", "_") if names else "")
        default = about.get("default", _FLAGS.get(about.get("action", "")))
        if isinstance(default, str) and about.get("type") in _TYPES:
            default = about["type"](default)
        if name and default is not None:
            self.values[name] = default

    def add_argument_group(self, *_: Any, **__: Any) -> Parser:
        """The same options."""
        return self

    add_mutually_exclusive_group = add_subparsers = add_parser = add_argument_group

    def set_defaults(self, **values: Any) -> None:
        """Change defaults."""
        self.values |= values

    def parse_args(self, *_: Any, **__: Any) -> Options:
        """The defaults."""
        return Options(dict(self.values))

    def parse_known_args(self, *_: Any, **__: Any) -> tuple[Options, list[str]]:
        """The defaults, and nothing that is left."""
        return self.parse_args(), []


def parser(*_: Any, **__: Any) -> Parser:
    """``argparse.ArgumentParser``, whose own arguments do not matter here."""
    return Parser()

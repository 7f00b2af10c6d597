"""Settings of a program: options of its command line (``argparse``), whose defaults a source tells, and such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

_FLAGS = {"store_true": False, "store_false": True}
_TYPES = (int, float, str, bool)
#: Dictionaries of packages whose items are attributes as well.
SETTINGS = (
    "types.SimpleNamespace", "argparse.Namespace", "easydict.EasyDict", "omegaconf.OmegaConf.create", "munch.Munch",
    "munch.munchify", "box.Box", "addict.Dict", "attrdict.AttrDict", "dotmap.DotMap", "yacs.config.CfgNode",
    "ml_collections.ConfigDict", "ml_collections.config_dict.ConfigDict", "mmengine.Config", "mmengine.ConfigDict",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Options:
    """What ``parse_args`` gives: the defaults; who calls the program may give others. Or settings of another kind."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])

    def get(self, name: str) -> Any:
        """A setting; dictionaries in it are settings, too. Raises `KeyError`."""
        value = self.values[name]
        return Options(cast("dict[str, Any]", value)) if isinstance(value, dict) else value


def settings(given: Mapping[str, Any] | None = None, **named: Any) -> Options:
    """Such an object of a dictionary, of names and values, or of both."""
    return Options({**(given or {}), **named})


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

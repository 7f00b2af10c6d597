"""Libraries of nvidia.dali's operators are refused, with what to do instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from dali_studio import DaliStudioError, plugin_manager

_REFUSED = r"libdali_mine\.so cannot be loaded.*entry point of the group dali_studio\.operators"


def test_libraries_are_refused() -> None:
    with pytest.raises(DaliStudioError, match=_REFUSED):
        plugin_manager.load_library("plugins/libdali_mine.so", global_symbols=True)


def test_folders_are_refused_for_their_libraries(tmp_path: Path) -> None:
    plugin_manager.load_directory(str(tmp_path))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "libdali_mine.so").touch()
    with pytest.raises(DaliStudioError, match=_REFUSED):
        plugin_manager.load_directory(str(tmp_path), global_symbols=True)

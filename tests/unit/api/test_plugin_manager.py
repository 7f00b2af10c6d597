"""Libraries of nvidia.dali's operators are refused, with what to do instead."""

from __future__ import annotations

import pytest

from dali_studio import DaliStudioError, plugin_manager


@pytest.mark.parametrize("load", [plugin_manager.load_library, plugin_manager.load_directory])
def test_libraries_are_refused(load: object) -> None:
    assert callable(load)
    with pytest.raises(DaliStudioError, match=r"plugins/mine\.so cannot be loaded.*entry point of the group dali_studio\.operators"):
        load("plugins/mine.so", global_symbols=True)

"""Where programs for nvidia.dali load libraries of C++ operators, which is refused here with a way out."""

from __future__ import annotations

from typing import NoReturn

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

__all__ = ["load_directory", "load_library"]


def load_library(library_path: str, global_symbols: bool = False) -> NoReturn:
    """Refuse a library.

    Parameters
    ----------
    library_path : str
        The library.
    global_symbols : bool
        As in nvidia.dali.

    Raises
    ------
    DaliStudioError
        DS106, always.
    """
    del global_symbols
    raise _refused(library_path)


def load_directory(plugin_dir_path: str, global_symbols: bool = False) -> NoReturn:
    """Refuse a folder of libraries.

    Parameters
    ----------
    plugin_dir_path : str
        The folder.
    global_symbols : bool
        As in nvidia.dali.

    Raises
    ------
    DaliStudioError
        DS106, always.
    """
    del global_symbols
    raise _refused(plugin_dir_path)


def _refused(path: str) -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(
            code="DS106",
            message=f"{path} cannot be loaded: libraries of operators are compiled against nvidia.dali itself.",
            hint="Write the operator as a module of Python and C++ (docs/adding_an_operator.md); a package adds it by "
            "an entry point of the group dali_studio.operators.",
        )
    )

"""Where programs for nvidia.dali load libraries of C++ operators, which is refused here with a way out."""

from __future__ import annotations

from pathlib import Path
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


def load_directory(plugin_dir_path: str, global_symbols: bool = False) -> None:
    """Refuse the libraries of a folder; where there is none, nothing is to be done.

    Parameters
    ----------
    plugin_dir_path : str
        The folder.
    global_symbols : bool
        As in nvidia.dali.

    Raises
    ------
    DaliStudioError
        DS106 for a library in a folder of it.
    """
    del global_symbols
    for found in sorted(Path(plugin_dir_path).glob("*/libdali_*.so")):
        raise _refused(str(found))


def _refused(path: str) -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(
            code="DS106",
            message=f"{path} cannot be loaded: libraries of operators are compiled against nvidia.dali itself.",
            hint="Write the operator as a module of Python and C++ (docs/adding_an_operator.md); a package adds it by "
            "an entry point of the group dali_studio.operators.",
        )
    )

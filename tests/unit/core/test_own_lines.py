"""What notebooks show of an error: the user's own lines, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from dali_studio import DaliStudioError
from dali_studio.core.diagnostics import Diagnostic


def shown(source: str, path: Path) -> str:
    with pytest.raises(DaliStudioError) as caught:
        exec(compile(source, str(path), "exec"), {"DaliStudioError": DaliStudioError, "Diagnostic": Diagnostic})
    caught.value.__traceback__ = caught.tb.tb_next  # without this file's line
    return "\n".join(caught.value._render_traceback_())


def test_a_missing_folder_is_one_error_at_the_line_that_names_it(tmp_path: Path) -> None:
    told = shown("import dali_studio\n\ndali_studio.Gallery('missing folder')\n", tmp_path / "cell.py")
    place, words = told.splitlines()[0], told.splitlines()[-1]
    assert place == f'  File "{tmp_path / "cell.py"}", line 3, in <module>'
    assert words.startswith("DaliStudioError: DS302: missing folder cannot be read as a folder")
    assert "Traceback" not in told and "FileNotFoundError" not in told and "folders.py" not in told


def test_lines_of_a_callback_that_failed_are_there_too(tmp_path: Path) -> None:
    source = (
        "def callback():\n    return 1 / 0\ntry:\n    callback()\nexcept ZeroDivisionError as error:\n"
        "    raise DaliStudioError(Diagnostic(code='DS301', message='It failed.', hint='')) from error\n"
    )
    told = shown(source, tmp_path / "cell.py")
    assert "line 2, in callback" in told and "ZeroDivisionError: division by zero" in told
    assert told.endswith("DaliStudioError: DS301: It failed.")

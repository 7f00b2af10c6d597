"""Bridges that are not here say what to use instead, whichever way a program imports them."""

from __future__ import annotations

import importlib

import pytest

from dali_studio import DaliStudioError


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [
        ("tf", "DALIDataset", "tf.data.Dataset.from_generator"),
        ("tf", "experimental", "tf.data.Dataset.from_generator"),
        ("paddle", "DALIGenericIterator", "paddle.to_tensor"),
    ],
)
def test_their_names_are_refused(module: str, name: str, instead: str) -> None:
    found = importlib.import_module(f"dali_studio.plugin.{module}")
    with pytest.raises(DaliStudioError, match=rf"dali_studio\.plugin\.{module}\.{name} is not supported") as error:
        getattr(found, name)
    assert instead in str(error.value)
    with pytest.raises(DaliStudioError):
        exec(f"from dali_studio.plugin.{module} import {name}")
    assert not hasattr(found, "other")

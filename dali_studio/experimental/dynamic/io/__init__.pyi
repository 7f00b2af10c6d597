"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any

from dali_studio.experimental.dynamic.io import file as file

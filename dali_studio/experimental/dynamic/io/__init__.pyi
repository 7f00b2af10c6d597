"""Generated from the registry. Do not edit: run ``make generated``."""

from dali_studio.experimental.dynamic.io import file as file

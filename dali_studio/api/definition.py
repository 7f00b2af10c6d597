"""``pipeline_def``: from a function that defines a graph to a factory of pipelines."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dali_studio.api.debug import PipelineDebug
from dali_studio.api.pipeline import Pipeline
from dali_studio.api.support import OWN_OPTIONS, PIPELINE_ARGUMENTS
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def pipeline_def(fn: Callable[..., Any] | None = None, **pipeline_kwargs: Any) -> Any:
    """Turn a function that defines a graph into a factory of pipelines.

    Parameters
    ----------
    fn : callable
        Calls ``fn`` operators and returns the outputs.
    **pipeline_kwargs
        Options of `Pipeline`; a call of the factory may override them. ``enable_conditionals=True`` lets ``if``,
        ``and``, ``or`` and ``not`` in the function, and in those that it calls, take operator results. ``debug=True``
        computes operators as the function calls them, in each iteration: their results have the data (``get()``).

    Returns
    -------
    callable
        Takes the function's own arguments and the options of `Pipeline`.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Pipeline]:
        own = set(inspect.signature(function).parameters)

        @functools.wraps(function)
        def create(*args: Any, **kwargs: Any) -> Pipeline:
            accepts_any = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())
            known = {*PIPELINE_ARGUMENTS, *OWN_OPTIONS, "debug"}
            options = {k: v for k, v in kwargs.items() if k not in own and (k in known or not accepts_any)}
            rest = {k: v for k, v in kwargs.items() if k not in options}
            given: dict[str, Any] = {"name": function.__name__, **pipeline_kwargs, **options}
            conditionals = given.pop("enable_conditionals", False) or False
            if given.pop("debug", False):
                return _debugged(functools.partial(function, *args, **rest), given, conditionals=conditionals)
            pipeline = Pipeline(**given)
            if conditionals:
                pipeline.define_with_conditionals(function, *args, **rest)
            else:
                pipeline.define(function, *args, **rest)
            return pipeline

        vars(create)["_is_pipeline_def"] = True  # as nvidia.dali marks its factories
        return create

    return decorate if fn is None else decorate(fn)


def _debugged(definition: Callable[[], Any], options: dict[str, Any], *, conditionals: bool) -> Pipeline:
    """A pipeline in debug mode."""
    if conditionals:
        raise DaliStudioError(
            Diagnostic(
                code="DS106", argument="enable_conditionals",
                message="debug=True and enable_conditionals=True exclude each other: in debug mode `if` sees values.",
                hint="Leave one of the two away.",
            )
        )  # fmt: skip
    return PipelineDebug(definition, **options)

"""Serialized pipelines of nvidia.dali (``Pipeline.serialize``, Triton's ``model.dali``) as graphs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from dali_studio.api.constants import ScalarConstant
from dali_studio.api.default import default_registry
from dali_studio.api.indexing import indexed
from dali_studio.api.serialized import messages
from dali_studio.api.serialized.messages import Definition, Operator, Tensor, decoded
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode, arithmetic, reading_at, trace_operator
from dali_studio.core.arithmetic import OPERATIONS
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.enums import DALIDataType
from dali_studio.core.expressions import natural_type
from dali_studio.core.features import Feature, fixed_length, variable_length
from dali_studio.graph.files import read_file

#: Arguments that say where an operator came from in Python, and the bits of how it is executed.
_PYTHON = re.compile(r"device|_display_name|_module|_origin_stack_\w+|preserve_name|_pipeline_internal|_if_stmt")
_OPERAND = re.compile(r"(?P<kind>[&$])(?P<at>\d+)(?::(?P<type>\w+))?")
_LARGEST = 1 << 28
_TYPES = {"float32": "FLOAT", "float16": "FLOAT16", "float64": "FLOAT64"}


def definition_in(data: bytes | str | Path) -> tuple[Definition, str]:
    """What nvidia.dali, or `Pipeline.serialize`, has written, and how messages call it.

    Parameters
    ----------
    data : bytes, str or Path
        The bytes, or the file with them.

    Raises
    ------
    DaliStudioError
        DS401 for what is no such pipeline.
    """
    name = "The serialized pipeline" if isinstance(data, bytes) else str(data)
    try:
        return decoded(data if isinstance(data, bytes) else read_file(data, _LARGEST)), name
    except (OSError, ValueError) as error:
        raise _no_pipeline(name, str(error)) from None


def options_of(definition: Definition) -> dict[str, Any]:
    """The arguments of `Pipeline` that are written in it."""
    given = {
        "batch_size": definition.batch_size, "num_threads": definition.num_threads, "seed": definition.seed,
        "prefetch_queue_depth": definition.prefetch_queue_depth,
        "enable_checkpointing": definition.checkpointing or None,
    }  # fmt: skip
    known = {kind.value: kind for kind in DALIDataType}
    expected = {
        "output_dtype": [None if one.dtype < 0 else known.get(one.dtype) for one in definition.outputs],
        "output_ndim": [None if one.ndim < 0 else one.ndim for one in definition.outputs],
    }
    demanded = {name: values for name, values in expected.items() if values != [None] * len(values)}
    written = {key: one for key, one in given.items() if one is not None}
    return {"device_id": definition.device_id, **written, **demanded}


def _no_pipeline(name: str, reason: str) -> DaliStudioError:
    hint = "Give what Pipeline.serialize of nvidia.dali or dali_studio wrote, such as a model.dali file of Triton."
    return DaliStudioError(Diagnostic(code="DS401", message=f"{name} is no serialized pipeline: {reason}.", hint=hint))


class Reading:
    """Appends the operators of a definition, one after another, to the pipeline that is being defined."""

    def __init__(self, definition: Definition, file: str) -> None:
        self.definition, self.file, self.at = definition, file, ""
        registry = default_registry()
        names = {registry.schema(name).class_name: name for name in registry.functions()}
        for old, name in registry.former().items():
            names[registry.schema(name).called(old).class_name] = old
        self.names = {key.replace(".", "__"): name for key, name in names.items()}
        self.made: dict[str, DataNode] = {}
        self.moved: dict[tuple[str, str], DataNode] = {}

    def outputs(self) -> tuple[DataNode, ...]:
        """Append all, and give what the pipeline returns.

        Raises
        ------
        DaliStudioError
            DS502 for an operator that is not known, with its name.
        """
        for operator in self.definition.operators:
            self.at = f"{Path(self.file).name}:{operator.instance or operator.name}"
            with reading_at(lambda: self.at):
                try:
                    self._append(operator)
                except DaliStudioError:
                    raise
                except (LookupError, TypeError, ValueError, ArithmeticError) as error:
                    raise _no_pipeline(self.file, f"{self.at}: {error}") from None
        return tuple(map(self._node, self.definition.outputs))

    def _append(self, operator: Operator) -> None:
        inputs = [self._node(one) for one in operator.inputs if not one.argument]
        arguments: dict[str, Any] = {
            one.name: _shortest(one.value) for one in operator.arguments if not _PYTHON.fullmatch(one.name)
        }
        arguments |= {one.argument: self._node(one) for one in operator.inputs if one.argument}
        trace = Trace.current()
        assert trace is not None
        trace.suggested = "" if operator.instance.startswith("__") else operator.instance
        made = self._called(operator, inputs, arguments)
        trace.suggested = ""
        several = _listed(made)
        if len(several) != len(operator.outputs):
            counts = f"{len(operator.outputs)} outputs in the file and {len(several)} here"
            raise self._error(f"{operator.name} has {counts}.", "Was it written by another version of nvidia.dali?")
        self.made |= dict(zip((one.name for one in operator.outputs), several, strict=True))

    def _called(self, operator: Operator, inputs: Sequence[DataNode], arguments: dict[str, Any]) -> Any:
        match operator.name:
            case messages.EXPRESSION:
                return self._expression(inputs, arguments)
            case messages.SUBSCRIPT:
                return indexed(inputs[0], _index(arguments))
            case "_SubscriptDimCheck":
                return indexed(inputs[0], (slice(None),) * arguments["num_subscripts"])
            case "_Shape":
                return inputs[0].shape(**arguments)
            case messages.CONDITION_NOT:
                return trace_operator("_conditional.not_", inputs, arguments)
            case messages.TFRECORD | "_TFRecordReader":
                names, written = arguments.pop("feature_names"), arguments.pop("features")
                arguments["features"] = dict(zip(names, map(_feature, written), strict=True))
                return trace_operator("readers.tfrecord", inputs, self._named(operator, arguments))
            case _:
                pass
        name = self.names.get(operator.name)
        if name is None:
            raise self._error(
                f"There is no operator {operator.name} here.",
                "Operators that call Python, or come from a library of C++, are not in a file: write the program anew.",
            )
        return trace_operator(name, inputs, self._named(operator, arguments))

    def _named(self, operator: Operator, arguments: Mapping[str, Any]) -> dict[str, Any]:
        device = next((one.value for one in operator.arguments if one.name == "device"), None)
        given = operator.instance and not operator.instance.startswith("__")
        return {**arguments, "device": device, **({"name": operator.instance} if given else {})}

    def _expression(self, inputs: Sequence[DataNode], arguments: Mapping[str, Any]) -> DataNode:
        text = arguments["expression_desc"]
        name, _, rest = text.partition("(")
        operands: list[Any] = []
        for found in (_OPERAND.fullmatch(one) for one in rest.rstrip(")").split()):
            if found is None or name not in OPERATIONS:
                raise self._error(f"The expression {text!r} is not known.", "Write the program anew.")
            at = int(found["at"])
            if found["kind"] == "&":
                operands.append(inputs[at])
                continue
            dtype = _dtype(found["type"])
            real = found["type"].startswith("float")
            value = arguments["real_constants" if real else "integer_constants"][at]
            operands.append(value if dtype == natural_type(value) else ScalarConstant(value, dtype))
        return arithmetic(name, *operands)

    def _node(self, tensor: Tensor) -> DataNode:
        node = self.made.get(tensor.name)
        if node is None:
            raise _no_pipeline(self.file, f"{self.at} takes {tensor.name!r}, which no operator before it gives")
        if node.device == tensor.device:
            return node
        key = (tensor.name, tensor.device)
        if key not in self.moved:
            self.moved[key] = node.gpu() if tensor.device == "gpu" else node.cpu()
        return self.moved[key]

    def _error(self, message: str, hint: str) -> DaliStudioError:
        return DaliStudioError(Diagnostic(code="DS502", message=message, hint=hint, source=self.at))


def _listed(made: Any) -> list[DataNode]:
    if isinstance(made, dict):
        return list(cast("dict[str, DataNode]", made).values())
    return [made] if isinstance(made, DataNode) else cast("list[DataNode]", made or [])


def _shortest(value: Any) -> Any:
    """A number of 32 bits as a person would write it: 0.2 and not 0.20000000298."""
    if isinstance(value, list):
        return [_shortest(one) for one in cast("list[Any]", value)]
    return float(str(np.float32(value))) if isinstance(value, float) else value


def _index(arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    def item(axis: int) -> Any:
        at, *rest = (arguments.get(f"{word}_{axis}") for word in ("at", "lo", "hi", "step"))
        return slice(*rest) if at is None else at

    return tuple(item(axis) for axis in range(arguments["num_subscripts"]))


def _dtype(name: str) -> DALIDataType:
    return DALIDataType[_TYPES.get(name, name.upper())]


def _feature(written: Mapping[str, Any]) -> Feature:
    shape: list[int] | int = written["shape"]
    made = fixed_length if written["has_shape"] else variable_length
    return made([shape] if isinstance(shape, int) else shape, written["type"], written["default_value"])

"""Everything that nvidia.dali's API offers is implemented, accepted without effect, or refused with a reason."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import pytest

import dali_studio
import dali_studio.types as our_types
from dali_studio import DaliStudioError, Pipeline
from dali_studio.api.default import default_registry
from dali_studio.api.support import DATA_NODE_METHODS, PIPELINE_ARGUMENTS, PIPELINE_METHODS, TYPE_NAMES
from dali_studio.api.tracing import DataNode
from dali_studio.core.tensors import TensorCPU, TensorListCPU
from dali_studio.schema.dali_functions import BRANCHES, FUNCTIONS
from dali_studio.schema.model import OperatorSchema

REGISTRY = default_registry()
OPERATORS = [name for name in REGISTRY.functions() if name in FUNCTIONS or name in BRANCHES]
#: Arguments that nvidia.dali does not have; programs written for it leave them out.
OWN_ARGUMENTS = {"on_error", "max_pixels"}
#: Arguments that nvidia.dali has and does not name.
HIDDEN_ARGUMENTS = {"_scope"}
#: Arguments that nvidia.dali's Python layer adds to the schema of external sources.
PYTHON_ARGUMENTS = {
    "source",
    "num_outputs",
    "batch",
    "batch_info",
    "parallel",
    "cycle",
    "use_copy_kernel",
    "prefetch_queue_depth",
    "cuda_stream",
}
#: Modes by sample would need tensors of names, which no operator makes; axes that are fed, nvidia.dali passes over.
NOT_FED = {
    "reshape": {"src_dims"}, "reinterpret": {"src_dims"}, "squeeze": {"axes"},
    "decoders.video": {"pad_mode"}, "experimental.readers.video": {"pad_mode"},
}  # fmt: skip
#: Arguments without which nvidia.dali builds nothing, whatever its schema says.
REQUIRED_WHEN_BUILT = {("readers.coco", "file_root")}
#: nvidia.dali prints 1.333333 and uses 4/3, as the windows show; it erases along all axes but the channels' by default, knows
#: whether an axis of -1 was given, and takes 12 as the factor of shot noise that is not given;
#: functions of capsules are given batches; whether references and backgrounds are given decides, whatever is printed.
OTHER_DEFAULTS = {
    ("decoders.image_random_crop", "random_aspect_ratio"),
    ("random_resized_crop", "random_aspect_ratio"),
    ("brightness_contrast", "contrast_center"),
    ("contrast", "contrast_center"),
    ("noise.shot", "factor"),
    ("erase", "axis_names"),
    ("erase", "axes"),
    ("one_hot", "axis"),
    ("dl_tensor_python_function", "batch_processing"),
    ("nonsilent_region", "reference_power"),
    ("to_decibels", "reference"),
    ("segmentation.random_object_bbox", "background"),
}


def public(item: Any) -> set[str]:
    return {name for name in dir(item) if not name.startswith("_")}


def own_operators(item: type) -> set[str]:
    return {
        name
        for name in dir(item)
        if name.startswith("__") and name not in dir(object) and name not in ("__dict__", "__weakref__", "__module__")
    }


def their_schema(name: str) -> Any:
    fn = importlib.import_module("nvidia.dali.fn")
    function = functools.reduce(getattr, name.split("."), fn)
    return importlib.import_module("nvidia.dali.backend").GetSchema(getattr(function, "_schema_name", "ExternalSource"))


def test_every_pipeline_argument(nvidia: ModuleType) -> None:
    theirs = {
        *inspect.signature(nvidia.Pipeline.__init__).parameters,
        *inspect.signature(nvidia.pipeline_def).parameters,
    }
    assert theirs - {"self", "fn", "pipeline_kwargs"} == set(PIPELINE_ARGUMENTS)


@pytest.mark.parametrize("name", PIPELINE_ARGUMENTS)
def test_pipeline_arguments_do_what_the_table_says(name: str) -> None:
    support = PIPELINE_ARGUMENTS[name]
    values = {"batch_size": 3, "num_threads": 1, "device_id": None, "prefetch_queue_depth": 1, "output_dtype": our_types.FLOAT, "output_ndim": 0,
              "output_layout": None, "seed": 5, "exec_async": False, "exec_pipelined": False,
              "stream_policy": dali_studio.StreamPolicy.SINGLE, "concurrency": dali_studio.OperatorConcurrency.FULL}  # fmt: skip
    value = values.get(name, True)
    if support.status == "refused":
        with pytest.raises(DaliStudioError, match=f"{name}.*not available: {re.escape(support.reason)}"):
            Pipeline(**{"batch_size": 1, name: value})
        return
    from dali_studio import fn, pipeline_def

    @pipeline_def(batch_size=2, enable_checkpointing=name == "checkpoint")
    def define() -> Any:
        return fn.random.uniform(range=(0, 1))

    made = define(**{name: define().checkpoint() if name == "checkpoint" else value})
    assert len(made.run()[0]) == (3 if name == "batch_size" else 2)


@pytest.mark.parametrize(
    "options", [{}, {"exec_dynamic": False}, {"experimental_exec_dynamic": True}, {"prefetch_queue_depth": 3}, {"set_affinity": True}],
    ids=str,
)  # fmt: skip
def test_pipelines_say_how_they_run(nvidia: ModuleType, options: dict[str, Any]) -> None:
    names = ("exec_dynamic", "exec_pipelined", "exec_async", "exec_separated", "prefetch_queue_depth", "cpu_queue_size", "set_affinity",
             "seed", "py_num_workers", "py_start_method", "max_streams", "default_cuda_stream_priority", "device_id")  # fmt: skip
    ours, theirs = ({name: getattr(made, name) for name in names}
                    for made in (Pipeline(2, 1, None, **options), nvidia.Pipeline(2, 1, None, **options)))  # fmt: skip
    assert ours == theirs


@pytest.mark.parametrize(("option", "name"), [("stream_policy", "StreamPolicy"), ("concurrency", "OperatorConcurrency")])
def test_enumerations_of_the_executor_are_those_of_nvidia_dali(nvidia: ModuleType, option: str, name: str) -> None:
    ours, theirs = getattr(dali_studio, name), getattr(nvidia, name)
    assert list(ours.__members__) == list(theirs.__members__)
    assert getattr(dali_studio.pipeline, name) is ours
    for member in (*ours, *theirs):
        assert getattr(Pipeline(1, 1, None, **{option: member}), option) is member
    with pytest.raises(DaliStudioError, match=f"{option} is 'SINGLE'; {name}\\..* or {name}.UNSPECIFIED is accepted"):
        Pipeline(1, 1, None, **{option: "SINGLE"})


def test_every_pipeline_method_and_property(nvidia: ModuleType) -> None:
    assert public(nvidia.Pipeline) <= set(PIPELINE_METHODS)


@pytest.mark.parametrize("name", [name for name, support in PIPELINE_METHODS.items() if support.status == "refused"])
def test_refused_methods_say_why(name: str) -> None:
    with pytest.raises(DaliStudioError, match=f"{name} is not available: ") as caught:
        getattr(Pipeline(batch_size=1), name)()
    assert caught.value.diagnostics[0].hint


@pytest.mark.parametrize("name", [name for name, support in PIPELINE_METHODS.items() if support.status != "refused"])
def test_other_methods_exist_with_their_parameters(nvidia: ModuleType, name: str) -> None:
    ours = getattr(Pipeline(batch_size=1), name)
    theirs = getattr(nvidia.Pipeline, name, None)
    if theirs is None or isinstance(theirs, property) or not callable(theirs):
        return
    wanted = [p for p in inspect.signature(theirs).parameters if p != "self"]
    assert list(inspect.signature(ours).parameters)[: len(wanted)] == wanted, name


def test_every_data_node_method(nvidia: ModuleType) -> None:
    theirs = importlib.import_module("nvidia.dali.data_node").DataNode
    assert public(theirs) <= set(DATA_NODE_METHODS)
    assert own_operators(theirs) <= set(dir(DataNode))


REFUSED_NODES = """
bool(x)
list(x)
""".strip().splitlines()


@pytest.mark.parametrize("expression", REFUSED_NODES)
def test_refused_uses_of_data_nodes_say_why(expression: str) -> None:
    from dali_studio import fn

    with Pipeline(batch_size=1), pytest.raises(DaliStudioError, match="not available: ") as caught:
        eval(expression, {"x": fn.random.uniform(name="angle")})
    found = caught.value.diagnostics[0]
    assert (found.code, found.node) == ("DS106", "angle")
    assert found.source


@pytest.mark.parametrize(("ours", "name"), [(TensorCPU, "TensorCPU"), (TensorListCPU, "TensorListCPU")])
def test_every_tensor_method(nvidia: ModuleType, ours: type, name: str) -> None:
    theirs = getattr(importlib.import_module("nvidia.dali.tensors"), name)
    assert public(theirs) <= public(ours)
    assert own_operators(theirs) <= set(dir(ours))


def test_every_name_of_types(nvidia: ModuleType) -> None:
    theirs = importlib.import_module("nvidia.dali.types")
    internal = {"backend_impl", "ctypes", "dali_type_converters", "re", "tfrec", "unique"}
    missing = public(theirs) - public(our_types) - internal
    assert missing == set(TYPE_NAMES)
    for name in public(theirs) & public(our_types):
        value = getattr(theirs, name)
        if type(value).__name__ in ("DALIDataType", "DALIImageType", "DALIInterpType"):
            mine = getattr(our_types, name)
            assert (type(mine).__name__, mine.name, int(mine), str(mine)) == (
                type(value).__name__,
                value.name,
                int(value),
                str(value),
            )
    for name in TYPE_NAMES:
        with pytest.raises(AttributeError, match=TYPE_NAMES[name].reason):
            getattr(our_types, name)


@pytest.mark.parametrize("kind", ["DALIDataType", "DALIImageType", "DALIInterpType", "PipelineAPIType"])
def test_enumerations(nvidia: ModuleType, kind: str) -> None:
    theirs = getattr(importlib.import_module("nvidia.dali.types"), kind)
    ours = getattr(our_types, kind)
    members = {
        name: int(member) if hasattr(member, "__int__") else member.value
        for name, member in theirs.__members__.items()
        if not name.startswith("_")
    }
    assert members.items() == {name: ours[name].value for name in members}.items()


@pytest.mark.parametrize("name", ["SampleInfo", "BatchInfo"])
def test_source_infos_have_the_same_fields(nvidia: ModuleType, name: str) -> None:
    theirs = getattr(importlib.import_module("nvidia.dali.types"), name)
    assert list(inspect.signature(theirs).parameters) == list(inspect.signature(getattr(our_types, name)).parameters)


@pytest.mark.parametrize("dtype", ["UINT8", "INT16", "FLOAT", "FLOAT16", "FLOAT64", "BOOL", "INT64"])
def test_conversions_of_types(nvidia: ModuleType, dtype: str) -> None:
    theirs = importlib.import_module("nvidia.dali.types")
    assert our_types.to_numpy_type(getattr(our_types, dtype)) == theirs.to_numpy_type(getattr(theirs, dtype))
    back = our_types.to_numpy_type(getattr(our_types, dtype))
    assert our_types.to_dali_type(back).name == theirs.to_dali_type(back).name


@pytest.mark.parametrize("name", OPERATORS)
def test_every_argument_of_every_operator(nvidia: ModuleType, name: str) -> None:
    schema, theirs = REGISTRY.schema(name), their_schema(name)
    ours = {argument.name: argument for argument in schema.arguments}
    names = set(theirs.GetArgumentNames())
    assert names <= set(ours)
    ours = {name: one for name, one in ours.items() if name not in HIDDEN_ARGUMENTS or not theirs.HasArgument(name)}
    refused = {argument.name for argument in schema.arguments if argument.support == "refused"}
    assert set(ours) - names - OWN_ARGUMENTS - (refused - PYTHON_ARGUMENTS) == (PYTHON_ARGUMENTS if name == "external_source" else set())
    assert {a for a in names if theirs.IsTensorArgument(a)} - NOT_FED.get(name, set()) == {
        a for a in names if ours[a].tensor
    }
    required = {a for a in names if not theirs.IsArgumentOptional(a) or (name, a) in REQUIRED_WHEN_BUILT}
    assert required == {a for a in names if ours[a].required}
    assert (theirs.MinNumInput(), theirs.MaxNumInput()) == (schema.least_inputs, schema.most_inputs)
    assert all(argument.support == "used" or argument.reason for argument in schema.arguments)
    assert all(argument.doc or argument.support != "used" for argument in schema.arguments)


@pytest.mark.parametrize("name", OPERATORS)
def test_defaults_are_the_same(nvidia: ModuleType, name: str) -> None:
    theirs = their_schema(name)
    for argument in REGISTRY.schema(name).arguments:
        known = argument.name in theirs.GetArgumentNames() and theirs.HasArgumentDefaultValue(argument.name)
        if known and (name, argument.name) not in OTHER_DEFAULTS:
            text = theirs.GetArgumentDefaultValueString(argument.name)
            assert _comparable(argument.default, argument.type) == _comparable(_parsed(text), argument.type), (
                argument.name
            )


def _parsed(text: str) -> Any:
    try:
        return eval(text.replace("[]", "None"), {})
    except (NameError, SyntaxError):
        return text


def _comparable(value: Any, kind: str) -> Any:
    if value in (None, -1, "", ()):
        return None
    if isinstance(value, list | tuple):
        return tuple(_comparable(item, kind) for item in value)
    enums = {
        "data_type": our_types.DALIDataType,
        "image_type": our_types.DALIImageType,
        "interp_type": our_types.DALIInterpType,
    }
    if kind in enums:
        return int(enums[kind][value]) if isinstance(value, str) else int(value)
    return round(float(value), 5) if isinstance(value, int | float) else value


def test_external_source_takes_every_argument_of_the_function(nvidia: ModuleType) -> None:
    fn = importlib.import_module("nvidia.dali.fn")
    theirs = set(inspect.signature(fn.external_source).parameters) - {"kwargs", "name", "device"}
    assert theirs <= {argument.name for argument in REGISTRY.schema("external_source").arguments}


def _schemas() -> list[OperatorSchema]:
    return [REGISTRY.schema(name) for name in OPERATORS]


REFUSED_ARGUMENTS = [
    (schema.name, argument.name)
    for schema in _schemas()
    for argument in schema.arguments
    if argument.support == "refused"
]


@pytest.mark.parametrize(("operator", "argument"), REFUSED_ARGUMENTS)
def test_refused_arguments_say_why(operator: str, argument: str) -> None:
    from dali_studio.graph.model import Graph
    from dali_studio.graph.node import Node
    from dali_studio.graph.validate import validate

    kinds: dict[str, Any] = {
        "float": 7.0,
        "int": 7,
        "bool": True,
        "string": "x",
        "data_type": "INT16",
        "float_list": (7.0,),
        "image_type": "GRAY",
    }
    schema = REGISTRY.schema(operator)
    declared = schema.argument(argument)
    assert declared is not None
    graph = Graph()
    graph.add_node(Node(key="node", operator=operator, arguments={argument: kinds[declared.type]}))
    found = [
        d
        for d in validate(graph, REGISTRY).diagnostics
        if d.argument == argument and d.code == "DS106" and d.severity == "error"
    ]
    assert len(found) == 1
    assert declared.reason in found[0].message
    assert found[0].hint

"""The CUDA sources that are generated for a plan, without running it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dali_studio.compiler.plan import BatchStage, Plan, Segment, Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.kernels.cuda.generate import source, spec_of, template_of
from dali_studio.kernels.cuda.parts import Part
from dali_studio.schema.arguments import Args
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import Elementwise, PixelPart, SourcePart

_LARGE = 1 << 13


def generated(graph: Graph, plan: Plan, registry: Registry) -> list[tuple[tuple[str, ...], str]]:
    """The nodes that a kernel computes and its text, for each generated kernel of a valid graph's plan.

    Where an element type is known at run time only, the text says so in place of the source.
    """
    metas = validate(graph, registry).metas
    found: list[tuple[tuple[str, ...], str]] = []
    for stage in plan.stages:
        if isinstance(stage, Segment):
            continue
        steps = (stage.step,) if isinstance(stage, BatchStage) else stage.steps
        traits = registry.operator(steps[0].operator).traits
        if len(steps) == 1 and Elementwise in traits:
            continue
        if steps[0].device == "gpu" and (PixelPart in traits or SourcePart in traits):
            found.append((tuple(step.key for step in steps), _text(steps, metas, registry)))
    return found


def _text(steps: Sequence[Step], metas: Mapping[PortRef, TensorMeta], registry: Registry) -> str:
    ports = [steps[0].inputs[0], *(step.outputs[0] for step in steps)]
    unknown = [port.node for port in ports if metas[port].dtype is None]
    if unknown:
        return f"// the element type of {unknown[0]} is known when it runs"
    dtypes = [to_numpy(meta.dtype) for port in ports if (meta := metas[port]).dtype is not None]
    try:
        parts = _parts(steps, metas[ports[0]], dtypes[1:], registry)
    except ArgumentError as error:
        return f"// not known before it runs: {error.message}"
    if parts is None:
        return "// these steps run one by one"
    planar_in, planar_out = (metas[port].layout == "CHW" for port in (ports[0], ports[-1]))
    return source(spec_of(template_of(parts), parts, dtypes, planar_in=planar_in, planar_out=planar_out))


def _parts(
    steps: Sequence[Step], meta: TensorMeta, dtypes: Sequence[np.dtype[Any]], registry: Registry
) -> list[Part] | None:
    """The parts for one large RGB image: their text is that of every batch.

    What is wired into an argument is what the argument begins with in a new node, else 1.
    """
    layout = meta.layout or ("HWC" if meta.ndim in (None, 3) else "")
    extents = {letter: 3 if letter == "C" else _LARGE for letter in layout}
    shape = list(extents.values()) or [_LARGE] * (meta.ndim or 1)
    view = Batch.view(meta.with_(ndim=len(shape), layout=layout), np.array([shape], np.int64))
    parts: list[Part] = []
    for step, dtype in zip(steps, dtypes, strict=True):
        schema, operator = registry.schema(step.operator), registry.operator(step.operator)
        declared = [argument for argument in schema.arguments if argument.name in step.argument_inputs]
        fixed = {argument.name: argument.start for argument in declared if argument.start is not None}
        wired = {argument.name: [np.ones((), np.float32)] for argument in declared if argument.name not in fixed}
        args = Args(schema, {**step.arguments, **fixed}, wired, 1, step.objects)
        (meta,) = registry.infer(step.operator, args, [view.meta])
        work = operator.plan(args, view)
        part = operator.part(work, view, dtype)
        if part is None:
            return None
        parts.append(part)
        view = Batch.view(meta.with_(ndim=work.shapes.shape[1]), work.shapes)
    return parts

"""Running fused stages: several steps on a GPU by one generated kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, cast

from dali_studio.compiler.plan import FusedStage, Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.replay import Replays
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.warp import Affine, composed_part
from dali_studio.runtime.frames import Frames
from dali_studio.runtime.later import Preparing
from dali_studio.runtime.planning import Planned, Planner
from dali_studio.schema.arguments import Args
from dali_studio.schema.sequences import is_sequence, sequence_of
from dali_studio.schema.traits import Elementwise, PerFrame, Pointwise


def run_fused(
    stage: FusedStage, args: Callable[[Step, Frames | None], Args], image: Batch, planner: Planner,
    stream: GpuStream, replays: dict[str, Replays] | None,
    failures: Callable[[Step], AbstractContextManager[None]], *, later: bool = False,
) -> Batch | None:  # fmt: skip
    """Turn the steps of a fused stage into one launch.

    Parameters
    ----------
    args : callable
        Makes a step's arguments for this batch, or for the frames of its sequences.
    image : Batch
        The input of the first step.
    planner : Planner
    stream : GpuStream
    replays : dict or None
        Takes what can be repeated, by the last step; ``None`` while launches are measured.
    failures : callable
        Names the step in what fails inside.
    later : bool
        Only prepare the launch, if samples are no sequences: the result is a `Later`.

    Returns
    -------
    Batch or None
        The result of the last step; ``None`` if one of the steps has no part for this batch, or they see sequences in
        different ways.
    """
    by_frame = _by_frame(stage, args, image, planner)
    if by_frame is None:
        return None
    frames = Frames.of([image]) if by_frame else None
    parts: list[Part] = []
    maps: list[Affine] = []
    dtypes: list[Any] = []
    chain: list[Planned] = []
    step = stage.steps[0]
    source = view = image if frames is None else frames.apart(image)
    try:
        for number, step in enumerate(stage.steps):
            planned = planner.plan(step, partial(args, step, frames), (view,))
            dtypes.append(planned.dtype)
            chain.append(planned)
            if number < stage.warps:
                found = planned.operator.affine(planned.work, view)
                if found is None:
                    return None
                maps.append(found)
                if len(maps) == stage.warps:
                    parts.append(composed_part(maps))
            else:
                part = planned.part(view)
                if part is None:
                    return None
                parts.append(part)
            view = Batch.view(planned.meta, planned.work.shapes, view.sources)
        del dtypes[: len(dtypes) - len(parts)]  # those between steps that are one resampling
        meta, shapes = view.meta, view.shapes
        if frames is not None:
            meta, shapes = sequence_of(meta), frames.together(shapes)
        del dtypes[-1]
        if later and frames is None and len(image):
            preparing = Preparing(stream)
            made = preparing.batch(meta, shapes, image.sources)
            chains.run(source, made, parts, dtypes, cast(GpuStream, preparing))
            if preparing.started is not None:  # nothing is launched where there is nothing to do
                return preparing.results(made, image, parts)
        made = stream.batch(meta, shapes, image.sources)
        target = made if frames is None else frames.apart(made)
        call = partial(chains.run, source, target, parts, dtypes, stream)
        _run(call, chain, source, target, stream, replays, None if frames is not None else step.key)
    except Exception as error:
        if frames is not None and isinstance(error, ArgumentError) and error.sample is not None:
            error.sample = frames.sample_of(error.sample)
        with failures(step):
            raise
    return made


def _run(
    call: Callable[[], None], chain: Sequence[Planned], source: Batch, target: Batch, stream: GpuStream,
    replays: dict[str, Replays] | None, key: str | None,
) -> None:  # fmt: skip
    """Launch the kernel of a chain, or repeat that; what can be repeated is found by `key` from now on."""
    known = None if replays is None else chain[-1].replays_behind(tuple(chain))
    if replays is None or known is None:
        call()
        return
    known.enqueue((source,), (target,), stream, call)
    if key is not None:
        replays[key] = known


def _by_frame(
    stage: FusedStage, args: Callable[[Step, Frames | None], Args], image: Batch, planner: Planner
) -> bool | None:
    """Whether the steps see frames as samples; ``None`` if they see sequences in different ways."""
    steps = [(step, planner.operator(step)) for step in stage.steps]
    framed = [(step, operator) for step, operator in steps if PerFrame in operator.traits]
    if not framed or not is_sequence(image.meta):
        return False
    if not all({PerFrame, Pointwise, Elementwise} & {*operator.traits} for _, operator in steps):
        return None
    return all(operator.by_frame(args(step, None), image.meta) for step, operator in framed) or None

"""Traits: what compiler passes and the runtime may know of an operator beyond its schema.

A trait is a promise about behaviour. Passes look at traits, never at operator names.
"""

from __future__ import annotations


class Trait:
    """Base of all traits; the class name is what schemas and plans print."""


class PerSample(Trait):
    """Each output sample depends on the same sample of the inputs alone; ``plan`` and ``cpu`` are defined."""


class ReadsData(Trait):
    """``plan`` looks into the data of its inputs (file headers), so they must exist before it is called."""


class ReadsParameters(Trait):
    """``plan`` looks into the data of all inputs but the first, such as corners, so these must exist before."""


class Pointwise(Trait):
    """Output element (y, x) depends on the input elements at (y, x) alone; shape and layout are kept."""


class Elementwise(Trait):
    """Of one input: as ``Pointwise``, whatever its axes. Alone it has a kernel of its own, which broadcasts several."""


class ReadsPart(Trait):
    """Reads no more of its first input than it writes."""


class WindowSource(Trait):
    """``cpu`` accepts ``window=(y, x, h, w)`` and computes only that part of its output."""


class WindowSink(Trait):
    """Reads only a window of its first input: ``window`` gives it, ``for_window`` the work for a cut-out input."""


class PixelPart(Trait):
    """``part`` gives a piece of a generated kernel: each output pixel follows from one input pixel, or is filled."""


class SourcePart(Trait):
    """``part`` gives the first piece of a generated kernel: each output pixel follows from pixels anywhere."""


class Affine(Trait):
    """``affine`` gives the map from output to input points, so that several can be one resampling (approximate)."""


class Allocates(Trait):
    """``cpu`` returns an array (perhaps a view) of its own if its output is ``None``."""


class PerFrame(Trait):
    """Works on each frame of a sequence (layouts that begin with F) alone.

    The runtime takes sequences apart, where ``by_frame`` does not say otherwise.
    """


class FramesFromArguments(Trait):
    """With ``PerFrame``: arguments that have a value for each frame make sequences, too, of inputs without frames."""


class MadeOnCpu(Trait):
    """On a GPU, too, ``run`` computes on the CPU, of inputs from shapes alone, and the results are uploaded.

    With a ``run_gpu`` some of the results may lie on the GPU, as batches of `GpuStream.apart`; the others are uploaded.
    """


class SharesMemory(Trait):
    """Results are samples of the first input, where they are; ``run`` looks at shapes and arguments alone."""


class MovesSamples(Trait):
    """``run`` puts samples of its inputs into another order, without a look at their data; a GPU copies them."""


class Enqueues(Trait):
    """On a GPU ``run_gpu`` only enqueues work, as ``gpu`` does: it neither waits nor calls the program."""


class Repeatable(Trait):
    """What ``run_gpu`` launches follows from the constant arguments, and types, shapes and places of the inputs."""


class AnyElement(Trait):
    """Moves or converts elements, and computes nothing: members of enumerations are taken as well as numbers."""


class MixesSamples(Trait):
    """A sample of the output, or its shape, may follow from other samples, which previews of some of them lack."""


class RandomSource(Trait):
    """Draws from the operator's counter-based stream."""

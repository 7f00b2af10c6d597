"""Declaring an operator: one class, from which schema, functions, palette, inspector and tests are derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.schema import marks
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import JpegImages, Work
from dali_studio.schema.derive import schema_of
from dali_studio.schema.model import (
    Device,
    InDialect,
    InputSchema,
    Movement,
    OperatorSchema,
    OutputSchema,
    Role,
    Value,
)
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import MadeOnCpu, PerSample, Trait

if TYPE_CHECKING:
    from dali_studio.schema.samples import Case


def Input(  # noqa: N802 - reads as a declaration
    name: str,
    kind: Kind = "any",
    *,
    layouts: str = "",
    dtypes: Sequence[DALIDataType] = (),
    optional: bool = False,
    repeated: tuple[int, int] | None = None,
    either_device: bool = False,
    shape_only: bool = False,
    of_sound: str = "",
    doc: str = "",
) -> InputSchema:
    """Declare a positional input; `layouts` are words separated by blanks, `repeated` says how often it may come."""
    return InputSchema(
        name=name,
        kind=kind,
        layouts=tuple(layouts.split()),
        dtypes=tuple(d.name for d in dtypes),
        optional=optional,
        repeated=repeated,
        either_device=either_device or shape_only,
        shape_only=shape_only,
        of_sound=of_sound,
        doc=doc,
    )


def Output(  # noqa: N802 - reads as a declaration
    name: str, kind: Kind = "any", doc: str = "", *, on_cpu: bool = False, of_input: str = ""
) -> OutputSchema:
    """Declare an output; one that is `on_cpu` lies there wherever the operator runs.

    One that is `of_input` is there if that optional input is.
    """
    return OutputSchema(name=name, kind=kind, doc=doc, on_cpu=on_cpu, of_input=of_input)


#: Inputs and outputs of one sample: arrays, and ``None`` for an output that an operator with `Allocates` makes itself.
Arrays = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Example:
    """Arguments under which conformance tests run the operator, or galleries show it."""

    arguments: dict[str, Any]


def example(**arguments: Any) -> Example:
    """Declare an example."""
    return Example(arguments)


@dataclass(frozen=True, slots=True)
class Compiled:
    """Element types that a C++ kernel is compiled for.

    Attributes
    ----------
    kernel : str
        Name of the function template in `kernels/cpu`.
    types : tuple
        For each parameter of the template, inputs first, the types that it takes. All combinations are compiled, and
        what several operators declare for one kernel is joined.
    """

    kernel: str
    types: tuple[tuple[DALIDataType, ...], ...]


@dataclass(frozen=True, slots=True)
class Functor:
    """A C++ struct that computes each element, or each pixel, of the output from the same one of the input.

    Attributes
    ----------
    name : str
        Of the struct; its fields are floats.
    header : str
        File of `kernels/include`, without suffix.
    inputs, outputs : tuple
        Element types; all pairs are compiled.
    rgb : bool
        Whether it takes the three channels of a pixel, and is called for each channel of the result.
    """

    name: str
    header: str
    inputs: tuple[DALIDataType, ...]
    outputs: tuple[DALIDataType, ...]
    rgb: bool = False


def named(dialect: str, name: str = "", *, since: str = "", gpu_only: bool = False) -> InDialect:
    """Declare how a dialect calls the operator, if not by the same path, the first version that has it, and devices."""
    return InDialect(dialect=dialect, name=name, since=since, gpu_only=gpu_only)


def absent(dialect: str, instead: str, *, because: str = "it has no such function") -> InDialect:
    """Declare that a dialect lacks the operator; `instead` says, as a sentence, what replaces it there."""
    if not instead:
        raise ValueError(f"say what a program for {dialect} does instead")
    return InDialect(dialect=dialect, absent=because, instead=instead)


def compiled(kernel: str, *types: Sequence[DALIDataType]) -> Compiled:
    """Declare the element types that an operator needs a kernel for."""
    return Compiled(kernel, tuple(tuple(of_one) for of_one in types))


class CommonArguments:
    """Arguments that every operator takes."""

    preserve: Annotated[bool, marks.Doc("Keep the operator in the run even if no output depends on it.")] = False
    bytes_per_sample_hint: Annotated[
        list[int], marks.Ignored("memory is recycled between iterations, so that no hint is needed")
    ] = [0]  # noqa: RUF012 - a declaration, read once


class Operator(CommonArguments):
    """Base of all operators. Subclasses declare facts as class attributes and arguments as annotations.

    A per-sample operator (trait ``PerSample``) defines ``infer``, ``plan`` and ``cpu`` (and ``cpu_batch`` if its
    samples may be small), and ``gpu`` if it offers that device (and ``part`` if a generated kernel can do it with
    other steps); any other defines ``infer``, ``open`` and ``run``, and ``run_gpu`` if it works on a GPU.
    """

    schema: ClassVar[OperatorSchema]

    path: ClassVar[str] = ""
    category: ClassVar[str] = ""
    icon: ClassVar[str] = ""
    node_name: ClassVar[str] = ""
    keywords: ClassVar[str] = ""
    inputs: ClassVar[tuple[InputSchema, ...]] = ()
    outputs: ClassVar[tuple[OutputSchema, ...]] = (OutputSchema(name="output"),)
    traits: ClassVar[tuple[type[Trait], ...]] = ()
    devices: ClassVar[tuple[Device, ...]] = ("cpu",)
    examples: ClassVar[tuple[Example, ...]] = ()
    shown: ClassVar[Example | None] = None
    kernels: ClassVar[tuple[Compiled, ...]] = ()
    functor: ClassVar[Functor | None] = None
    version: ClassVar[int] = 1
    seeded: ClassVar[bool] = False
    stateful: ClassVar[bool] = False
    keep: ClassVar[bool] = False
    hidden: ClassVar[bool] = False
    deprecated: ClassVar[str] = ""
    tolerance: ClassVar[tuple[Tolerance, ...]] = ()
    dialects: ClassVar[tuple[InDialect, ...]] = ()
    movement: ClassVar[Movement | None] = None
    former: ClassVar[tuple[str, ...]] = ()
    role: ClassVar[Role] = ""
    by_name: ClassVar[bool] = False

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        super().__init_subclass__()
        if not abstract:
            _check_devices(cls)
            cls.schema = schema_of(cls)

    @classmethod
    def samples(cls) -> Sequence[Case]:
        """What the conformance tests try the operator with: by default, what follows from its schema and examples.

        To add cases, return ``[*super().samples(), Case(...)]``. How far results may be from those that they are
        compared with is said by `tolerance`; the first that holds counts, and without one they must be equal.
        """
        from dali_studio.schema import samples  # noqa: PLC0415 - for tests alone

        return samples.derived(cls.schema, [example.arguments for example in cls.examples])

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> Any:
        """What the CPU's result is compared with: the formula once more, written for NumPy as plainly as can be.

        Needed of operators that nvidia.dali lacks; optional for the others.

        Parameters
        ----------
        arguments : mapping
            All of the operator's, with defaults; a fed one has the value of the sample.
        inputs : ndarray
            One sample, or one frame of it for operators with the trait ``PerFrame``.

        Returns
        -------
        ndarray or tuple of ndarray
            The sample of each output, of the element type that ``infer`` says.
        """
        raise NotImplementedError

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta | tuple[TensorMeta, ...]:
        """Types of the outputs, from types of the inputs; raises `ArgumentError` for what is not acceptable."""
        raise NotImplementedError

    @staticmethod
    def by_frame(args: Args, *inputs: TensorMeta) -> bool:
        """Whether sequences are taken apart now, for operators with the trait ``PerFrame``."""
        return True

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        """The outputs under these arguments (only operators with a varying number override it)."""
        return schema.outputs

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        """Shapes and parameters of a whole batch, vectorised."""
        raise NotImplementedError

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> NDArray[Any] | None:
        """Compute sample `index` of `inputs` into `outputs`; releases the GIL inside.

        An operator with the trait ``Allocates`` may get ``None`` as output and return an array of its own.
        """
        raise NotImplementedError

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        """Compute all samples in one call, from what it gives alone no other result than ``cpu``.

        The executor uses it where samples are small, so that Python is asked once for a batch.
        """
        raise NotImplementedError

    @staticmethod
    def cpu_ranges(
        work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]
    ) -> Callable[[int, int], Sequence[int] | None] | None:
        """What computes the samples from one to before another in one compiled call, as ``cpu`` does.

        The executor shares such calls out among its threads where no other step works on the samples meanwhile: a task
        for each of them would wait for the interpreter longer than it takes. What it returns, if anything, are samples
        that it leaves to ``cpu``. ``None``: not with this batch.
        """
        raise NotImplementedError

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: Any) -> None:
        """Enqueue the computation of a whole batch on a GPU, with the same `work` as ``cpu`` gets.

        Parameters
        ----------
        work : Work
            From ``plan``, whose arrays over the batch become the kernel's table of descriptors.
        inputs : sequence of Batch
        outputs : sequence of Batch
            To be written; they have the shapes of `work` and the types that ``infer`` gave.
        stream : `kernels.cuda.stream.GpuStream`
        """
        raise NotImplementedError

    @staticmethod
    def jpeg_images(work: Work) -> JpegImages | None:
        """For decoders on the device "mixed": what compiled code, or hardware, decodes to the pixels of ``cpu``."""
        return None

    @staticmethod
    def decode(work: Work, index: int, inputs: Arrays, out: Any) -> None:
        """For decoders on the device "mixed" that use hardware themselves: ``cpu``, into device memory.

        Parameters
        ----------
        work : Work
        index : int
        inputs : sequence of ndarray
            In host memory.
        out : `kernels.cuda.video.DeviceFrames`
            To be written on the default stream.
        """
        raise NotImplementedError

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Any:
        """What ``gpu`` does as a piece of a generated kernel that does several steps at once, bit for bit the same.

        Only operators with the trait ``PixelPart`` or ``SourcePart`` define it.

        Parameters
        ----------
        work : Work
        image : Batch
            The input, without data.
        dtype : numpy.dtype
            Of the output.

        Returns
        -------
        `kernels.cuda.parts.Part` or None
            ``None``: not for this input; the steps then run one by one.
        """
        raise NotImplementedError

    @staticmethod
    def affine(work: Work, image: Batch) -> Any:
        """The map of an operator with the trait ``Affine``, for the input `image`, which has no data.

        Returns
        -------
        `kernels.cuda.warp.Affine` or None
            ``None``: this batch is no affine map (an antialiased resize, another layout than HWC).
        """
        raise NotImplementedError

    @staticmethod
    def window(work: Work) -> NDArray[np.int64] | None:
        """What a ``WindowSink`` reads of its input: (N, 4) rows (y, x, height, width); ``None`` if it is not inside."""
        raise NotImplementedError

    @staticmethod
    def for_window(work: Work) -> Work:
        """The work of a ``WindowSink`` whose input has been cut to `window` already."""
        raise NotImplementedError

    @staticmethod
    def open(args: Args) -> Any:
        """State of a batch operator over a run, kept by the executor; ``None`` if there is none."""
        return None

    @staticmethod
    def seek(state: Any, args: Args, now: int, wanted: int) -> int:
        """Move a state that stands before iteration `now` towards `wanted`, forward or back.

        Returns the iteration before which it stands then. It is called again until that is `wanted`, and may do a part
        of the way that takes a fraction of a second: between two calls the user may ask for something else.
        """
        return wanted

    @staticmethod
    def close(state: Any) -> None:
        """End the threads of a state; nothing is asked of it any more."""

    @staticmethod
    def run(state: Any, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        """One iteration of a batch operator: the samples ``args.context.indices`` of the batch."""
        raise NotImplementedError

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: Any) -> tuple[Batch, ...]:
        """The same with inputs on a GPU; what it gives lies there, or where its `Output` says."""
        raise NotImplementedError

    @staticmethod
    def save(state: Any) -> dict[str, Any]:
        """What a state is before the next iteration: plain values and arrays, from which ``restore`` makes it again."""
        return {}

    @staticmethod
    def restore(state: Any, saved: Mapping[str, Any]) -> None:
        """Bring a state that ``open`` made to where another one was when it was saved."""

    @staticmethod
    def reader_meta(state: Any) -> dict[str, int]:
        """Sizes of the data set, for operators with the role ``reader``."""
        raise NotImplementedError


class RangesOperator(Operator, abstract=True):
    """An operator whose ``cpu_ranges`` takes every batch, leaves no sample, and so does a whole batch, too."""

    @staticmethod
    def cpu_ranges(
        work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]
    ) -> Callable[[int, int], None]:  # fmt: skip
        """What computes the samples from one to before another in one compiled call, as ``cpu`` does."""
        raise NotImplementedError

    @classmethod
    def cpu_batch(  # pyright: ignore[reportIncompatibleMethodOverride] - it is called on the class alone
        cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]
    ) -> None:
        """Compute all samples in one call."""
        cls.cpu_ranges(work, inputs, outputs)(0, len(work.shapes))


def overrides(cls: type[Operator], method: str) -> bool:
    """Whether an operator, or a base of it, defines an optional method."""
    return getattr(cls, method) is not getattr(Operator, method)


def _check_devices(cls: type[Operator]) -> None:
    """Refuse operators that offer a GPU without code for it: they would be fed what they cannot read."""
    if "gpu" not in cls.devices or MadeOnCpu in cls.traits or cls.role in ("copy", "external_source"):
        return
    here, method = ("cpu", "gpu") if PerSample in cls.traits else ("run", "run_gpu")
    if overrides(cls, here) and not overrides(cls, method):
        raise TypeError(
            f'{cls.__name__} offers the device "gpu" but does not define {method}(); define it, take "gpu" out of '
            "devices, or say by the trait MadeOnCpu that results are made on the CPU and uploaded"
        )

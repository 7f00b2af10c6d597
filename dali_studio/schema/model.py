"""The serialisable description of an operator: what graph, code generation and the browser see of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from dali_studio.core.meta import Kind

ArgumentType = Literal[
    "float", "int", "bool", "string", "data_type", "image_type", "interp_type", "layout",
    "float_list", "int_list", "string_list", "data_type_list", "interp_type_list", "features", "object",
]  # fmt: skip
#: The inspector's controls. A closed union: the front end switches over it exhaustively.
Widget = Literal["slider", "dial", "number", "switch", "choice", "text", "numbers", "range", "path", "files", "none"]
Device = Literal["cpu", "gpu", "mixed"]
#: How other parts find an operator without knowing its name.
Role = Literal[
    "", "reader", "external_source", "copy", "constant", "split", "merge", "not", "arithmetic", "subscript", "transform"
]  # fmt: skip
#: ``used``: has its effect. ``ignored``: accepted without effect. ``refused``: a diagnostic gives the reason.
Support = Literal["used", "ignored", "refused"]
#: What a value may be in a document: JSON scalars and lists; enumeration members travel by name.
Value = None | bool | int | float | str | tuple[bool | int | float | str | None, ...]


class ArgumentSchema(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One argument of an operator.

    Attributes
    ----------
    type
        Element type; ``*_list`` types take a scalar or a list.
    default
        JSON form; ``None`` means unset (the operator decides).
    tensor
        May be fed per sample by an edge (an argument input).
    minimum, maximum
        The hard range, inclusive.
    span
        The handy interval of a slider, or empty.
    start
        What a new node of the designer begins with; ``None``: the front end chooses for required arguments alone.
    common
        Shown in the inspector before "Show more".
    per_output
        Takes a list as well: one value for each output.
    any_number
        A wire may bring numbers of any type.
    truncated
        Fractions of an integer are cut off.
    support, reason
        Whether the argument acts here; `reason` is the sentence shown if it does not.
    """

    name: str
    type: ArgumentType
    doc: str = ""
    unit: str = ""
    default: Value = None
    required: bool = False
    tensor: bool = False
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    spellings: dict[str, str] = {}
    length: tuple[int, ...] = ()
    widget: Widget = "none"
    span: tuple[float, ...] = ()
    start: Value = None
    common: bool = False
    per_output: bool = False
    any_number: bool = False
    truncated: bool = False
    support: Support = "used"
    reason: str = ""
    deprecated: str = ""

    @property
    def now(self) -> str:
        """The name of today, of an argument that has been renamed; else empty."""
        return self.deprecated if self.support == "refused" else ""


class InputSchema(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One positional input.

    Attributes
    ----------
    either_device
        On a GPU the operator takes it from the CPU as well.
    repeated
        How many wires it takes, at least and at most; only the last input of an operator is repeated.
    shape_only
        Only its shapes are read, wherever it lies.
    of_sound
        The operator that makes of a sound what it takes; a sound itself would not be understood.
    """

    name: str
    kind: Kind = "any"
    layouts: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    optional: bool = False
    either_device: bool = False
    repeated: tuple[int, int] | None = None
    shape_only: bool = False
    of_sound: str = ""
    doc: str = ""


class OutputSchema(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output.

    Attributes
    ----------
    on_cpu
        It lies on the CPU wherever the operator runs.
    of_input
        The optional input without which there is no such output; empty: it is always there.
    """

    name: str
    kind: Kind = "any"
    doc: str = ""
    on_cpu: bool = False
    of_input: str = ""


class InDialect(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an operator is in a dialect; without an entry it has the same name there.

    Attributes
    ----------
    dialect
        Its name, such as ``nvidia.dali``.
    name
        Path under the dialect's ``fn``; empty: that of the operator.
    since
        First version of the dialect that has it; empty: all that count.
    absent
        Why the dialect lacks it, as a sentence without its end; empty: it has it.
    instead
        What a program does there instead, as a sentence.
    gpu_only
        Whether the dialect has it on the GPU alone: programs for the CPU copy there and back.
    """

    dialect: str
    name: str = ""
    since: str = ""
    absent: str = ""
    instead: str = ""
    gpu_only: bool = False


class Twin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What moves labels of a kind as an operator moves pictures.

    Attributes
    ----------
    kind
        Kind of the labels.
    operator
        Takes them as its first input.
    arguments
        The picture's argument by the twin's, which has the same meaning.
    shape
        The twin's argument that takes the shapes of the pictures before they are moved, in order of their layout.
    shape_layout
        The twin's argument that names this order.
    peek
        The operator that gives the shapes of pictures that are not yet decoded.
    corners
        The twin's argument, and its two values, that says whether boxes are two corners or a corner and a size.
    normalized
        The twin's argument that is false for coordinates in pixels; empty: it takes fractions of the extents alone.
    free
        Arguments of the twin that say how labels are written or kept, and not where they go.
    fixed
        Arguments of the twin, and their values.
    only
        Arguments of the picture's operator, and the only values for which the twin does the same.
    """

    kind: Kind
    operator: str
    arguments: dict[str, str] = {}
    shape: str = ""
    shape_layout: str = ""
    peek: str = ""
    corners: tuple[str, Value, Value] | None = None
    normalized: str = ""
    free: tuple[str, ...] = ()
    fixed: dict[str, Value] = {}
    only: dict[str, Value] = {}


class Windows(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What draws windows for boxes, in place of an operator that draws them for pictures alone.

    Attributes
    ----------
    twin
        Takes boxes and their classes, and gives corners and extents of windows, and the boxes and classes in these.
    drawn
        The picture's arguments by the twin's; areas become lengths (`lengths`).
    cut
        Takes what the picture's operator takes, corners and extents.
    sized
        Gives what was cut out one size; empty: it keeps its own.
    """

    twin: Twin
    drawn: dict[str, str]
    lengths: str
    cut: str
    sized: str = ""


class Apart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What does behind an operator what some of its arguments do.

    Attributes
    ----------
    operator
    arguments
        The operator's arguments by the other one's.
    plain
        The only values of them, if they are not wired, for which it is so; empty: all are.
    """

    operator: str
    arguments: dict[str, str]
    plain: tuple[int, ...] = ()


class Computed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What computes where labels are behind an operator, by sums and transforms.

    Attributes
    ----------
    by
        How it says where to: by a window's relative position, or its corner, by a matrix of an affine map or of a
        perspective, or by an angle about the middle.
    cut
        Cuts boxes to the picture as it is then, and leaves them where they are.
    operators
        Operators by what they do.
    """

    by: Literal["position", "corner", "matrix", "perspective", "angle"]
    cut: Twin
    operators: dict[str, str]


class Movement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How an operator moves the points of its first input.

    Attributes
    ----------
    unless
        Arguments, and the values under which it moves nothing; it moves points if one of them is otherwise. Empty: it
        always does.
    by
        Further arguments that say where to.
    drawn
        It draws by itself where to, so that no other node can do the same.
    windows
        What does so for boxes as well.
    scales
        Points in fractions of the extents stay where they are if these arguments have these values.
    nearest
        The argument, and its value, for masks: they are moved by the operator itself, and no class may be interpolated.
    takes
        The operator whose ``dtype`` gives masks a type that this one moves, and these types, the best first; ``None``:
        it moves all.
    twins
        For labels that are no pictures.
    apart
        What does some of it behind this one, the last first.
    core
        What does the rest of it to masks; empty: itself.
    computed
        What computes where labels are that have no twin; ``None``: nothing.
    words
        What is done to a picture, and what has then been done to it.
    """

    unless: dict[str, Value] = {}
    by: tuple[str, ...] = ()
    drawn: bool = False
    windows: Windows | None = None
    scales: dict[str, Value] | None = None
    nearest: tuple[str, Value] | None = None
    takes: tuple[str, tuple[str, ...]] | None = None
    twins: tuple[Twin, ...] = ()
    apart: tuple[Apart, ...] = ()
    core: str = ""
    computed: Computed | None = None
    words: tuple[str, str] = ("move", "moved")


class OperatorSchema(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that other parts may know of an operator.

    Attributes
    ----------
    name
        Path under ``fn``: ``rotate``, ``decoders.image``.
    class_name
        Path under ``ops``: ``Rotate``, ``decoders.Image``.
    seeded
        Takes an index among the seeds that a pipeline hands out.
    keep
        Never pruned (side effects, or data that must be consumed).
    role
        How other parts find an operator without knowing its name: ``reader``, ``external_source``, ``copy``,
        ``constant``, or empty.
    by_name
        A call gives a dictionary of its outputs by their names.
    node_name
        How new nodes are called, e.g. ``decode``; never empty.
    keywords
        Other words under which a search finds it.
    hidden
        No palette shows it.
    deprecated
        Path under ``fn`` of the other operator that replaces it; a call of it warns.
    dialects
        What it is in dialects where that is not the same function under the same name.
    movement
        How it moves the points of pictures; ``None``: it does not.
    former
        Other paths under ``fn``, which are deprecated.
    shown
        Arguments with which galleries show what it does to a photo; ``None``: they do not.
    written_by
        Of what is no operator, but is offered as one: the operator that it is written by, with others.
    """

    name: str
    class_name: str
    category: str
    summary: str
    doc: str = ""
    version: int = 1
    devices: tuple[Device, ...] = ("cpu",)
    inputs: tuple[InputSchema, ...] = ()
    outputs: tuple[OutputSchema, ...] = ()
    arguments: tuple[ArgumentSchema, ...] = ()
    traits: tuple[str, ...] = ()
    seeded: bool = False
    stateful: bool = False
    keep: bool = False
    role: Role = ""
    by_name: bool = False
    icon: str = ""
    node_name: str = ""
    keywords: tuple[str, ...] = ()
    hidden: bool = False
    deprecated: str = ""
    dialects: tuple[InDialect, ...] = ()
    movement: Movement | None = None
    former: tuple[str, ...] = ()
    shown: dict[str, Value] | None = None
    written_by: str = ""

    def called(self, former: str) -> OperatorSchema:
        """The description under a former name."""
        module, _, name = former.rpartition(".")
        own = self.class_name.rpartition(".")[2]  # COCO stays as it is written
        title = "".join(own if word == own.lower() else word.capitalize() for word in name.split("_"))
        return msgspec.structs.replace(
            self, name=former, class_name=f"{module}.{title}" if module else title, former=(),
            summary=f"The former name of `{self.name}`, which is deprecated.", doc="",
        )  # fmt: skip

    def in_dialect(self, dialect: str) -> InDialect | None:
        """What is declared for a dialect, or ``None``."""
        return next((entry for entry in self.dialects if entry.dialect == dialect), None)

    def input(self, position: int) -> InputSchema | None:
        """The declaration of a positional input; ``None`` beyond the last."""
        if position < len(self.inputs):
            return self.inputs[position]
        last = self.inputs[-1] if self.inputs else None
        repeats = last is not None and last.repeated is not None and position < self.most_inputs
        return last if repeats else None

    def input_name(self, position: int) -> str:
        """How messages call a positional input: by its name, if it is repeated with a number from 1, as cards do."""
        declared = self.input(position)
        if declared is None:
            return f"input {position + 1}"
        return declared.name if declared.repeated is None else f"{declared.name} {position - len(self.inputs) + 2}"

    def shown_inputs(self, wired: int) -> int:
        """How many inputs a card shows: what is wired, and one more where another may come."""
        if not self.inputs or self.inputs[-1].repeated is None:
            return len(self.inputs)
        return min(max(wired + 1, self.least_inputs), self.most_inputs)

    @property
    def least_inputs(self) -> int:
        """How many positional inputs there must be."""
        repeated = self.inputs[-1].repeated if self.inputs else None
        needed = sum(not declared.optional for declared in self.inputs)
        return needed if repeated is None else len(self.inputs) - 1 + repeated[0]

    @property
    def most_inputs(self) -> int:
        """How many positional inputs there may be."""
        repeated = self.inputs[-1].repeated if self.inputs else None
        return len(self.inputs) if repeated is None else len(self.inputs) - 1 + repeated[1]

    def argument(self, name: str) -> ArgumentSchema | None:
        """The argument called `name`, or ``None``."""
        known = _arguments.get(id(self))
        if known is None or known[0] is not self:  # a schema that has died may have left its number to this one
            known = _arguments[id(self)] = self, {argument.name: argument for argument in self.arguments}
        return known[1].get(name)


#: Arguments by name, by the number of the schema object: they are looked up many times in each iteration.
_arguments: dict[int, tuple[OperatorSchema, dict[str, ArgumentSchema]]] = {}


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """All operators, and what may be wired to what, as the browser receives them.

    Attributes
    ----------
    inputs_take
        For each kind of input the kinds of data that it takes.
    arguments_take
        The kinds of data that an argument takes.
    keep_kind
        Operators that take data of any kind and give the same kind, such as a picture for a picture.
    """

    operators: tuple[OperatorSchema, ...]
    inputs_take: dict[Kind, tuple[Kind, ...]]
    arguments_take: tuple[Kind, ...]
    keep_kind: tuple[str, ...] = ()

"""``fn.readers.webdataset``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.limits import MAX_OUTPUTS
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.webdataset import Component, samples_of_archive, samples_of_index
from dali_studio.operators.common import T, accept_output, sentence
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.pieces import DONT_USE_MMAP, PieceFiles, PiecesRead, Places, pieces_batch
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.sample_folders import archive
from dali_studio.schema.samples import Case

_TYPES = (T.UINT8, T.UINT16, T.UINT32, T.UINT64, T.INT8, T.INT16, T.INT32, T.INT64, T.FLOAT16, T.FLOAT, T.FLOAT64)
#: What becomes of samples that lack a file for an output.
_BEHAVIORS = ("empty", "skip", "error")


class Archives:
    """Samples of some components, each a piece of an archive.

    Parameters
    ----------
    paths : sequence of str
    places : Places
        One component of each sample after the other.
    outputs : int
        Components of a sample.
    archives : sequence of int
        Samples of each archive.
    mapped : bool
        As for `PieceFiles`.
    """

    def __init__(
        self, paths: Sequence[str], places: Places, outputs: int, archives: Sequence[int], *, mapped: bool
    ) -> None:
        self.paths, self.places, self.outputs, self.archives = paths, places, outputs, archives
        self._files = PieceFiles(paths, mapped=mapped)

    def __len__(self) -> int:
        return sum(self.archives)

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> list[PiecesRead]:
        """As `DataSet.read`: what each output is made of."""
        chosen = np.asarray(picked, np.int64)
        wanted = (np.arange(self.outputs) + chosen[:, None] * self.outputs).ravel()  # neighbours are read together
        read = self._files.read(self.places.take(wanted), memory, run, ahead=ahead)
        return [read.take(slice(i, None, self.outputs)) for i in range(self.outputs)]


class Webdataset(Reader):
    """Reads samples from tar archives in the format of WebDataset: neighbouring files whose names begin alike.

    What is behind the first dot of a name is the extension, which says to which output a file goes. Files whose names
    begin with a dot are left out.
    """

    path = "readers.webdataset"
    icon = "file"
    keywords = "dataset webdataset tar archive shards wds"
    outputs = (Output("output", "encoded"),)
    archives = True

    paths: Annotated[list[str], Doc("The archives."), COMMON]
    ext: Annotated[
        list[str], Doc('For each output the extensions of its files, with semicolons between: "jpg;jpeg;png".'), COMMON
    ]  # fmt: skip
    index_paths: Annotated[
        list[str] | None,
        Doc("Index file of each archive, as nvidia.dali's wds2idx writes it; unset: the archives are searched."),
    ] = None  # fmt: skip
    dtypes: Annotated[list[DALIDataType] | None, Doc("Element type of each output; unset: UINT8.")] = None
    case_sensitive_extensions: Annotated[bool, Doc("Extensions tell upper from lower case.")] = True
    missing_component_behavior: Annotated[
        str,
        Doc('Of samples without a file for an output: "empty", there is no element in it; "skip" them; or an "error".'),
    ] = ""
    dont_use_mmap: Annotated[bool, DONT_USE_MMAP] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        tar, index = {"paths": archive("samples.tar")}, {"index_paths": archive("samples.idx")}
        given = {**tar, "ext": ("jpg;png", "cls")}
        return [
            *(Case(arguments={**given, **more}) for more in ({}, index)),
            Case(arguments={**given, "dont_use_mmap": True}),
            Case(arguments={**tar, "ext": "cls"}),
            Case(arguments={**tar, "ext": ("seg.png", "JPG;jpg", "cls", "cls"), "case_sensitive_extensions": False}),
            *(Case(arguments={**tar, **index, "ext": ("cls", "vec"), "dtypes": ("UINT8", dtype.name),
                              "missing_component_behavior": "skip"}) for dtype in _TYPES[1:]),
            Case(arguments={**tar, "ext": ("vec", "vec"), "dtypes": ("INT64", "UINT8")}),
            Case(arguments={**tar, "ext": ("cls", "nothing"), "missing_component_behavior": "Empty"}),
            Case(arguments={**given, "random_shuffle": True, "initial_fill": 3}),
            Case(arguments={**given, "shuffle_after_epoch": True}),
            Case(arguments={**given, "num_shards": 3, "shard_id": 1, "pad_last_batch": True}),
            Case(arguments={**given, "num_shards": 2, "stick_to_shard": True}),
            Case(arguments={**given, "missing_component_behavior": "error"}, refused="missing_component_behavior"),
            Case(arguments={**given, "missing_component_behavior": "none"}, refused="missing_component_behavior"),
            Case(arguments={**tar, "ext": "cls", "dtypes": "INT16"}, refused="dtypes"),
            Case(arguments={**given, "dtypes": ("UINT8",)}, refused="dtypes"),
            Case(arguments={**tar, "ext": "vec", "dtypes": "BOOL"}, refused="dtypes"),
            Case(arguments={**given, "index_paths": (archive("samples.idx"),) * 2}, refused="index_paths"),
            Case(arguments={**given, "index_paths": archive("damaged.idx")}, refused="index_paths"),
            Case(arguments={"paths": archive("samples.idx"), "ext": "cls"}, refused="paths"),
            Case(arguments={"paths": "/no/such.tar", "ext": "cls"}, refused="paths", note="no archive"),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        found = values.get("ext")
        count = min(len(found), MAX_OUTPUTS) if isinstance(found, tuple | list) else 1
        return schema.outputs if count == 1 else tuple(Output(f"output{i}", "encoded") for i in range(count))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_order(args, archives=True)
        _behavior(args)
        if args.given("index_paths") and len(args["index_paths"]) != len(args["paths"]):
            raise ArgumentError(
                f"{len(args['index_paths'])} index files are given for {len(args['paths'])} archives.",
                hint="Give one for each, or none.", argument="index_paths",
            )  # fmt: skip
        return tuple(TensorMeta(dtype, 1, "", "encoded" if dtype is T.UINT8 else "any") for dtype in _dtypes(args))

    @classmethod
    def data_set(cls, args: Args) -> Archives:
        behavior, sizes = _behavior(args), [to_numpy(dtype).itemsize for dtype in _dtypes(args)]
        wanted = [_extensions(text, args) for text in args["ext"]]
        made: list[tuple[int, int, int, str]] = []
        archives: list[int] = []
        indices = args["index_paths"] or (None,) * len(args["paths"])
        for number, (path, index) in enumerate(zip(args["paths"], indices, strict=True)):
            before = len(made)
            try:
                for found in samples_of_archive(path) if index is None else samples_of_index(index):
                    made += _outputs(found, number, wanted, sizes, behavior, args)
            except ArgumentError:
                raise
            except ValueError as error:
                raise ArgumentError(
                    sentence(error), hint="Give tar archives, and index files that belong to them.",
                    argument="paths" if index is None else "index_paths", code="DS302",
                ) from error  # fmt: skip
            archives.append((len(made) - before) // len(wanted))
        if not made:
            raise ArgumentError(
                "no sample has a file for each output.", hint='Check ext, or take away "skip".', argument="ext",
                code="DS302",
            )  # fmt: skip
        numbers, names = np.array([one[:3] for one in made], np.int64), np.array([one[3] for one in made], object)
        places = Places(numbers[:, 0], numbers[:, 1], numbers[:, 2], names=names)
        return Archives(args["paths"], places, len(wanted), archives, mapped=not args["dont_use_mmap"])

    @classmethod
    def batches(cls, data: Archives, read: list[PiecesRead], args: Args) -> tuple[Batch, ...]:
        dtypes = map(to_numpy, _dtypes(args))
        return tuple(pieces_batch(data.paths, one, args, dtype) for one, dtype in zip(read, dtypes, strict=True))


def _behavior(args: Args) -> str:
    given = args["missing_component_behavior"].lower() or "empty"
    if given not in _BEHAVIORS:
        raise ArgumentError(
            f"{given!r} is not accepted.", hint=f"Use one of: {', '.join(_BEHAVIORS)}.",
            argument="missing_component_behavior",
        )  # fmt: skip
    return given


def _dtypes(args: Args) -> tuple[DALIDataType, ...]:
    count, dtypes = len(args["ext"]), args["dtypes"]
    if dtypes is None:
        return (T.UINT8,) * count
    if len(dtypes) != count:
        raise ArgumentError(
            f"{len(dtypes)} element types are given for {count} outputs.", hint="Give one for each.", argument="dtypes"
        )
    accept_output(next((dtype for dtype in dtypes if dtype not in _TYPES), None), _TYPES, "dtypes")
    return dtypes


def _extensions(text: str, args: Args) -> set[str]:
    return set((text if args["case_sensitive_extensions"] else text.lower()).split(";"))


def _outputs(
    sample: Sequence[Component], number: int, wanted: Sequence[set[str]], sizes: Sequence[int], behavior: str,
    args: Args,
) -> list[tuple[int, int, int, str]]:
    """Where each output of a sample lies in archive `number`, and its name; nothing, if the sample is to be skipped."""
    made = [(number, 0, 0, "")] * len(wanted)
    filled: set[int] = set()
    used = 0
    for extension, start, size, full_name in sample:
        name = extension if args["case_sensitive_extensions"] else extension.lower()
        fits = [i for i, accepted in enumerate(wanted) if name in accepted and i not in filled]
        for output in fits:
            if size % sizes[output]:
                raise ArgumentError(
                    f"a file of {args['paths'][number]} has {size} bytes, elements have {sizes[output]}.",
                    hint="Give another element type, or repair the archive.", argument="dtypes", code="DS302",
                )  # fmt: skip
            made[output] = number, start, size, f":{start}:{full_name}"
        filled.update(fits)
        used += bool(fits)
    if used < len(wanted):  # nvidia.dali counts files, of which one may go to several outputs
        if behavior == "skip":
            return []
        if behavior == "error":
            raise ArgumentError(
                f"a sample of {args['paths'][number]} has no file for each output.",
                hint='Use "empty" or "skip", or repair the archive.', argument="missing_component_behavior",
                code="DS302",
            )  # fmt: skip
    return made

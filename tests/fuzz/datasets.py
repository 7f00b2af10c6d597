"""Mutated data sets: archives, tables of annotations, indices, arrays, sounds and folders through readers and decoders."""

from __future__ import annotations

import fnmatch
import random
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dali_studio.api.default import default_registry
from dali_studio.codegen.dialects import find
from dali_studio.schema.model import OperatorSchema
from dali_studio.schema.samples import Case, Folder
from fuzz import arguments, data_files
from fuzz.machine import Memory
from fuzz.outcome import Outcome
from fuzz.peer import NAME, Peer
from fuzz.programs import Call, Fed
from fuzz.randomness import of_case
from fuzz.trial import tried

FAMILY = "datasets"
BATCH = 8
REGISTRY = default_registry()
#: Stands for the folder of a case in files that name others by whole paths, and in the arguments.
_HERE = "@here@"


def _is_tried(schema: OperatorSchema) -> bool:
    """Decoders of pictures have a family of their own."""
    return schema.role == "reader" or schema.name in ("decoders.audio", "decoders.numpy")


OPERATORS = tuple(name for name in REGISTRY if _is_tried(REGISTRY.schema(name)))


@cache
def _cases(operator: str) -> tuple[Case, ...]:
    schema = REGISTRY.schema(operator)
    found = [case for case in REGISTRY.operator(operator).samples() if schema.role != "reader" or _folders(case.arguments)]
    return tuple(case for case in found if case.refused is None or schema.role != "reader")


def _folders(given: Mapping[str, Any]) -> list[Folder]:
    listed = [item for value in given.values() for item in (value if isinstance(value, tuple) else (value,))]
    return [item for item in listed if isinstance(item, Folder)]


@cache
def _files(folder: Folder) -> dict[str, bytes]:
    """Contents by name; whole paths of the folder that manifests name become relative to the case."""
    from dali_studio.schema import sample_folders, sample_videos

    found = dict(folder.files())
    places = {"manifest.json": sample_folders._manifest_folder, "times.txt": sample_videos._videos}
    root = next((place().name.encode() for name, place in places.items() if name in found), b"")
    return {name: content.replace(root, _HERE.encode()) if root else content for name, content in found.items()}


def case(seed: int, number: int) -> tuple[Call, dict[str, bytes], str | None]:
    """The call of a case, the files that it reads, by name, and which were changed; ``None``: nvidia.dali is not asked."""
    rng = of_case(FAMILY, seed, number)
    schema = REGISTRY.schema(rng.choice(OPERATORS))
    chosen = rng.choice(_cases(schema.name))
    files: dict[str, bytes] = {}
    entries: list[str] = []

    def placed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(placed(item) for item in value)
        if not isinstance(value, Folder):
            return value
        files.update(_files(value))
        entries.append(value.entry)
        return f"{_HERE}/{value.entry}" if value.entry else _HERE

    given = {name: placed(value) for name, value in chosen.arguments.items()}
    given = {name: arguments.as_given(schema, name, value) for name, value in given.items()}
    inputs = [Fed(data.samples(), data.layout) for data in chosen.inputs]
    named = [name for entry in entries for name in fnmatch.filter(files, entry)]  # some are patterns
    changed: list[str] = []
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        if inputs:
            inputs[0] = _with_mutated_file(rng, schema, inputs[0])
            changed.append("input")
        elif files:
            name = rng.choice(named if named and rng.random() < 0.7 else sorted(files))
            files[name] = data_files.mutated(rng, name.rpartition(".")[2].lower(), files[name])
            changed.append(name)
    if rng.random() < 0.3:
        argument = rng.choice(schema.arguments)
        if argument.type not in ("object", "string", "string_list"):
            given[argument.name] = arguments.value_of(rng, argument, 4)
    is_compared = chosen.peer and not find(NAME).lacks_operator(schema.name, schema)[0]
    # as many iterations as all samples need: nvidia.dali reads ahead, and fails before it has given what is good
    return Call(schema.name, given, inputs, iterations=4), files, " ".join(changed) if is_compared else None


def _with_mutated_file(rng: random.Random, schema: OperatorSchema, batch: Fed) -> Fed:
    """One of the files of an input mutated; sounds are of all formats."""
    made, at = list(batch.samples), rng.randrange(len(batch.samples))
    kind, data = _kind(made[at].tobytes()), made[at].tobytes()
    if schema.name == "decoders.audio" and rng.random() < 0.6:
        kind, data = rng.choice(data_files.sound_sources())
    made[at] = np.frombuffer(data_files.mutated(rng, kind, data), np.uint8)
    return Fed(made, batch.layout)


def _kind(data: bytes) -> str:
    known = {b"RIFF": "wav", b"\x93NUM": "npy", b"\x89PNG": "png", b"\xff\xd8": "jpg", b"fLaC": "flac", b"OggS": "ogg"}
    return next((kind for start, kind in known.items() if data.startswith(start)), "")


def content(seed: int, number: int) -> bytes:
    """The call of a case as text, and its files behind it."""
    call, files, _ = case(seed, number)
    told = [f"fn.{call.operator}({list(call.inputs)}, {call.arguments!r})\n".encode("utf-8", "backslashreplace")]
    told += [b"== input\n" + item.tobytes() + b"\n" for batch in call.inputs for item in batch.samples]
    return b"".join((*told, *(f"== {name}\n".encode() + data + b"\n" for name, data in files.items())))


def _at(value: Any, folder: str) -> Any:
    if isinstance(value, list):
        return [_at(item, folder) for item in value]
    return value.replace(_HERE, folder) if isinstance(value, str) else value


class Datasets:
    """Tries cases in `folder`; `peer` gives nvidia.dali's verdicts."""

    def __init__(self, peer: Peer, folder: Path) -> None:
        self._peer, self._folder, self._memory = peer, folder, Memory()

    def check(self, seed: int, numbers: Sequence[int]) -> list[Outcome]:
        """Outcomes of the cases."""
        return [self._placed(number, *case(seed, number)) for number in numbers]

    def _placed(self, number: int, call: Call, files: dict[str, bytes], changed: str | None) -> Outcome:
        root = self._folder / str(number)
        for name, data in files.items():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data.replace(_HERE.encode(), str(root).encode()))
        call = replace(call, arguments={name: _at(value, str(root)) for name, value in call.arguments.items()})
        try:
            return self._one(number, call, changed)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def _one(self, number: int, call: Call, changed: str | None) -> Outcome:
        told, is_compared = repr(call.arguments), changed is not None
        found = tried(number, call, told, self._memory, lambda: self._peer.memory(call) if is_compared else 0)
        if isinstance(found, Outcome):
            return found
        if not self._peer.available or changed is None:
            return found.alone(number, call)
        return arguments.judged(number, FAMILY, call, found, self._peer.run(call), f" changed: {changed}; ")

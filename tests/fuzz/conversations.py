"""Sequences of the browser's messages, good and bad, to a session of the designer without a browser."""

from __future__ import annotations

import contextlib
import json
import random
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from dali_studio.api.default import default_registry
from dali_studio.api.folders import folder_readers, point_at
from dali_studio.codegen.dialects import DIALECTS
from dali_studio.graph import edits
from dali_studio.graph.document import dumps, loads
from dali_studio.kernels.cuda.device import missing
from dali_studio.studio.protocol import messages, requests
from dali_studio.studio.session import Session
from fuzz.documents import anything
from fuzz.machine import HERE, Memory
from fuzz.outcome import Outcome
from fuzz.randomness import EDGES, TEXTS, of_case
from fuzz.values import value_for

FAMILY = "messages"
BATCH = 4
#: Messages of one conversation, at most.
LONGEST = 10
#: A message may let this much be kept (pictures of previews are), beside what is measured of all else.
MEMORY = 100 * 2**20
#: How long the worker of a session may take before something else is asked of it, and how long that may take.
TIMEOUT, SECONDS = 1.0, 3.0
REGISTRY = default_registry()
_OPERATORS = tuple(name for name in REGISTRY if REGISTRY.schema(name).role != "copy")
#: Larger pictures, and longer runs, are what a user asks for and waits for.
_MAX_NUMBER = 1000

Json = dict[str, Any]


@cache
def _kinds() -> tuple[str, ...]:
    return tuple(kind.__struct_config__.tag for kind in requests.ClientMessage.__args__)


def conversation(seed: int, number: int, keys: Sequence[str] = ("reader", "decode", "rotate", "normalize", "outputs")) -> list[Json]:
    """The messages of a case."""
    rng = of_case(FAMILY, seed, number)
    said = [{"type": "ready", "preview_width": rng.choice((96, 296))}]
    known = list(keys)
    for _ in range(rng.randrange(1, LONGEST)):
        message = _message(rng, known)
        if rng.random() < 0.2:
            message = _spoiled(rng, message)
        said.append(message)
    return said


def content(seed: int, number: int) -> bytes:
    """The messages of a case, one on a line."""
    return "".join(json.dumps(message) + "\n" for message in conversation(seed, number)).encode()


def _message(rng: random.Random, keys: list[str]) -> Json:
    """A message that the browser could send."""
    kind = rng.choice((*_kinds(), *("apply_edits",) * 12, "undo", "redo", "choose_sample"))
    match kind:
        case "apply_edits":
            made = [_edit(rng, keys) for _ in range(rng.choice((1, 1, 1, 2, 4)))]
            more: Json = {"edits": made, "gesture": rng.choice(("", "", "drag")), "base_revision": rng.choice((0, 1, 10**9))}
        case "apply_repair":
            more = {"code": rng.choice(("DS201", "DS103", "DS207")), "node": rng.choice(keys), "argument": rng.choice(("", "file_root"))}
        case "move_nodes":
            more = {"positions": {rng.choice(keys): {"x": rng.uniform(-1e9, 1e9), "y": 0.5}}}
        case "choose_sample":
            more = {"sample": rng.choice((0, 1, 5, -1, *EDGES)), "iteration": rng.choice((0, 1, 2, 7)) if rng.random() < 0.7 else rng.choice(EDGES)}
        case "request_code":
            more = {"dialect": rng.choice((*DIALECTS, "cobol"))}
        case "request_detail":
            more = {"key": rng.choice(keys), "output": rng.choice((0, 0, 1, -1, 2**31))}
        case "save_document":
            more = {"path": rng.choice(("a.dali.json", "b/c.dali.json", "", ".", "\0", "x" * 300, "é.json")), "what": rng.choice(("document", "code", "trace"))}
        case "open_folder":
            more = {"path": rng.choice(("pictures", "nothing", "", "\0", "a.dali.json"))}
        case "open_recipe":
            more = {"name": rng.choice(("resnet50", "augmentations", "../resnet50", "", "\0", "none"))}
        case _:
            more = _about_runs(kind, rng, keys)
    return {"type": kind, **more}


def _about_runs(kind: str, rng: random.Random, keys: list[str]) -> Json:
    """What a request about runs and their data holds; nothing for other messages."""
    made: dict[str, Json] = {
        "run": {"batches": rng.choice((1, 2, 0, -1)), "until": rng.choice(("", "", rng.choice(keys)))},
        "compare_devices": {"batches": rng.choice((1, 2, 0, -1))},
        "set_target": {"samples_per_second": rng.choice((0, 2400, 0.5, -1, 1e300))},
        "open_state": {"name": rng.choice(("", "1", "2", "99", "../a", "20260101-000000000-abcdef0"))},
        "request_difference": {"before": rng.choice(("1", "2", "", "x")), "after": rng.choice(("", "1", "99"))},
        "request_data": {"key": rng.choice(keys)},
        "point_reader": {"key": rng.choice(keys), "path": rng.choice(("pictures", "nothing", "", "\0", "a.dali.json"))},
    }
    advice = {"name": rng.choice(("threads", "decode", "reader", "ahead", "batch", "nothing"))}
    file = {"node": rng.choice(keys), "source": rng.choice(("", "a.jpg", "../a.dali.json", "/etc/hostname", "\0"))}
    made |= dict.fromkeys(("try_advice", "take_advice"), advice) | dict.fromkeys(("request_file", "request_reproduction"), file)
    return made.get(kind, {})


def _edit(rng: random.Random, keys: list[str]) -> Json:
    key = rng.choice(keys)
    tag = rng.choice(tuple(kind.__struct_config__.tag for kind in edits.Edit.__args__) + ("set_argument",) * 5 + ("connect", "add_node") * 2)
    match tag:
        case "add_node":
            made = rng.choice((f"n{rng.randrange(6)}", rng.choice(TEXTS)))
            keys.append(made)
            return {"type": tag, "key": made, "operator": rng.choice(_OPERATORS)}
        case "set_argument":
            schema = REGISTRY.schema(rng.choice(_OPERATORS if key not in _PLACED else (_PLACED[key],)))
            argument = rng.choice(schema.arguments)
            return {"type": tag, "key": key, "argument": argument.name, "value": _modest(value_for(rng, argument)), "unset": rng.random() < 0.1}
        case "connect" | "disconnect":
            end: Json = {"input": rng.choice((0, 0, 0, 1, -1, 2**31))} if rng.random() < 0.7 else {"argument": rng.choice(("angle", "mirror", "", "size"))}
            source = {"source": {"node": rng.choice(keys), "output": rng.choice((0, 0, 1))}} if tag == "connect" else {}
            return {"type": tag, "target": key, **end, **source}
        case "rename":
            made = rng.choice(TEXTS) if rng.random() < 0.5 else f"n{rng.randrange(6)}"
            keys.append(made)
            return {"type": tag, "key": key, "new_key": made}
        case "set_device":
            return {"type": tag, "key": key, "device": rng.choice(("cpu", "gpu", "mixed"))}
        case "set_outputs":
            return {"type": tag, "outputs": [{"node": rng.choice(keys), "output": rng.choice((0, 1))} for _ in range(rng.randrange(3))]}
        case "set_pipeline":
            name = rng.choice(("batch_size", "num_threads", "seed", "name", "device_id", "prefetch_queue_depth", "nothing"))
            return {"type": tag, "option": name, "value": rng.choice((1, 2, 7, 0, -1, None, "x", 1.5, True, rng.choice(EDGES)))}
        case _:
            return {"type": tag, "key": key}


#: The document that conversations begin with, and the operators of its nodes.
_PLACED = {"reader": "readers.file", "decode": "decoders.image", "rotate": "rotate", "normalize": "crop_mirror_normalize"}


def _modest(value: Any) -> Any:
    """The value, where it does not ask for large pictures; otherwise one that no operator takes."""
    flat = value if isinstance(value, list) else [value]
    large = any(isinstance(item, int | float) and not isinstance(item, bool) and _MAX_NUMBER < abs(item) < 2**31 for item in flat)
    return 2**31 if large else value


def _spoiled(rng: random.Random, message: Json) -> Json:
    """The message with a wrong value somewhere, a field less or more, or nothing that it should be."""
    if rng.random() < 0.2:
        return {rng.choice(TEXTS): anything(rng)} if rng.random() < 0.5 else {"type": rng.choice(TEXTS)}
    message = json.loads(json.dumps(message))
    place: Any = message
    while True:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if isinstance(place[key], dict | list) and place[key]:
            place = place[key]
            continue
        if rng.random() < 0.2:
            del place[key]
        else:
            place[key] = anything(rng)
        return message


class Conversations:
    """Tries cases, in the working folder; `folder` holds pictures."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._memory = folder, Memory()
        # the first who asks for a GPU loads CuPy, where that is installed: up to 260 MiB, once for the process
        missing()
        gallery = (HERE.parent.parent / "gallery" / "resnet50" / "pipeline.dali.json").read_text(encoding="utf-8")
        document = json.loads(gallery.replace('"resize"', '"rotate"').replace("decoders.image_random_crop", "decoders.image"))
        for node in document["pipeline"]["nodes"]:
            if node["key"] == "rotate":
                node["arguments"] = {"angle": 30.0, "keep_size": True}
        document["pipeline"]["batch_size"] = 4
        self._text = json.dumps(document)
        with contextlib.suppress(FileExistsError):
            Path("pictures").symlink_to(folder, target_is_directory=True)

    def check(self, seed: int, numbers: Sequence[int]) -> list[Outcome]:
        """Outcomes of the cases."""
        return [self._one(number, conversation(seed, number)) for number in numbers]

    def _one(self, number: int, said: list[Json]) -> Outcome:
        graph, view, _ = loads(self._text, REGISTRY)
        graph = point_at(graph, folder_readers(graph, REGISTRY), self._folder)
        answers: list[messages.KernelMessage] = []

        def take(message: messages.KernelMessage, buffers: Sequence[bytes]) -> None:
            msgspec.json.encode(message)  # what cannot travel would be lost
            answers.append(message)

        session = Session(graph, REGISTRY, take, view=view, images=lambda: self._folder)
        self._memory.begin()
        message: Json = {}
        try:
            for message in said:
                answers.clear()
                session.receive(message)
                # one conversation in two waits for each answer, the others speak on
                if number % 2 and (trouble := self._unanswered(session)):
                    return self._found(number, said, message, *trouble)
                if trouble := _defects(answers):
                    return self._found(number, said, message, *trouble)
            if trouble := self._unanswered(session) or _defects(answers) or _undone(session):
                return self._found(number, said, message, *trouble)
        except Exception as error:  # noqa: BLE001 - receiving must not raise
            return self._found(number, said, message, "exception", "".join(traceback.format_exception(error)[-4:]))
        finally:
            session.close()
        if self._memory.grown() > MEMORY:
            return self._found(number, said, {}, "memory", f"{self._memory.grown() / 2**20:.0f} MiB")
        return Outcome(number, "conversation", "answered", inputs=len(said))

    def _unanswered(self, session: Session) -> tuple[str, str] | None:
        """What may be long, such as going to a far batch, must give way to what is asked for next."""
        if session.worker.wait(TIMEOUT):
            return None
        session.receive({"type": "stop"})
        session.receive({"type": "choose_sample", "sample": 0, "iteration": 0})
        return None if session.worker.wait(SECONDS) else ("hang", f"the worker was not ready {SECONDS:g} s after a newer request")

    def _found(self, number: int, said: list[Json], message: Json, kind: str, detail: str) -> Outcome:
        return Outcome(number, str(message.get("type"))[:40], kind, kind, f"{json.dumps(message)[:2000]}\n{detail}", len(said))


def _defects(answers: Sequence[messages.KernelMessage]) -> tuple[str, str] | None:
    """What the session itself calls a defect."""
    found = [
        diagnostic
        for answer in list(answers)
        for name in ("diagnostics", "failed")
        for diagnostic in getattr(answer, name, ())
        if diagnostic.code == "DS305"
    ]
    return ("defect", f"{found[0]}\n{found[0].detail}") if found else None


def _undone(session: Session) -> tuple[str, str] | None:
    """Whether all steps can be taken back and done again."""
    end, steps = dumps(session.graph), 0
    while session.history.can_undo:
        session.history.undo()
        steps += 1
    for _ in range(steps):
        session.history.redo()
    return ("undo", "doing all steps again does not lead to the same document") if dumps(session.graph) != end else None

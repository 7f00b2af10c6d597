"""A label that stays behind, and what it would be if it moved with its image: before anybody makes it so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np

from dali_studio.codegen.emit import Emitted
from dali_studio.codegen.functions import Function
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.graph.labels.guard import CODE, left_behind, unmoved
from dali_studio.graph.labels.twins import Moved, twin_edits
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import infer
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.preview_renderer import PreviewRequest, shown_of
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.outputs.renderers import renderer_of
from dali_studio.studio.outputs.renderers.base import Backdrop, Card, Shown
from dali_studio.studio.programs.boxes import box_of_repair
from dali_studio.studio.protocol import messages
from dali_studio.studio.protocol.messages import Group
from dali_studio.studio.revision import Revision
from dali_studio.studio.view import OUTPUTS, functions_in

#: Extents of each picture.
_SIZE = (320, 212)
#: How many samples are looked at.
_SAMPLES = 16
#: What the pictures are called; no node has such a name.
_NAME = "label guard"


def show_twin(
    engine: PreviewEngine, request: PreviewRequest, node: str,
    program: Callable[[Revision, Sequence[Function]], Emitted],
) -> tuple[messages.LabelTwin, list[bytes]]:  # fmt: skip
    """What would make the label of a finding about `node` move, with pictures of both.

    Raises
    ------
    DaliStudioError
        DS304 if there is nothing that would.
    """
    now = request.revision
    found = next((d for d in now.validation.diagnostics if (d.code, d.node) == (CODE, node)), None)
    metas = infer(now.graph, now.registry, set(now.graph))
    made = None if found is None else twin_edits(now.graph, now.registry, metas, found)
    if made is None:
        text = f"Nothing is known that would move the labels of {node}."
        raise DaliStudioError(Diagnostic(code="DS304", message=text, hint="Undo the last edit.", node=node))
    then = now.variant(made.edits)
    sample, cards = _cards(engine, request, then, made)
    pictures = [card.picture for card in cards if card.picture is not None]
    cells, atlas = images.atlas(pictures) if len(pictures) == len(cards) > 0 else ([], b"")
    items = [
        messages.PreviewItem(
            key=_NAME, output=i, body=card.body, note=card.note, facts="", atlas_x=cell.x, atlas_y=cell.y,
            atlas_width=cell.width, atlas_height=cell.height,
        )
        for i, (card, cell) in enumerate(zip(cards, cells, strict=bool(cells)))
    ]  # fmt: skip
    boxes = box_of_repair(CODE, made.title, made.edits, now.graph, now.registry)
    functions = functions_in(boxes.values(), then.cards)
    (old, before), (new, after) = (
        (one, one.source.splitlines()) for one in (program(now, ()), program(then, functions))
    )
    texts = {tuple(before[line - 1] for line in lines) for lines in old.lines.values()}
    # statements that are there already may stand elsewhere; new ones may have lines that others have
    kept, made_anew = set[int](), set[int]()
    for lines in new.lines.values():
        (kept if tuple(after[line - 1] for line in lines) in texts else made_anew).update(lines)
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changed = {line + 1 for kind, *_, begin, end in changes if kind != "equal" for line in range(begin, end)}
    added = [line for line in sorted(changed - kept | made_anew) if after[line - 1].strip()]
    message = messages.LabelTwin(
        node=node, revision=now.number, sample=sample, items=tuple(items), cards=tuple(_new_cards(now, then, boxes)),
        left=_left(then, made), source="\n".join(after), added=tuple(added),
    )  # fmt: skip
    return message, [atlas] if atlas else []


def _new_cards(now: Revision, then: Revision, boxes: Mapping[str, Group]) -> Iterator[messages.NewCard]:
    """The cards that come: a box is one, which has no operator."""
    graph = then.graph
    for box in boxes.values():
        fed = dict.fromkeys(w.source for key in box.keys for w in graph.wires(key) if w.source.node not in box.keys)
        feeds = dict.fromkeys(to for key in box.keys for to in _fed(graph, key) if to[0] not in box.keys)
        yield messages.NewCard(key=box.title, operator="", fed_by=tuple(fed), feeds=tuple(feeds))
    inside = {key for box in boxes.values() for key in box.keys}
    for key in graph.order():
        if key not in now.graph and key not in inside:
            fed_by = tuple(wire.source for wire in graph.wires(key))
            yield messages.NewCard(key=key, operator=graph.node(key).operator, fed_by=fed_by, feeds=_fed(graph, key))


def _left(then: Revision, made: Moved) -> str:
    """What still moves the image alone, or the label; empty if the label goes with its image."""
    metas = infer(then.graph, then.registry, set(then.graph))
    rest = next((one for one in unmoved(then.graph, then.registry, metas) if one.label == made.after), None)
    return "" if rest is None else " and ".join(left_behind(then.graph, then.registry, rest)) or rest.label.node


def _fed(graph: Graph, key: str) -> tuple[tuple[str, str], ...]:
    wires = [
        (wire.target, f"in:{wire.input}" if wire.argument is None else f"arg:{wire.argument}")
        for wire in graph.wires() if wire.source.node == key
    ]  # fmt: skip
    return (*wires, *((OUTPUTS, f"result:{at}") for at, port in enumerate(graph.outputs) if port.node == key))


def _cards(
    engine: PreviewEngine, request: PreviewRequest, then: Revision, made: Moved
) -> tuple[int, list[Card]]:  # fmt: skip
    """The label as it is and as it would be, over the image that is returned with it; none if one is not there.

    They are of the shown sample, or of the next one for which they are not the same.
    """
    size, now = min(request.batch_size, _SAMPLES), request.revision
    # another node may give the image afterwards
    drawn = then.graph.outputs[now.graph.outputs.index(made.image)]
    for sample in (request.sample, *range(request.sample + 1, size), *range(min(request.sample, size))):
        shown: list[Shown] = []
        for revision, *ports in ((now, made.before, made.image), (then, made.after, drawn)):
            given: dict[PortRef, Batch] = {}
            port, picture = (revision.passing.get(one, one) for one in ports)
            for one in (picture, port):
                given |= engine.compute(revision, request.iteration, [sample], only=one).outputs
            if not given.keys() >= {picture, port}:
                return sample, []
            image = given[picture]
            if not images.is_image(image.samples[0], image.layout):
                return sample, []
            behind = Backdrop(picture.node, images.to_rgb(image.samples[0], image.layout)[0])
            shown.append(replace(shown_of(revision, port, given), backdrop=lambda behind=behind: behind))
        if not np.array_equal(shown[0].sample, shown[1].sample):
            return sample, [renderer_of(one).card(one, *_SIZE) for one in shown]
    return request.sample, []

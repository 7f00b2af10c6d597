"""What is written and has not been applied: into the code pane, or for a code node. Documents keep it.

It is signed: saving and running apply that of the code pane, and a stranger's text must not become a person's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from dali_studio.graph.history import History
from dali_studio.graph.written import OPERATOR
from dali_studio.studio.programs.trust import is_own, signature

#: Under this name that of the code pane is kept, both beside the places of cards and in a document.
DRAFT = "draft"
#: Those of code nodes in a document.
_WRITTEN = "written"


def draft_in(history: History) -> str:
    """What is written into the code pane and no graph yet; empty if all is."""
    return str(history.places.get(DRAFT, ""))


def draft_at(key: str) -> str:
    """Under which name is kept what is written for a code node and has not run; for the code pane, if it is empty."""
    return f"{DRAFT} {key}" if key else DRAFT


def written_in(history: History) -> dict[str, str]:
    """What is written for code nodes and has not run, by node."""
    nodes = [node.key for node in history.graph.nodes() if node.operator == OPERATOR]
    return {key: str(history.places[draft_at(key)]) for key in nodes if draft_at(key) in history.places}


def drafts_in(places: Mapping[str, object]) -> dict[str, object]:
    """What is written and has not been applied, as it is kept beside the places of cards."""
    return {name: text for name, text in places.items() if name == DRAFT or name.startswith(f"{DRAFT} ")}


def drafts_of(view: Mapping[str, Any]) -> dict[str, object]:
    """Those of a document's view part, where they are this user's."""
    source: object = view.get(DRAFT)
    own = isinstance(source, str) and is_own(source, view.get(f"{DRAFT}_signature"))
    written: object = view.get(_WRITTEN)
    found: dict[str, object] = {DRAFT: source if own else None}
    for key, said in cast("dict[str, object]", written).items() if isinstance(written, dict) else ():
        fields = cast("dict[str, object]", said) if isinstance(said, dict) else {}
        text = fields.get("source")
        if isinstance(text, str) and is_own(text, fields.get("signature")):
            found[draft_at(key)] = text
    return found


def in_view(history: History) -> dict[str, Any]:
    """Those in the view part of a document."""
    draft = draft_in(history)
    found: dict[str, Any] = {DRAFT: draft, f"{DRAFT}_signature": signature(draft)} if draft else {}
    written = {key: {"source": text, "signature": signature(text)} for key, text in written_in(history).items()}
    return found | ({_WRITTEN: written} if written else {})

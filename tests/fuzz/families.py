"""The families of cases, and the process that tries them."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from images import dataset

from fuzz import arguments, conversations, datasets, documents, pictures
from fuzz.machine import SANITIZED, serve
from fuzz.outcome import Outcome
from fuzz.peer import Peer

MODULES = {module.FAMILY: module for module in (pictures, documents, conversations, arguments, datasets)}
#: Cases that are tried together.
BATCHES = {name: module.BATCH for name, module in MODULES.items()}
#: Of a hundred inputs; a conversation is several.
SHARES = {"pictures": 66, "documents": 24, "messages": 4, "arguments": 4, "datasets": 2}
#: Address space of a process, so that what asks for too much fails instead of filling the machine.
ADDRESS_SPACE = 4 * 2**30


def content(family: str, seed: int, number: int) -> bytes:
    """The input of a case, as a file."""
    return MODULES[family].content(seed, number)


def main() -> None:
    """Try what the standard input asks for: (family, seed, numbers); answer with a list of `Outcome`."""
    with tempfile.TemporaryDirectory(prefix="dali_studio_fuzz_") as scratch:
        folder = dataset(Path(scratch) / "pictures_of_two_classes", 2, 3)
        work = Path(scratch) / "work"
        work.mkdir()
        os.chdir(work)  # documents and messages name files, which then are here
        peer = Peer(available=False) if os.environ.get("FUZZ_WITHOUT_PEER") else Peer()
        made: dict[str, Any] = {
            "pictures": pictures.Pictures(peer),
            "documents": documents.Documents(folder),
            "messages": conversations.Conversations(folder),
            "arguments": arguments.Arguments(peer),
            "datasets": datasets.Datasets(peer, Path(scratch) / "data_sets"),
        }
        if sys.platform == "linux" and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        peer.start()

        def answer(question: Any, tell: Callable[[Any], None]) -> None:
            family, seed, numbers = question
            found: list[Outcome] = made[family].check(seed, numbers)
            tell(found)

        serve(answer)
        peer.close()

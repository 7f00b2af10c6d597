"""Messages as what a comm sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from dali_studio.studio.protocol.gallery_messages import GalleryAnswer
from dali_studio.studio.protocol.messages import KernelMessage


def transmitter(
    send: Callable[[Any, list[bytes]], None]
) -> Callable[[KernelMessage | GalleryAnswer, Sequence[bytes]], None]:
    """A function that gives messages and their buffers to `send`, in the form of JSON."""

    def transmit(message: KernelMessage | GalleryAnswer, buffers: Sequence[bytes] = ()) -> None:
        content = msgspec.to_builtins(message)
        try:
            send(content, list(buffers))
        except UnicodeEncodeError:  # names of files that are not UTF-8 have halves of pairs, which JSON cannot carry
            send(_readable(content), list(buffers))

    return transmit


def _readable(content: Any) -> Any:
    """The same with question marks for what has no form in UTF-8."""
    if isinstance(content, str):
        return content.encode(errors="replace").decode()
    if isinstance(content, dict):
        return {_readable(key): _readable(value) for key, value in cast("dict[str, Any]", content).items()}
    if isinstance(content, list | tuple):
        return [_readable(value) for value in cast("list[Any]", content)]
    return content

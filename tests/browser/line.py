"""A line between a browser and a server, which can be cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Line:
    """Hands bytes to a port of this machine and back, from a port of its own."""

    def __init__(self, far: int) -> None:
        self._far, self._whole = far, True
        self._ends: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and take no others."""
        self._whole = False
        for end in list(self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Take connections again."""
        self._whole = True

    def close(self) -> None:
        """End it."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return  # it was closed
            if not self._whole:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._far))
            self._ends |= {near, far}
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._hand_on, args=(source, target), daemon=True).start()

    def _hand_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while content := source.recv(65_536):
                target.sendall(content)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._ends.discard(source)
        source.close()


@contextmanager
def line_to(port: int) -> Iterator[Line]:
    """A line to a port of this machine."""
    line = Line(port)
    try:
        yield line
    finally:
        line.close()
